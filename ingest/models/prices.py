"""What a model's tokens cost: a dated table that users edit, and the cost of one reply by it."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

# The same file is a dbt seed, so that SQL and the estimate never disagree about a price.
PRICE_TABLE = Path(__file__).resolve().parents[2] / "dbt_project" / "seeds" / "model_prices.csv"

TOKENS_PER_PRICE = 1_000_000  # prices are per million tokens

# Providers name snapshots of a model by a date; an undated row prices them all.
SNAPSHOT_SUFFIX = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several calls. Cached tokens are part of input, reasoning part of output."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


NO_USAGE = Usage()


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens, from `valid_from` until the model's next row."""

    model: str
    valid_from: date
    input: float
    cached_input: float
    output: float

    def cost(self, usage: Usage) -> float:
        """US dollars. Cached input is charged at its own price and never also at the full one."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        return (
            (usage.input_tokens - cached) * self.input
            + cached * self.cached_input
            + usage.output_tokens * self.output
        ) / TOKENS_PER_PRICE


class PriceTable:
    """Prices by model and day."""

    def __init__(self, prices: list[Price]) -> None:
        self._prices = sorted(prices, key=lambda price: price.valid_from)

    @classmethod
    def read(cls, path: Path = PRICE_TABLE) -> PriceTable:
        """Read the CSV. Raises ValueError naming file and line of a row that cannot be read."""
        prices = []
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                try:
                    price_in = float(row["input_usd_per_million"])
                    prices.append(
                        Price(
                            model=row["model"].strip(),
                            valid_from=date.fromisoformat(row["valid_from"].strip()),
                            input=price_in,
                            cached_input=float(row["cached_input_usd_per_million"] or price_in),
                            output=float(row["output_usd_per_million"] or 0),
                        )
                    )
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    raise ValueError(f"{path}:{line}: not a price row: {error}") from error
        return cls(prices)

    def find(self, model: str, day: date) -> Price | None:
        """The price of `model` on `day`: its own latest row, else that of the undated name."""
        for name in (model, SNAPSHOT_SUFFIX.sub("", model)):
            valid = [p for p in self._prices if p.model == name and p.valid_from <= day]
            if valid:
                return valid[-1]
        return None
