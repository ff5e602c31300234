"""Bounds in words: `at least 5`, `more than 3`, `10 or less`."""

from __future__ import annotations

import re

# `at least 5`, `5 or more`: bounds in words.
_BOUNDS = tuple(
    (
        re.compile(
            rf"(?:([a-z])\s+(?:is|must\s+be|should\s+be)\s+)?(?:{said})\s+(\S.{{0,60}})", re.I
        ),
        sign,
    )
    for said, sign in (
        (
            r"at\s+least|(?:no|not)\s+(?:less|fewer)\s+than|(?:greater|more)\s+than\s+or\s+equal\s+to|a\s+minimum\s+of",
            "\\ge ",
        ),
        (
            r"at\s+most|(?:no|not)\s+more\s+than|(?:less|fewer)\s+than\s+or\s+equal\s+to|a\s+maximum\s+of",
            "\\le ",
        ),
        (r"(?:more|greater|larger)\s+than", "> "),
        (r"(?:less|fewer|smaller)\s+than", "< "),
    )
)
_BOUND_BEHIND = re.compile(
    r"(\S.{0,40}?)\s+(?:or|and)\s+(?:(more|greater|larger|higher|above|up)|less|fewer|smaller|lower|below)",
    re.I,
)
_DIGIT = re.compile(r"\d")
_BOUND_WORDS = re.compile(r"\b(?:than|least|most|minimum|maximum|or|and)\s", re.I)


def bound_in_words(text: str) -> str | None:
    """The inequality of a bound in words, over the unnamed quantity where it names none; else None."""
    if not _DIGIT.search(text) or not _BOUND_WORDS.search(text):
        return None
    for pattern, sign in _BOUNDS:
        m = pattern.fullmatch(text)
        if m and not _BOUND_WORDS.search(m[2]):
            return (m[1] or "") + sign + m[2]
    m = _BOUND_BEHIND.fullmatch(text)
    return None if m is None else ("\\ge " if m[2] else "\\le ") + m[1]
