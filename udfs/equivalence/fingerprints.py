"""Coarse fingerprints of answers: equivalent answers share one, so that only answers that share one are compared.

A fingerprint is made of the number of leaves of a structure and the magnitude of their sum, coarse enough for
roundings, percents, degrees and units; for words it is the words that may make two texts equal.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from udfs.equivalence import numeric, regions
from udfs.equivalence.shapes import is_equation, is_region, simplify
from udfs.equivalence.tree import Node, Num, Op, Sym, free_symbols
from udfs.equivalence.units import parse_unit
from udfs.equivalence.words import choice, content_words

Fingerprint: TypeAlias = tuple[object, ...]

# A decimal of three significant digits is off by half a percent at most; neighbours are shared.
BUCKET = 0.01
DIGITS = 15
# Where variables are, all of them get this value: renamed parameters keep their fingerprint.
POINT = "1.618734097"


def fingerprints(text: str, node: Node) -> set[Fingerprint]:
    """The fingerprints of an answer as written and as read."""
    node = simplify(node)
    found: set[Fingerprint] = set()
    letter = choice(text)
    if letter is not None:
        found.add(("choice", letter.letter))
        found.update(_of_words(letter.text))
    if isinstance(node, Op) and node.head == "text":
        found.update(_of_words(text))
        return found
    leaves, scales = _leaves(node)
    if leaves is None:
        found.add(("other",))
        return found
    total = sum(map(abs, leaves))
    for scale in scales:
        found.update((len(leaves), bucket) for bucket in _buckets(total * scale))
    return found


def _of_words(text: str) -> set[Fingerprint]:
    found = content_words(text)
    return {("text", w) for w in (*found[:1], *sorted(found)[:1], "".join(sorted("".join(found))))}


def _buckets(value: float) -> tuple[int | str, ...]:
    if value < 1e-300:
        return ("zero",)
    if not math.isfinite(value):
        return ("huge",)
    bucket = math.floor(math.log(value) / BUCKET)
    return (bucket - 1, bucket, bucket + 1)


def _leaves(node: Node) -> tuple[list[float] | None, set[float]]:
    """The values of the leaves, and the factors by which their unit may scale them; None where one has no value."""
    if isinstance(node, Op):
        if node.head == "named":
            return _leaves(simplify(node.args[1]))
        if is_equation(node):
            return _leaves(simplify(node.args[2]))
        if node.head == "percent":
            return _scaled(node.args[0], 0.01)
        if node.head == "deg":
            return _scaled(node.args[0], math.pi / 180)
        if node.head == "unit" and isinstance(node.args[1], Sym):
            unit = parse_unit(node.args[1].name)
            return _scaled(node.args[0], float(unit.size) if unit else 1.0)
        if node.head == "base" and isinstance(node.args[0], Sym):
            digits = node.args[0].name.lstrip("-")
            return ([float(digits[:300])], {1.0}) if digits.isdigit() else (None, set())
        if is_region(node):
            return _region_leaves(node)
        if node.head in ("list", "either", "both", "set", "matrix", "row", "seq"):
            return _all_leaves(node.args[2:] if node.head == "seq" else node.args)
    value = _value(node)
    return (None, set()) if value is None else ([value], {1.0})


def _scaled(node: Node, scale: float) -> tuple[list[float] | None, set[float]]:
    leaves, scales = _leaves(simplify(node))
    return leaves, {1.0, scale} | {s * scale for s in scales}


def _all_leaves(nodes: tuple[Node, ...]) -> tuple[list[float] | None, set[float]]:
    leaves: list[float] = []
    scales = {1.0}
    for node in nodes:
        found, more = _leaves(simplify(node))
        if found is None:
            return None, set()
        leaves += found
        scales |= more
    return leaves, scales


def _region_leaves(node: Node) -> tuple[list[float] | None, set[float]]:
    try:
        found, _ = regions.region(node)
    except regions.NoRegion:
        return None, set()
    return _all_leaves(tuple(end for i in found for end in (i.low, i.high)))


def _value(node: Node) -> float | None:
    if isinstance(node, Num):
        return float(node.value) if abs(node.value) < 10**300 else math.inf
    if node in (Sym("oo"), regions.MINUS_INFINITY):
        return 0.0
    try:
        point = {name: numeric.number(POINT) for name in free_symbols(node)}
        value = abs(numeric.evaluate(node, point, DIGITS))
        return float(value)
    except (numeric.Unevaluable, OverflowError, ValueError, TypeError):
        return None
