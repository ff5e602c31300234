"""The judge's stable entry points: does this answer, or this whole reply, equal the gold answer?

Both decide under the default policy, are pure and total, and say False where they cannot decide; the
verdict with its method is `udfs.equivalence.judge`.
"""

from __future__ import annotations

from udfs import equivalence
from udfs.extraction import answer_form, extract, reduce_gold
from udfs.policy import DEFAULT

_SPEC = DEFAULT.spec()


def equivalent(gold: str | None, answer: str | None) -> bool:
    """Whether a short answer is equivalent to the gold answer.

    On either side a whole worked solution counts as the answer it ends in. Without a gold, or without
    an answer, nothing is.
    """
    if gold is None or answer is None:
        return False
    # An answer of several boxes is their list; a gold with several boxes is a solution that ends in the last.
    short = answer if "\\boxed" in answer else reduce_gold(answer)
    return equivalence.judge(reduce_gold(gold), short, _SPEC).verdict is True


def grade(gold: str | None, response: str | None) -> bool:
    """Whether the final answer of a whole reply is equivalent to the gold answer; no reply is not."""
    if gold is None or response is None:
        return False
    extraction = extract(response, _SPEC, answer_form(gold))
    return extraction.answer is not None and equivalent(gold, extraction.answer)
