"""Choice letters: "(B)", "option D", "C. 42", "B because A is false", "故选C"."""

from __future__ import annotations

import re

# Choices run from A to J at most (ten in MMLU-Pro).
_WRAPPER = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox|rm|bf)\b\s*|[{}$*`]|\\[()\[\],;!]|\\boxed|\\ "
)
_FIRST = re.compile(r"\s*[(\[（【\"'“]{0,2}([A-J])(?![A-Za-z'’])(?!\s*[=+^<>-])")
_NAMED = re.compile(
    r"(?:\b(?:option|choice|letter|answer|labell?ed|select|selection|choose|pick|statement)s?(?:\s+(?:is|was|option|choice))?|选项?|选择|答案是?为?)"
    r"\s*:?\s*[(\[（【\"'“]?([A-J])(?![A-Za-z])",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(\[（【]([A-J])[)\]）】]")
_ALONE = re.compile(r"(?<![A-Za-z\\'’])([A-J])(?![A-Za-z'’])")
_ARTICLE = re.compile(r"\bA (?=[a-z])")


def choice_letter(text: str) -> str | None:
    """The letter that a short text chooses; None where it names none, or several without choosing.

    A letter at the start is the choice, whatever is said of others behind it; then one that is called an
    option or stands in brackets; then one that stands alone, if it is the only one. "A" before a word in
    small letters is an article.
    """
    plain = _ARTICLE.sub(" ", _WRAPPER.sub("", text))
    first = _FIRST.match(plain)
    if first:
        return first[1]
    for pattern in (_NAMED, _BRACKETED):
        found = pattern.findall(plain)
        if found:
            letter = str(found[-1]).upper()
            return letter if pattern is _NAMED or len(set(found)) == 1 else None
    alone = set(_ALONE.findall(plain))
    return alone.pop() if len(alone) == 1 else None
