"""Sets of real numbers: intervals, inequalities, unions, set-builder forms, all as one sorted list of intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

from udfs.equivalence import numeric
from udfs.equivalence.tree import INFINITY, Node, Num, Op, Sym, free_symbols, negate


class Interval(NamedTuple):
    low: Node
    high: Node
    low_closed: bool
    high_closed: bool


Region = tuple[Interval, ...]
MINUS_INFINITY = negate(INFINITY)
ALL: Region = (Interval(MINUS_INFINITY, INFINITY, False, False),)
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!=", "~": "~"}
_SIGNS = frozenset(_FLIPPED)


class NoRegion(Exception):
    """The node is not a set of real numbers."""


def region(node: Node) -> tuple[Region, str | None]:
    """The intervals of a node, and the variable it speaks of (None for a set). Raises NoRegion."""
    if isinstance(node, Sym):
        if node.name in ("ℝ", "R"):
            return ALL, None
        if node.name in ("ℝ^+", "ℝ_{>0}", "ℝ_>0", "ℝ_+"):
            return (Interval(Num(0 * _one()), INFINITY, False, False),), None
        raise NoRegion
    if isinstance(node, Num):
        raise NoRegion
    head = node.head
    if head == "seq":
        return (_interval(node),), None
    if head == "set":
        return tidy(tuple(_point(a) for a in node.args)), None
    if head in ("union", "inter", "minus"):
        parts = [region(a) for a in node.args]
        regions = [p[0] for p in parts]
        name = next((p[1] for p in parts if p[1]), None)
        if head == "union":
            return tidy(tuple(i for r in regions for i in r)), name
        out = regions[0]
        for r in regions[1:]:
            out = intersect(out, r if head == "inter" else complement(r))
        return out, name
    if head == "such":
        return _such(node)
    if head in ("list", "either", "both"):
        return _joined(node)
    if head == "rel":
        return _relation(node)
    if head == "chain":
        return _chain(node)
    raise NoRegion


def _one() -> Any:
    from fractions import Fraction

    return Fraction(1)


def _interval(node: Op) -> Interval:
    opening, closing = node.args[0], node.args[1]
    items = node.args[2:]
    if len(items) != 2 or opening not in (Sym("("), Sym("[")):
        raise NoRegion
    low, high = items
    if any(isinstance(x, Op) and x.head in ("seq", "set", "rel", "unit", "list") for x in items):
        raise NoRegion
    return Interval(low, high, opening == Sym("["), closing == Sym("]"))


def _point(node: Node) -> Interval:
    if isinstance(node, Op) and node.head in ("seq", "set", "rel", "text", "list", "named"):
        raise NoRegion
    return Interval(node, node, True, True)


def _joined(node: Op) -> tuple[Region, str | None]:
    """Several conditions: `or` and commas unite, `and` intersects where that leaves anything."""
    parts = []
    name: str | None = None
    for a in node.args:
        if not (isinstance(a, Op) and a.head in ("rel", "chain", "union", "such", "seq", "inter")):
            raise NoRegion
        r, n = region(a)
        if n is not None and name is not None and n != name:
            raise NoRegion
        name = n or name
        parts.append(r)
    if (node.head == "both" and name is not None) or (node.head == "list" and _all_excluded(node)):
        out = parts[0]
        for r in parts[1:]:
            out = intersect(out, r)
        if out:
            return out, name
    return tidy(tuple(i for r in parts for i in r)), name


def _all_excluded(node: Op) -> bool:
    return any(isinstance(a, Op) and a.head == "rel" and a.args[0] == Sym("!=") for a in node.args)


def _such(node: Op) -> tuple[Region, str | None]:
    subject, *conditions = node.args
    out = ALL
    if isinstance(subject, Op) and subject.head == "rel" and subject.args[0] == Sym("in"):
        out = region(subject.args[2])[0]
        subject = subject.args[1]
    if not isinstance(subject, Sym) or not conditions:
        raise NoRegion
    for condition in conditions:
        r, name = region(condition)
        if name != subject.name:
            raise NoRegion
        out = intersect(out, r)
    return out, None


def _relation(node: Op) -> tuple[Region, str | None]:
    sign, left, right = node.args
    assert isinstance(sign, Sym)
    if sign.name == "in":
        if isinstance(left, Sym):
            return region(right)[0], left.name
        raise NoRegion
    if sign.name == "notin" and isinstance(left, Sym):
        return complement(region(right)[0]), left.name
    if sign.name not in _SIGNS:
        raise NoRegion
    name = sign.name
    if _is_variable(right) and not _is_variable(left):
        left, right, name = right, left, _FLIPPED[name]
    if (
        isinstance(left, Op)
        and left.head == "abs"
        and isinstance(left.args[0], Sym)
        and _is_constant(right)
    ):
        return _absolute(name, right), left.args[0].name
    if not _is_variable(left) or not _is_constant(right, but=left):
        raise NoRegion
    subject = left.name if isinstance(left, Sym) else "f"
    if isinstance(right, Op) and right.head == "unit":
        right = right.args[0]
    return _half_line(name, right), None if subject == "_" else subject


def _absolute(sign: str, bound: Node) -> Region:
    inside = (Interval(negate(bound), bound, sign == "<=", sign == "<="),)
    if sign in ("<", "<="):
        return inside
    if sign in (">", ">="):
        closed = sign == ">="
        return (
            Interval(MINUS_INFINITY, negate(bound), False, closed),
            Interval(bound, INFINITY, closed, False),
        )
    raise NoRegion


def _half_line(sign: str, bound: Node) -> Region:
    if sign == "<" or sign == "<=":
        return (Interval(MINUS_INFINITY, bound, False, sign == "<="),)
    if sign == ">" or sign == ">=":
        return (Interval(bound, INFINITY, sign == ">=", False),)
    if sign == "!=":
        return (
            Interval(MINUS_INFINITY, bound, False, False),
            Interval(bound, INFINITY, False, False),
        )
    return (Interval(bound, bound, True, True),)


def _is_variable(node: Node) -> bool:
    if isinstance(node, Op) and node.head.startswith("fn:") and len(node.head) == 4:
        return all(isinstance(x, Sym) for x in node.args)
    return isinstance(node, Sym) and node.name not in ("pi", "oo", "undefined")


def _is_constant(node: Node, but: Node | None = None) -> bool:
    if isinstance(node, Op) and node.head in (
        "seq",
        "set",
        "list",
        "text",
        "rel",
        "named",
        "matrix",
    ):
        return False
    return not (isinstance(but, Sym) and but.name in free_symbols(node))


def _chain(node: Op) -> tuple[Region, str | None]:
    """`a < x ≤ b`."""
    if len(node.args) != 5:
        raise NoRegion
    low, s1, middle, s2, high = node.args
    assert isinstance(s1, Sym) and isinstance(s2, Sym)
    name = middle.name if isinstance(middle, Sym) else "f" if _is_variable(middle) else None
    if name is None or not _is_constant(low, middle) or not _is_constant(high, middle):
        raise NoRegion
    up, down = {"<", "<="}, {">", ">="}
    if {s1.name, s2.name} <= up:
        return (Interval(low, high, s1.name == "<=", s2.name == "<="),), name
    if {s1.name, s2.name} <= down:
        return (Interval(high, low, s2.name == ">=", s1.name == ">="),), name
    raise NoRegion


# --- arithmetic of regions: only where all ends are numbers ----------------------------------------------------


def _value(node: Node) -> Any:
    if free_symbols(node):
        raise NoRegion
    if node == MINUS_INFINITY:
        return numeric._context().ninf
    try:
        value = numeric.constant(node)
    except numeric.Unevaluable as error:
        raise NoRegion from error
    if hasattr(value, "imag") and value.imag:
        raise NoRegion
    return value.real if hasattr(value, "real") else value


def tidy(intervals: Region) -> Region:
    """Sorted, with overlapping and touching intervals joined; as given where an end is no number."""
    if len(intervals) < 2:
        return intervals
    try:
        keyed = sorted(
            ((_value(i.low), not i.low_closed, _value(i.high), i) for i in intervals),
            key=lambda k: k[:3],
        )
    except NoRegion:
        return intervals
    out: list[tuple[Any, Interval]] = []
    for _, _, high, i in keyed:
        if out:
            last_high, last = out[-1]
            low = _value(i.low)
            if low < last_high or (low == last_high and (i.low_closed or last.high_closed)):
                if high > last_high:
                    out[-1] = (high, last._replace(high=i.high, high_closed=i.high_closed))
                elif high == last_high and i.high_closed and not last.high_closed:
                    out[-1] = (high, last._replace(high_closed=True))
                continue
        out.append((high, i))
    return tuple(i for _, i in out)


def complement(r: Region) -> Region:
    """The real numbers outside a tidy region."""
    out = []
    low, closed = MINUS_INFINITY, False
    for i in tidy(r):
        if i.low != MINUS_INFINITY:
            out.append(Interval(low, i.low, closed, not i.low_closed))
        low, closed = i.high, not i.high_closed
    if low != INFINITY:
        out.append(Interval(low, INFINITY, closed, False))
    return tuple(out)


def intersect(a: Region, b: Region) -> Region:
    if a == ALL:
        return b
    if b == ALL:
        return a
    out = []
    for x in a:
        for y in b:
            low, low_closed = _tighter(x.low, x.low_closed, y.low, y.low_closed, 1)
            high, high_closed = _tighter(x.high, x.high_closed, y.high, y.high_closed, -1)
            lo, hi = _value(low), _value(high)
            if lo < hi or (lo == hi and low_closed and high_closed):
                out.append(Interval(low, high, low_closed, high_closed))
    return tidy(tuple(out))


def _tighter(a: Node, a_closed: bool, b: Node, b_closed: bool, direction: int) -> tuple[Node, bool]:
    x, y = _value(a), _value(b)
    if x == y:
        return a, a_closed and b_closed
    return (a, a_closed) if (x > y) == (direction > 0) else (b, b_closed)
