"""Units of measurement: what the words after a number mean, and how one unit turns into another."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from udfs.equivalence.tree import ONE, Node, Num, Op, Sym, multiply

# dimension: {unit: size in the base unit of the dimension}
_SIZES: dict[str, dict[str, Fraction | int]] = {
    "length": {
        "mm": Fraction(1, 1000), "cm": Fraction(1, 100), "dm": Fraction(1, 10), "m": 1, "km": 1000,
        "in": Fraction(254, 10000), "ft": Fraction(3048, 10000), "yd": Fraction(9144, 10000),
        "mi": Fraction(1609344, 1000), "nm": Fraction(1, 10**9), "um": Fraction(1, 10**6),
    },
    "mass": {
        "mg": Fraction(1, 1000), "g": 1, "kg": 1000, "t": 10**6, "lb": Fraction(45359237, 100000),
        "oz": Fraction(45359237, 1600000),
    },
    "time": {
        "ms": Fraction(1, 1000), "s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800,
        "month": Fraction(31556952, 12), "year": 31556952,
    },
    "volume": {
        "ml": Fraction(1, 1000), "cl": Fraction(1, 100), "l": 1, "gal": Fraction(3785411784, 10**9),
        "qt": Fraction(946352946, 10**9), "pint": Fraction(473176473, 10**9),
    },
    "money": {"dollar": 1, "cent": Fraction(1, 100)},
    "euro": {
        "euro": 1}, "pound sterling": {"gbp": 1}, "yuan": {"yuan": 1}, "rupee": {"rupee": 1},
        "yen": {"yen": 1,
    },
    "force": {"n": 1, "kn": 1000}, "energy": {"j": 1, "kj": 1000}, "power": {"w": 1, "kw": 1000},
    "temperature": {
        "celsius": 1}, "fahrenheit": {"fahrenheit": 1}, "kelvin": {"kelvin": 1},
        "voltage": {"v": 1}, "current": {"amp": 1,
    },
    "resistance": {"ohm": 1, "kohm": 1000},
    "frequency": {"hz": 1}, "pressure": {"pa": 1, "kpa": 1000},
    "angle": {"degree": 1}, "radian": {"radian": 1}, "share": {"percent": 1},
}  # fmt: skip
_NAMES = {
    "millimeter": "mm", "millimetre": "mm", "centimeter": "cm", "centimetre": "cm",
    "decimeter": "dm", "decimetre": "dm",
    "meter": "m", "metre": "m", "kilometer": "km", "kilometre": "km", "inch": "in", "inche": "in",
    "foot": "ft", "feet": "ft",
    "yard": "yd", "mile": "mi", "nanometer": "nm", "micrometer": "um", "milligram": "mg",
    "gram": "g", "gramme": "g", "kilogram": "kg", "kilo": "kg",
    "ton": "t", "tonne": "t", "pound": "lb", "lbs": "lb", "ounce": "oz", "millisecond": "ms",
    "second": "s", "sec": "s", "minute": "min", "mins": "min",
    "hour": "h", "hr": "h", "hrs": "h", "secs": "s", "milliliter": "ml", "millilitre": "ml",
    "centiliter": "cl", "liter": "l", "litre": "l", "gallon": "gal", "quart": "qt",
    "usd": "dollar", "buck": "dollar", "¢": "cent", "penny": "cent", "pence": "cent", "€": "euro",
    "eur": "euro", "£": "gbp", "rmb": "yuan", "元": "yuan", "¥": "yuan",
    "newton": "n", "kilonewton": "kn", "joule": "j", "kilojoule": "kj", "watt": "w",
    "kilowatt": "kw", "volt": "v", "ampere": "amp", "hertz": "hz", "pascal": "pa",
    "°c": "celsius", "°f": "fahrenheit", "deg": "degree", "rad": "radian", "pct": "percent",
    "rs": "rupee", "₹": "rupee", "omega": "ohm", "kiloohm": "kohm", "kilohm": "kohm", "komega": "kohm",
    "mph": "mi/h", "kph": "km/h", "kmh": "km/h", "kmph": "km/h", "fps": "ft/s", "cc": "cm^3",
    "yr": "year", "yrs": "year", "wk": "week",
    "厘米": "cm", "米": "m", "千米": "km", "公里": "km", "毫米": "mm", "分米": "dm", "克": "g", "千克": "kg",
    "公斤": "kg", "吨": "t", "小时": "h", "分钟": "min",
    "秒": "s", "天": "day", "年": "year", "升": "l", "毫升": "ml", "平方米": "m^2", "平方厘米": "cm^2",
    "平方分米": "dm^2", "立方米": "m^3", "立方厘米": "cm^3", "度": "degree",
    "centner": "centner", "hectare": "hectare", "acre": "acre",
}  # fmt: skip
_POWERS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3, "cu": 3}
# Symbols of one letter are units only in some surroundings; the reader decides.
SINGLE_LETTERS = frozenset("mgsLlNJWVhFCKtA")
_BASE = {
    name: (dimension, Fraction(size))
    for dimension, sizes in _SIZES.items()
    for name, size in sizes.items()
}


# Capitals whose small letter is another unit's, or none's.
_CAPITALS = {"A": "amp", "K": "kelvin"}
_SCALES: dict[Node, str] = {Sym("C"): "celsius", Sym("F"): "fahrenheit"}
_METRES: dict[tuple[Node, ...], str] = {(Sym("m"), Num(Fraction(n))): f"m^{n}" for n in (2, 3)}


class Unit(NamedTuple):
    """A product of powers of dimensions, with its size in their base units."""

    dimensions: tuple[tuple[str, int], ...]
    size: Fraction


def base_name(word: str) -> str | None:
    """The unit that one word names, else None."""
    lower = word.lower()
    for candidate in (lower, lower.removesuffix("s"), lower.removesuffix("es")):
        if candidate in _BASE:
            return candidate
        if candidate in _NAMES:
            return _NAMES[candidate]
    return None


def is_unit_word(word: str) -> bool:
    return base_name(word) is not None or word.lower() in _POWERS


_PART = re.compile(
    r"\s*(/|per\b|\*|·|\.)?\s*((?:square|sq|cubic|cu)\b\.?)?\s*([^\W\d_]+|[€£¢¥₹]|°[CF])"
    r"\s*(squared|cubed)?\s*(?:\^?\s*\{?\s*(-?\d)\s*\}?)?",
    re.I,
)
_GLUED_POWER = re.compile(r"(square|cubic)(?=[a-z])")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit | None:
    """The unit that a text names; None where a word of it names none (`children tickets`)."""
    text = text.strip()
    text = (
        _CAPITALS.get(text, text)
        .lower()
        .replace("perhour", " per hour")
        .replace("persecond", " per second")
    )
    text = _GLUED_POWER.sub(r"\1 ", text)
    powers: dict[str, int] = {}
    size = Fraction(1)
    position = 0
    while position < len(text.rstrip(" .")):
        m = _PART.match(text, position)
        if m is None or m.end() == position:
            return None
        position = m.end()
        name = base_name(m[3])
        if name is None:
            return None
        exponent = _POWERS.get((m[2] or "").rstrip(".").lower(), 1) * _POWERS.get(
            (m[4] or "").lower(), 1
        )
        exponent *= int(m[5]) if m[5] else 1
        if m[1] in ("/", "per"):
            exponent = -exponent
        for part, sign in _parts(name):
            dimension, base_size = _BASE.get(part, (part, Fraction(1)))
            powers[dimension] = powers.get(dimension, 0) + exponent * sign
            size *= base_size ** (exponent * sign)
    if not powers:
        return None
    return Unit(tuple(sorted((d, e) for d, e in powers.items() if e)), size)


def _parts(name: str) -> list[tuple[str, int]]:
    """`mi/h` and `cm^3` as powers of their parts."""
    top, _, bottom = name.partition("/")
    base, _, power = top.partition("^")
    return [(base, int(power or 1))] + ([(bottom, -1)] if bottom else [])


def converted(node: Node, unit: Unit) -> Node:
    """The quantity in the base units of its dimensions."""
    return multiply((Num(unit.size), node)) if unit.size != 1 else node


def letter_quantity(node: Node) -> tuple[Node, str] | None:
    """`5m` or `3m^2` read as a quantity: (number, unit), else None."""
    if not isinstance(node, Op) or node.head != "mul":
        return None
    if len(node.args) != 2:
        return _letters_quantity(node.args)
    value, unit = node.args
    if isinstance(value, Op) and value.head == "deg" and unit in _SCALES:
        return value.args[0], _SCALES[unit]
    if not isinstance(value, Num):
        return None
    if isinstance(unit, Sym) and (unit.name in SINGLE_LETTERS or unit == Sym("Omega")):
        return value, _CAPITALS.get(unit.name, unit.name)
    if isinstance(unit, Op) and unit.head == "pow" and unit.args in _METRES:
        return value, _METRES[unit.args]
    return None


def _letters_quantity(factors: tuple[Node, ...]) -> tuple[Node, str] | None:
    """`9.8 m s^{-2}` and `0.1 kΩ`: a number times powers of unit letters, else None."""
    value, *letters = factors
    if not isinstance(value, Num):
        return None
    if len(letters) == 2 and isinstance(letters[0], Op) and letters[0].head == "deg":
        degrees = letters[0].args[0]  # `-40^\\circ C`
        return (multiply((value, degrees)), _SCALES[letters[1]]) if letters[1] in _SCALES else None
    if letters == [Sym("k"), Sym("Omega")]:
        return value, "komega"
    parts = []
    for letter in letters:
        base, exponent = (
            letter.args if isinstance(letter, Op) and letter.head == "pow" else (letter, ONE)
        )
        if not isinstance(base, Sym) or base.name not in SINGLE_LETTERS:
            return None
        if not isinstance(exponent, Num) or exponent.value.denominator != 1:
            return None
        parts.append(f"{base.name}^{exponent.value}")
    return value, "*".join(parts)


def is_certain_unit(letters: str) -> bool:
    """Whether letters behind a number are a unit and no variables: `m^2`, `Ω`, `m s^{-2}`."""
    return letters.startswith("m^") or letters in ("Omega", "komega") or "s^-" in letters
