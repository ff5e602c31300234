"""Values of sums and products, term by term; and what plainly grows beyond all bounds.

Finite ones are added up. An infinite sum has a value here where its terms shrink at least as a geometric sequence does,
so that what is left out is smaller than the digits asked for. Slower ones are for computer algebra.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from udfs.equivalence.limits import MAX_SUMMED_TERMS
from udfs.equivalence.tree import Node, Op, Sym

# Terms are looked at in windows, so that single zeros and changing signs do not matter.
WINDOW = 16
# From one window to the next the largest term has to shrink to this share of it.
SHRINKS_TO = 0.5
# After so many windows a sum that does not shrink yet is given up; 10^n / n! has begun to.
MAX_GROWING_WINDOWS = 8
# Terms below this may be the rounding errors of zeros: sin nπ.
SMALLEST_PEAK = "1e-25"
# What does not get smaller at these places has no finite total.
FAR_PLACES = (10**3, 10**6, 10**9)

Term = Callable[[Any], Any]


class NoValue(Exception):
    """The value cannot be had term by term."""


def finite(head: str, term: Term, first: int, last: int, ctx: Any) -> tuple[Any, Any]:
    """A sum or product over whole numbers, and its largest term. Raises NoValue where it is too long."""
    if last - first >= MAX_SUMMED_TERMS:
        raise NoValue("too many terms")
    out, peak = ctx.mpf(0 if head == "sum" else 1), ctx.mpf(0)
    for n in range(first, last + 1):
        t = term(ctx.mpf(n))
        peak = max(peak, abs(t))
        out = out + t if head == "sum" else out * t
    return out, peak


def infinite_sum(term: Term, first: int, ctx: Any) -> tuple[Any, Any]:
    """The sum from `first` on, and its largest term. Raises NoValue where its terms do not shrink, or slowly."""
    total, peak, shrinking = ctx.mpf(0), ctx.mpf(0), 0
    before = None
    for start in range(first, first + MAX_SUMMED_TERMS, WINDOW):
        terms = [term(ctx.mpf(n)) for n in range(start, start + WINDOW)]
        largest = max(map(abs, terms))
        total = sum(terms, total)
        peak = max(peak, largest)
        is_shrinking = before is not None and largest <= before * SHRINKS_TO
        shrinking = shrinking + 1 if is_shrinking else 0
        # All that follows is at most as much as one more window of terms like the largest of the last.
        if shrinking >= 2 and largest * WINDOW <= max(abs(total), peak) * ctx.eps:
            if peak < ctx.mpf(SMALLEST_PEAK):
                raise NoValue("terms that may be zeros")
            return total, peak
        if not shrinking and start - first >= MAX_GROWING_WINDOWS * WINDOW:
            break
        before = largest
    raise NoValue("terms that shrink slowly, or not at all")


def grown(term: Term, towards: int, ctx: Any) -> Any:
    """Infinity with the sign of what does not get smaller far out (towards: 1 or -1). Raises NoValue otherwise."""
    values = [term(ctx.mpf(towards * place)) for place in FAR_PLACES]
    if any(isinstance(v, ctx.mpc) or ctx.isnan(v) or v == 0 for v in values):
        raise NoValue("no real terms")
    sizes = [abs(v) for v in values]
    signs = {v > 0 for v in values}
    if len(signs) > 1 or sizes != sorted(sizes):
        raise NoValue("terms that shrink slowly")
    return ctx.inf if signs == {True} else -ctx.inf


def has_sequence(node: Node, indices: frozenset[str] = frozenset()) -> bool:
    """Whether a sum runs over terms of an unknown sequence, as Σ F_k does."""
    if isinstance(node, Sym):
        return any(i in node.name.partition("_")[2] for i in indices)
    if not isinstance(node, Op):
        return False
    if node.head in ("sum", "prod") and isinstance(node.args[1], Sym):
        indices = indices | {node.args[1].name}
        return has_sequence(node.args[0], indices)
    return any(has_sequence(x, indices) for x in node.args)
