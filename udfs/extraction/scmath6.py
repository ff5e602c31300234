"""The official SC-Math6 extraction, digit for digit: scripts/evaluate.py of CLUEbenchmark/SuperCLUE-Math6.

The published scorer takes the first `【digits】` of a reply, else the reply's last run of digits, where a digit
is any Unicode decimal (`\\d` of the regex package). It searches with `(\\d+)[^\\d]*$`, which is quadratic in
the length of the reply; the last run of digits is found here from the end, in one pass.
"""

from __future__ import annotations

import re

from udfs.extraction.model import Extraction

# Possessive: a run of digits that no bracket follows is left at once, not tried again from each digit.
BRACKETED = re.compile(r"【(\d++)】")
LAST_DIGIT = re.compile(r"\d")

# The scan from the end reads blocks of this many characters: large enough to be quick, small enough that a
# reply which ends in its answer is read once.
BLOCK = 65_536


def extract_official(response: str | None) -> Extraction:
    """The answer of the published scorer, '' where it finds none (a missing reply included)."""
    if not response:
        return Extraction("", "scmath6_none", False)
    bracketed = BRACKETED.search(response)
    if bracketed:
        return Extraction(bracketed[1], "scmath6_bracket", False)
    digits = _last_digits(response)
    return Extraction(digits, "scmath6_last_digits" if digits else "scmath6_none", False)


def _last_digits(text: str) -> str:
    """The last run of Unicode decimal digits, '' where there is none."""
    end = _end_of_last_digit(text)
    start = end
    while start > 0 and text[start - 1].isdecimal():
        # ASCII digits go at the speed of C, a block at a time; others one by one.
        block = text[max(0, start - BLOCK) : start]
        start -= max(1, len(block) - len(block.rstrip("0123456789")))
    return text[start:end]


def _end_of_last_digit(text: str) -> int:
    for stop in range(len(text), 0, -BLOCK):
        start = max(0, stop - BLOCK)
        block = text[start:stop]
        if LAST_DIGIT.search(block):
            position = stop
            while not text[position - 1].isdecimal():
                position -= 1
            return position
    return 0
