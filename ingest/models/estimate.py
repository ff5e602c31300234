"""What a run will cost, before the first request: counted in characters, hence rough."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.models.prices import Price, Usage

# Rough, and on the high side for English prose: no tokenizer is known for most models.
CHARS_PER_TOKEN = 3.5
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")  # about one token each
# Of a reply where no limit is set: the median of worked school solutions is well below.
TYPICAL_OUTPUT_TOKENS = 500


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, roughly."""
    wide = len(_WIDE.findall(text))
    return wide + round((len(text) - wide) / CHARS_PER_TOKEN)


@dataclass(frozen=True)
class Estimate:
    """Requests and tokens of a run if no request has to be repeated."""

    n_requests: int
    usage: Usage
    largest: Usage
    is_output_limited: bool

    @classmethod
    def of_requests(cls, requests: Iterable[tuple[str, int | None]]) -> Estimate:
        """From each request's text and its limit of output tokens."""
        n, total, largest, limited = 0, Usage(), Usage(), True
        for text, limit in requests:
            output = TYPICAL_OUTPUT_TOKENS if limit is None else limit
            usage = Usage(input_tokens=estimate_tokens(text), output_tokens=output)
            limited = limited and limit is not None
            n, total = n + 1, total + usage
            if usage.input_tokens + usage.output_tokens > (
                largest.input_tokens + largest.output_tokens
            ):
                largest = usage
        return cls(n, total, largest, limited)

    def dearest(self, price: Price | None) -> float:
        """US dollars of the largest request; 0 without a price."""
        return 0.0 if price is None else price.cost(self.largest)

    def lines(self, price: Price | None) -> list[str]:
        """For people: requests, tokens, cost."""
        bound = "at most" if self.is_output_limited else "about"
        lines = [
            f"{self.n_requests} requests, about {self.usage.input_tokens} input tokens, "
            f"{bound} {self.usage.output_tokens} output tokens"
        ]
        if price is None:
            lines.append("cost: unknown, as the price table has no row for the model")
        else:
            lines.append(
                f"cost: {bound} ${price.cost(self.usage):.4f} "
                f"(prices of {price.valid_from}; a follow-up's input grows by the first answer)"
            )
        return lines
