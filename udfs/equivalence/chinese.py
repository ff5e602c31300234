"""Numbers written in Chinese: 二十五, 三分之一, 百分之二十, 3分之2."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_NUMERAL = re.compile(r"[零〇一二两三四五六七八九十百千万亿]{1,20}")
_FRACTION = re.compile(r"(负?)(.{1,20})分之(.{1,20})")
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,15})?")


def chinese_number(text: str) -> Fraction | None:
    """The value of a number or fraction in Chinese words; None where the text is none."""
    text = text.strip(" 。.")
    m = _FRACTION.fullmatch(text)
    if m is None:
        return _numeral(text) if _NUMERAL.fullmatch(text) else None
    below, above = _number(m[2]), _number(m[3])
    if not below or above is None:
        return None
    return -above / below if m[1] else above / below


def _number(text: str) -> Fraction | None:
    return Fraction(text) if _PLAIN.fullmatch(text) else _numeral(text)


def _numeral(text: str) -> Fraction | None:
    """The value of 三百零五; None where its digits and tens do not follow one another as numbers do."""
    if not _NUMERAL.fullmatch(text):
        return None
    total, section, digit = 0, 0, None
    for c in text:
        if c in _DIGITS:
            if digit:
                return None  # 一二 is no number but two digits
            digit = _DIGITS[c]
        elif c in _TENS:
            section += (digit if digit is not None else 1) * _TENS[c]
            digit = None
        else:
            total, section, digit = (total + section + (digit or 0)) * _MYRIADS[c], 0, None
    return Fraction(total + section + (digit or 0))
