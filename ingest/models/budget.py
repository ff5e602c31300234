"""How much a run may still ask and spend."""

from __future__ import annotations

import asyncio
from typing import Any

from ingest.models.prices import NO_USAGE, Price, Usage


class BudgetSpent(Exception):
    """The run reached --max-requests or --max-cost. What is in flight is finished and kept."""


class Budget:
    """Counts requests and US dollars, and admits a request only while both suffice.

    A request that has not come back yet is counted at the dearest one so far, so that with equal
    requests the sum never passes `max_cost`; only a reply dearer than all before it can.
    """

    def __init__(
        self,
        *,
        price: Price | None = None,
        max_requests: int | None = None,
        max_cost: float | None = None,
        first_guess: float = 0.0,
    ) -> None:
        if max_cost is not None and price is None:
            raise ValueError("max_cost needs a price")
        self.price = price
        self._max_requests = max_requests
        self._max_cost = max_cost
        self._dearest = first_guess
        self._in_flight = 0
        self._settled = asyncio.Event()
        self.requests = 0
        self.spent = 0.0

    async def admit(self) -> None:
        """Wait until one more request is affordable. Raises BudgetSpent when it will never be."""
        while True:
            if self._max_requests is not None and self.requests >= self._max_requests:
                raise BudgetSpent(f"--max-requests {self._max_requests} reached")
            reserved = self.spent + (self._in_flight + 1) * self._dearest
            if self._max_cost is None or reserved <= self._max_cost:
                break
            if self._in_flight == 0:
                raise BudgetSpent(f"--max-cost {self._max_cost:g} reached: {self.spent:.4f} spent")
            self._settled.clear()
            await self._settled.wait()
        self.requests += 1
        self._in_flight += 1

    def settle(self, usage: Usage) -> None:
        """Book one attempt that came back, successful or not."""
        self._in_flight -= 1
        cost = self.cost(usage)
        if cost:
            self.spent += cost
            self._dearest = max(self._dearest, cost)
        self._settled.set()

    def columns(self, usage: Usage) -> dict[str, Any]:
        """Tokens and cost as the raw layer keeps them; NULL where the server counted no tokens."""
        if usage == NO_USAGE:
            return {}
        return {
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "cost_usd": self.cost(usage),
        }

    def cost(self, usage: Usage) -> float | None:
        """US dollars of `usage`; None where the price table knows no price for the model."""
        return None if self.price is None else self.price.cost(usage)
