"""Which number of a sentence is its answer, and which are the circumstances it holds in.

"Mia needs 15 more minutes to finish her 2-hour practice" answers 15: what a preposition, a possessive or a purpose
leads to was given before. Where that does not settle it, the number that was last computed above it does.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

# Start, end and text of a value within a sentence.
Found: TypeAlias = tuple[int, int, str]

_ARTICLES = r"\s+(?:the\s+|all\s+|first\s+|last\s+|next\s+|about\s+)?$"
_STRONG = re.compile(
    r"(?:\b(?:to|that|which|who)\s[a-z]{2,20}(?:\s(?:an?\s|the\s)?[a-z]{2,15}\sof)?|\bout\sof|"
    r"\b(?:in|after|during|within|per|every|each|until|before|between|since|when|if|"
    r"(?:after|before|by|without)\s[a-z]{2,15}ing(?:\s(?:away|up|out|off|back))?|original|initial|goal\sof|target\sof|"
    r"his|her|their|its|our|my|your|these|those|dans|après|pendant|d'ici|nach)|/)" + _ARTICLES,
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:for|over|at|from|with|by|than|the|(?:on|at|from|with|for|over|by|than)\s(?:an?\s|the\s)?[a-z]{2,15}\sof)"
    + _ARTICLES,
    re.IGNORECASE,
)
# "her 2-hour practice", "a 8,260-gallon pool"
_ATTRIBUTE = re.compile(r"-[A-Za-z]{2}")
_LETTER = re.compile(r"\\?[A-Za-z]\w*")
# How far before a value its circumstance is looked for.
REACH = 40
# The result of a line of reasoning: "8 * 3 = 24".
_RESULT = re.compile(r"=\s?[$£€]?\s?(-?\d[\d,]*(?:\.\d+)?)(?![\d.]*\s?[-+*/×÷=^(]|\w)")
_DIGITS = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def is_circumstance(masked: str, value: Found, weakly: bool = False) -> bool:
    """Whether what stands around a value makes it a circumstance. weakly: one that gives way to no other value."""
    start, end, _ = value
    before = masked[max(0, start - REACH) : start]
    if _STRONG.search(before) or _ATTRIBUTE.match(masked, end):
        return True
    return weakly and _WEAK.search(before) is not None


def last_computed(text: str) -> Fraction | None:
    """The result of the last computation that a text writes out, None without one."""
    results = _RESULT.findall(text)
    return number(results[-1]) if results else None


def number(text: str) -> Fraction | None:
    """The number in a value such as `$1,500 ` or `15 minutes`, None where it is not one number."""
    found = _DIGITS.findall(text)
    return Fraction(found[0].rstrip(",").replace(",", "")) if len(found) == 1 else None


def the_answer(masked: str, found: list[Found], computed: Fraction | None) -> Found:
    """The value that a sentence is about.

    That is the one that was last computed, if just one is; else the last that nothing makes a circumstance, else the
    last that is one only weakly.
    """
    # "$a$ lies in $(0, 4)$": a letter names what has the value.
    found = [value for value in found if not _LETTER.fullmatch(value[2])] or found
    if computed is not None and len(found) > 1:
        results = [value for value in found if number(value[2]) == computed]
        if len(results) == 1:
            return results[0]
    likely = [value for value in found if not is_circumstance(masked, value)]
    certain = [value for value in likely if not is_circumstance(masked, value, weakly=True)]
    return (certain or likely or found)[-1]
