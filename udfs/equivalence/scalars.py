"""Equality of two expressions: exact forms first, then fixed high-precision points, then the workers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from udfs.equivalence import ellipsis, exact, numeric, workers
from udfs.equivalence.limits import MAX_PRODUCT_FACTORS
from udfs.equivalence.series import has_sequence
from udfs.equivalence.tree import Node, Num, Op, Sym, free_symbols, heads
from udfs.policy import Policy

# Fewer significant digits say too little: 0.3 is not one third.
MIN_ROUNDED_DIGITS = 3
# A decimal cut off instead of rounded, or a decimal for a longer decimal, has to show more.
MIN_TRUNCATED_DIGITS = 4


class Decided:
    """Collects how a verdict was reached: the strongest means that was needed."""

    RANK = ("exact", "normalised", "numeric", "symbolic", "timeout", "error")
    __slots__ = ("method", "open")

    def __init__(self) -> None:
        self.method = "normalised"
        self.open = False  # something stayed undecided

    def note(self, method: str) -> None:
        if self.RANK.index(method) > self.RANK.index(self.method):
            self.method = method


def same_value(a: Node, b: Node, policy: Policy, how: Decided) -> bool | None:
    """Whether two expressions without units are equal under the policy; None where it stays open."""
    if isinstance(a, Num) and isinstance(b, Num):
        if a.value == b.value:
            return True
        if (a.places or b.places) and _close(a, b, a.value, b.value, policy):
            how.note("numeric")
            return True
        return bool(policy.absolute_tolerance) and _close(a, b, a.value, b.value, policy)
    verdict = _identical(a, b, how)
    if verdict is not True and (
        isinstance(a, Num) or isinstance(b, Num) or _has_decimal(a) or _has_decimal(b)
    ):
        close = _nearly(a, b, policy)
        if close is not None and close:
            how.note("numeric")
            return True
    return verdict


def _same_with_dots(a: Node, b: Node, how: Decided) -> bool | None:
    """Equality of two formulas with dots: for each of a few lengths. None where the dots follow no rule."""
    lasts = ellipsis.last_indices(a) & ellipsis.last_indices(b)
    if len(lasts) != 1:
        return None
    last = lasts.pop()
    for length in ellipsis.LENGTHS:
        x, y = (ellipsis.written_out(node, last, length) for node in (a, b))
        if x is None or y is None or ellipsis.has_dots(x) or ellipsis.has_dots(y):
            return None
        verdict = _identical(x, y, how)
        if not verdict:
            return verdict
    how.note("numeric")
    return True


def _identical(a: Node, b: Node, how: Decided) -> bool | None:
    if ellipsis.has_dots(a) and ellipsis.has_dots(b) and a != b:
        return _same_with_dots(a, b, how)
    ha, hb = heads(a), heads(b)
    logs = ("fn:log" in ha) != ("fn:log" in hb)
    verdict = _identical_once(a, b, how)
    if verdict is not True and logs:  # a bare log is either the natural or the common one
        for name in ("fn:ln", "fn:lg"):
            if _identical_once(_rename(a, "fn:log", name), _rename(b, "fn:log", name), how):
                return True
    return verdict


def _rename(node: Node, old: str, new: str) -> Node:
    if not isinstance(node, Op):
        return node
    args = tuple(_rename(x, old, new) for x in node.args)
    return Op(new if node.head == old and len(args) == 1 else node.head, args)


def _identical_once(a: Node, b: Node, how: Decided) -> bool | None:
    try:
        verdict = exact.equal(exact.normal_form(a), exact.normal_form(b))
    except exact.Undefined:
        return False
    except (exact.TooLarge, RecursionError, OverflowError, MemoryError):
        verdict = None
    if verdict is not None:
        return verdict
    how.note("numeric")
    verdict = numeric.agree(a, b)
    if verdict is not None:
        return verdict or numeric.agree_at_integers(a, b)
    if not (numeric.is_calculus(a) or numeric.is_calculus(b)) or has_sequence(a) or has_sequence(b):
        return None
    if _is_endless(a) or _is_endless(b):
        return None
    answer = workers.equal(a, b)
    how.note(answer.method)
    return answer.verdict


def _is_endless(node: Node) -> bool:
    """Whether a product has so many factors that computer algebra would not come to its end."""
    if not isinstance(node, Op):
        return False
    if node.head == "prod" and isinstance(node.args[2], Num) and isinstance(node.args[3], Num):
        return node.args[3].value - node.args[2].value > MAX_PRODUCT_FACTORS
    return any(map(_is_endless, node.args))


def _has_decimal(node: Node) -> bool:
    if isinstance(node, Num):
        return node.places is not None
    return isinstance(node, Op) and any(_has_decimal(x) for x in node.args)


def _nearly(a: Node, b: Node, policy: Policy) -> bool | None:
    """Whether one is the other written as a rounded decimal; None where one has no value."""
    calculus = numeric.is_calculus(a) or numeric.is_calculus(b)
    if not calculus and (free_symbols(a) or free_symbols(b)):
        return None
    if not _has_decimal(a) | _has_decimal(b):
        return None
    try:
        x, y = _real_value(a), _real_value(b)
    except numeric.Unevaluable:
        return None
    return _close(a, b, x, y, policy)


def _real_value(node: Node) -> Fraction:
    if isinstance(node, Num):
        return node.value
    try:
        value: Any = numeric.constant(node)
    except numeric.Unevaluable:
        if not numeric.is_calculus(node) or _is_endless(node) or has_sequence(node):
            raise
        found = workers.value(node)
        if found is None:
            raise
        return found
    if isinstance(value, numeric._context().mpc):
        if abs(value.imag) > abs(value) * 1e-30:
            raise numeric.Unevaluable("complex")
        value = value.real
    if numeric._context().isinf(value) or numeric._context().isnan(value):
        raise numeric.Unevaluable("infinite")
    if abs(numeric._context().mag(value)) > 4_000:
        raise numeric.Unevaluable("out of range")
    return numeric.fraction_of(value)


def _close(a: Node, b: Node, x: Fraction, y: Fraction, policy: Policy) -> bool:
    """Whether two different values are equal by the tolerances and roundings of the policy."""
    difference = abs(x - y)
    if policy.absolute_tolerance and difference <= Fraction(policy.absolute_tolerance):
        return True
    if not (_has_decimal(a) or _has_decimal(b)):
        return False
    near = bool(x and y) and difference <= Fraction(policy.relative_tolerance) * min(abs(x), abs(y))
    if near and not (
        x.denominator == 1 and y.denominator == 1
    ):  # two whole numbers are never close
        return True
    if not policy.rounding:
        return False
    pa = a.places if isinstance(a, Num) else None
    pb = b.places if isinstance(b, Num) else None
    if pa is not None and pb is not None:
        if pa == pb:
            return False
        short, shown, long = (x, pa, y) if pa < pb else (y, pb, x)
        return significant(short, shown) >= MIN_TRUNCATED_DIGITS and _rounds_to(long, short, shown)
    places = pa if pa is not None else pb
    if places is None:
        return False
    decimal, other = (x, y) if pa is not None else (y, x)
    if other.denominator == 1 or places <= 0:
        return False
    digits = significant(decimal, places)
    if digits < MIN_ROUNDED_DIGITS:
        return False
    if _rounds_to(other, decimal, places):
        return True
    towards_zero = abs(decimal) < abs(other) and abs(other) - abs(decimal) < Fraction(1, 10**places)
    return towards_zero and digits >= MIN_TRUNCATED_DIGITS and decimal * other > 0


def _rounds_to(value: Fraction, decimal: Fraction, places: int) -> bool:
    return abs(value - decimal) * 2 * Fraction(10) ** places <= 1


def significant(value: Fraction, places: int) -> int:
    """Significant digits of a decimal written with so many places."""
    scaled = abs(value) * Fraction(10) ** places
    return len(str(scaled.numerator // scaled.denominator)) if scaled else 0


def key(node: Node) -> str:
    """A text that is equal only for equal expressions, and equal for most of them."""
    try:
        return exact.text(exact.normal_form(node))
    except (exact.Undefined, exact.TooLarge, RecursionError, OverflowError, MemoryError):
        return structure(node)


def structure(node: Node) -> str:
    """The tree as text, with the terms of sums and products in one order."""
    if isinstance(node, Num):
        return str(node.value)
    if isinstance(node, Sym):
        return node.name
    parts = [structure(x) for x in node.args]
    if node.head in ("add", "mul"):
        parts.sort()
    return f"{node.head}({','.join(parts)})"
