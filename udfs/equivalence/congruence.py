"""Residue classes: `congruent to 2 or 3 modulo 4`, `n ≡ 2, 3 (mod 4)`, `n = 4k + 2 or n = 4k + 3`."""

from __future__ import annotations

import re
from math import lcm

from udfs.equivalence import exact
from udfs.equivalence.tree import Node, Op, Sym

# Residue classes are compared one by one up to their common modulus.
MAX_MODULUS = 10_000

_STATEMENT = re.compile(
    r"(?:.*?(?:\\equiv|≡|congruent\s+to|residues?)\s*)?"
    r"(?P<residues>-?\d+(?:\s*(?:,|or|and|\\text\s*\{\s*(?:or|and)\s*\}|,\s*or|,\s*and)\s*-?\d+)*)"
    r"\s*(?:\\ |\\quad|\\;|\\,)*\s*\(?\s*(?:\\pmod|\\bmod|\\mod|\\text\s*\{\s*\(?mod\s*\}?|modulo|mod)"
    r"\s*\{?\s*(?P<modulus>\d{1,6})\s*\}?\s*\)?\s*\}?",
    re.DOTALL | re.I,
)
_INTEGER = re.compile(r"-?\d+")

Classes = tuple[int, frozenset[int]]


def of_text(text: str) -> Classes | None:
    """(modulus, residues) of a statement of congruence; None where the text is none."""
    if len(text) > 200 or "mod" not in text:
        return None
    m = _STATEMENT.fullmatch(text.replace("$", "").strip(" ."))
    if m is None or not 0 < int(m["modulus"]) <= MAX_MODULUS:
        return None
    modulus = int(m["modulus"])
    return modulus, frozenset(int(r) % modulus for r in _INTEGER.findall(m["residues"]))


def of_family(node: Node) -> Classes | None:
    """(modulus, residues) of expressions a·k + b with whole a, b and one parameter k; None for anything else."""
    items = (
        node.args
        if isinstance(node, Op) and node.head in ("list", "either", "both", "set")
        else (node,)
    )
    found = [_linear(item) for item in items]
    if not found or any(f is None for f in found):
        return None
    pairs = [f for f in found if f is not None]
    modulus = lcm(*(a for a, _ in pairs))
    if modulus > MAX_MODULUS:
        return None
    return modulus, frozenset(r for a, b in pairs for r in range(b % a, modulus, a))


def _linear(node: Node) -> tuple[int, int] | None:
    if isinstance(node, Op) and node.head == "rel" and node.args[0] == Sym("="):
        node = node.args[2]
    if isinstance(node, Op) and node.head not in ("add", "mul"):
        return None
    try:
        form = exact.normal_form(node)
    except (exact.Undefined, exact.TooLarge):
        return None
    slopes = [(m, c) for m, c in form.top.items() if m]
    offset = form.top.get(exact.UNIT, 0)
    if form.bottom != {exact.UNIT: 1} or len(slopes) != 1:
        return None
    monomial, slope = slopes[0]
    if (
        len(monomial) != 1
        or monomial[0][1] != 1
        or slope.denominator != 1
        or offset.denominator != 1
    ):
        return None
    if len(monomial[0][0]) != 1 or not slope:
        return None
    return abs(int(slope)), int(offset)


def same(a: Classes, b: Classes) -> bool:
    """Whether two unions of residue classes hold the same integers."""
    modulus = lcm(a[0], b[0])
    if modulus > MAX_MODULUS:
        return False
    x, y = ({r for r in range(modulus) if r % m in residues} for m, residues in (a, b))
    return x == y
