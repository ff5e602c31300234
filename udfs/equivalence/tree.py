"""The immutable tree that an answer is read into, and the constructors that fold numbers as it grows.

A node is a number, a symbol or an operation. Operations are named by their head:
  arithmetic  add, mul, pow, abs, factorial, fn:<name>, deg, percent, pm, mp, sum, prod, int, lim
  structure   seq (open bracket, close bracket, items…), set, such, list, matrix, row, system, union, inter, minus
  statement   rel (operator, left, right), chain, named, unit, text, ratio, base, time
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from udfs.equivalence.limits import MAX_BITS


class Num(NamedTuple):
    """An exact number. `places`: the decimals it was written with, None where it was not a decimal."""

    value: Fraction
    places: int | None = None


class Sym(NamedTuple):
    """A variable, a constant (`pi`, `ℯ`, `ⅈ`, `oo`) or a word."""

    name: str


class Op(NamedTuple):
    """An operation over other nodes."""

    head: str
    args: tuple[Node, ...]


Node: TypeAlias = Num | Sym | Op

ZERO = Num(Fraction(0))
ONE = Num(Fraction(1))
HALF = Num(Fraction(1, 2))
INFINITY = Sym("oo")
CONSTANTS = frozenset({"pi", "ℯ", "ⅈ", "oo", "undefined"})
UNDEFINED = Sym("undefined")


def number(value: int | Fraction) -> Num:
    return Num(Fraction(value))


def negate(node: Node) -> Node:
    if isinstance(node, Num):
        return Num(-node.value, node.places)
    if isinstance(node, Op) and node.head in ("deg", "percent", "minutes"):
        return Op(node.head, (negate(node.args[0]),))
    if isinstance(node, Op) and node.head == "base" and isinstance(node.args[0], Sym):
        digits = node.args[0].name
        return Op(
            "base", (Sym(digits[1:] if digits.startswith("-") else "-" + digits), node.args[1])
        )
    return multiply((Num(Fraction(-1)), node))


def add(nodes: tuple[Node, ...]) -> Node:
    """The sum; numbers are folded, sums in sums are flattened."""
    if len(nodes) == 1:
        return nodes[0]
    total = Fraction(0)
    places: int | None = None
    rest: list[Node] = []
    for node in nodes:
        if isinstance(node, Num):
            total += node.value
            if node.places is not None:
                places = max(places or 0, node.places)
        elif isinstance(node, Op) and node.head == "add":
            rest.extend(node.args)
        else:
            rest.append(node)
    if not rest:
        return Num(total, places)
    if total:
        rest.append(Num(total, places))
    return rest[0] if len(rest) == 1 else Op("add", tuple(rest))


def multiply(nodes: tuple[Node, ...]) -> Node:
    """The product; numbers are folded, products in products are flattened."""
    if len(nodes) == 1:
        return nodes[0]
    factor = Num(Fraction(1))
    rest: list[Node] = []
    for node in nodes:
        if isinstance(node, Num):
            factor = _multiply_numbers(factor, node)
        elif isinstance(node, Op) and node.head == "mul":
            for inner in node.args:
                if isinstance(inner, Num):
                    factor = _multiply_numbers(factor, inner)
                else:
                    rest.append(inner)
        else:
            rest.append(node)
    if not rest:
        return factor
    if factor.value != 1:
        rest.insert(0, factor)
    return rest[0] if len(rest) == 1 else Op("mul", tuple(rest))


def _multiply_numbers(a: Num, b: Num) -> Num:
    """The product; a decimal keeps the digits it was written with under a shift by a power of ten."""
    value = a.value * b.value
    if a.places is None and b.places is None:
        return Num(value)
    if abs(a.value) == 1 and a.places is None:
        return Num(value, b.places)
    if abs(b.value) == 1 and b.places is None:
        return Num(value, a.places)
    for decimal, other in ((a, b), (b, a)):
        shift = power_of_ten(other.value) if other.places is None else None
        if decimal.places is not None and shift is not None:
            return Num(value, decimal.places - shift)
    return Num(value)


def power_of_ten(value: Fraction) -> int | None:
    """n where value = 10^n, else None."""
    n, d = value.numerator, value.denominator
    if d == 1 and n > 0:
        text = str(n) if n.bit_length() < 10_000 else ""
        return len(text) - 1 if text.strip("0") == "1" else None
    if n == 1:
        text = str(d) if d.bit_length() < 10_000 else ""
        return 1 - len(text) if text.strip("0") == "1" else None
    return None


def divide(a: Node, b: Node) -> Node:
    if isinstance(b, Num) and b.value == 0:
        return UNDEFINED
    return multiply((a, power(b, Num(Fraction(-1)))))


def power(base: Node, exponent: Node) -> Node:
    """The power; folded where base and exponent are numbers and the result is a number of bounded size."""
    if isinstance(exponent, Num):
        e = exponent.value
        if e == 1:
            return base
        if isinstance(base, Num):
            folded = _power_of_number(base.value, e)
            if folded is not None:
                return folded
    return Op("pow", (base, exponent))


def _power_of_number(base: Fraction, e: Fraction) -> Node | None:
    if e.denominator != 1:
        return ONE if base == 1 else ZERO if base == 0 and e > 0 else _exact_root(base, e)
    n = e.numerator
    if base == 0:
        return UNDEFINED if n <= 0 else ZERO
    if base in (1, -1):
        return Num(base if n % 2 else Fraction(1))
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if n.bit_length() > 40 or bits * abs(n) > MAX_BITS:
        return None
    return Num(base**n)


def _exact_root(base: Fraction, e: Fraction) -> Node | None:
    """base^e where it is rational: (4/9)^(1/2) = 2/3."""
    k = e.denominator
    if base < 0 or k > 64 or base.numerator.bit_length() > 4_000:
        return None
    top, bottom = _integer_root(base.numerator, k), _integer_root(base.denominator, k)
    if top is None or bottom is None or top == 0 or bottom == 0:
        return None
    return _power_of_number(Fraction(top, bottom), Fraction(e.numerator))


def _integer_root(n: int, k: int) -> int | None:
    if k == 2:
        root = math.isqrt(n)
    else:
        root = 1 << -(-n.bit_length() // k)
        while True:  # Newton's method from above ends at the floor of the root
            lower = ((k - 1) * root + n // root ** (k - 1)) // k
            if lower >= root:
                break
            root = lower
    return root if root**k == n else None


def call(name: str, *args: Node) -> Node:
    return Op("fn:" + name, args)


# Operations of a body, the variable they bind, and its ends: Σ, Π, ∫, lim.
BINDERS = frozenset(("sum", "prod", "int", "lim"))


def free_symbols(node: Node) -> frozenset[str]:
    """The names of the variables in a node, without those that a sum, integral or limit binds."""
    if isinstance(node, Sym):
        return frozenset() if node.name in CONSTANTS else frozenset({node.name})
    if isinstance(node, Num):
        return frozenset()
    if node.head in BINDERS and len(node.args) > 2:
        body, index, *ends = node.args
        free = free_symbols(body) - free_symbols(index)
        return free.union(*(free_symbols(a) for a in ends))
    return frozenset().union(*(free_symbols(a) for a in node.args))


def heads(node: Node) -> set[str]:
    """The heads of all operations in a node."""
    found: set[str] = set()
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Op):
            found.add(top.head)
            stack.extend(top.args)
    return found


def has_symbol(node: Node, name: str) -> bool:
    if isinstance(node, Sym):
        return node.name == name
    return isinstance(node, Op) and any(has_symbol(a, name) for a in node.args)


def substitute(node: Node, values: dict[str, Node]) -> Node:
    """The node with variables replaced; numbers are folded again."""
    if isinstance(node, Sym):
        return values.get(node.name, node)
    if isinstance(node, Num):
        return node
    return rebuild(node.head, tuple(substitute(a, values) for a in node.args))


def rebuild(head: str, args: tuple[Node, ...]) -> Node:
    if head == "add":
        return add(args)
    if head == "mul":
        return multiply(args)
    if head == "pow":
        return power(*args)
    return Op(head, args)
