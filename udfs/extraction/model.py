"""What an extraction is."""

from __future__ import annotations

from typing import NamedTuple


class Extraction(NamedTuple):
    """The final answer of one reply.

    answer: the text of the answer, None where the reply states none.
    method: the rule that found it, or why there is none.
    is_truncated: the reply stops before it ends, as one cut off by its token limit does.
    """

    answer: str | None
    method: str
    is_truncated: bool
