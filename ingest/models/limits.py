"""How fast, how long and how much a command may ask; imported by the command line, hence light."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ingest.errors import UsageError
from ingest.models.budget import Budget
from ingest.models.prices import PRICE_TABLE, Price, PriceTable

DEFAULT_CONCURRENCY = 16
DEFAULT_TIMEOUT_SECONDS = 600.0  # long chains of thought take minutes; a hung server, for ever
DEFAULT_ATTEMPTS = 8  # with the waits between them about two minutes of a server's bad moments


@dataclass(frozen=True)
class Limits:
    """How fast, how long and how much a command may ask."""

    concurrency: int = DEFAULT_CONCURRENCY
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    attempts: int = DEFAULT_ATTEMPTS
    max_cost: float | None = None
    max_requests: int | None = None
    prices: Path = PRICE_TABLE

    def price_of(self, model: str) -> Price | None:
        """Today's price. Raises UsageError where --max-cost is given and there is none."""
        try:
            price = PriceTable.read(self.prices).find(model, date.today())
        except (OSError, ValueError) as error:
            raise UsageError(f"price table: {error}") from error
        if price is None and self.max_cost is not None:
            raise UsageError(
                f"--max-cost: no price is known for model {model!r}. Add a row for it to "
                f"{self.prices}, or use --max-requests."
            )
        return price

    def budget(self, price: Price | None, first_guess: float = 0.0) -> Budget:
        """A fresh budget within these limits."""
        return Budget(
            price=price,
            max_requests=self.max_requests,
            max_cost=self.max_cost,
            first_guess=first_guess,
        )


DEFAULT_LIMITS = Limits()
