"""Quantities: a value with its unit, and those that are written out in words."""

from __future__ import annotations

import re

from udfs.equivalence import vocabulary as v
from udfs.equivalence.tree import Node, Num, Op, Sym, multiply, number
from udfs.equivalence.units import is_unit_word
from udfs.equivalence.words import spelled_number

_TEMPERATURES = {
    f"{degree} {scale}": scale
    for degree in ("degree", "degrees")
    for scale in ("celsius", "fahrenheit")
} | {"∘ c": "celsius", "∘ f": "fahrenheit"}


def with_unit(value: Node, unit: str) -> Node:
    name = unit.strip().lower().rstrip(".")
    first, _, rest = name.partition(" ")
    if first in v.MAGNITUDES:
        value = multiply((value, number(10 ** v.MAGNITUDES[first])))
        return with_unit(value, rest) if rest else value
    if name in ("percent", "pct", "percentage", "per cent", "percents"):
        return Op("percent", (value,))
    if name in _TEMPERATURES:
        return Op("unit", (value, Sym(_TEMPERATURES[name])))
    if name in ("degree", "degrees", "deg", "度"):
        return Op("deg", (value,))
    if name in ("radian", "radians", "rad"):
        return Op("unit", (value, Sym("radian")))
    if isinstance(value, Op) and value.head == "rel":
        sign, left, right = value.args
        return Op("rel", (sign, left, with_unit(right, unit)))
    return Op("unit", (value, Sym(unit.strip())))


_PART_OF_UNIT = re.compile(
    r"((?:(?:a|one|three)\s+)?(?:half|quarters?))\s+(?:of\s+)?an?\s+([a-z]+)", re.I
)


def quantity_in_words(text: str) -> Node | None:
    """`thirty-five percent`, `two hours`, `half an hour`; None where the text is nothing like it."""
    m = _PART_OF_UNIT.fullmatch(text)
    said, _, unit = (m[1], " ", m[2]) if m else text.rstrip(" .").rpartition(" ")
    if not is_unit_word(unit) and unit.lower() not in ("percent", "degrees"):
        return None
    value = spelled_number("a quarter" if said.lower() == "quarter" else said)
    return None if value is None else with_unit(Num(value), unit)
