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
_CALLED_RIGHT = re.compile(
    r"(?<![A-Za-z])([A-J])[)\]）]?\s(?:is|must be)\s(?:the\s)?(?:correct|right|best|answer|solution)\b"
)
_SAID = re.compile(r"\b(?:is|be|为|是)\s?[(\[（【\"'“]?([A-J])(?![A-Za-z'’])(?!\s[a-z])")
_BRACKETED = re.compile(r"[(\[（【]([A-J])[)\]）】]")
_ALONE = re.compile(r"(?<![A-Za-z\\'’])([A-J])(?![A-Za-z'’])")
_ARTICLE = re.compile(r"\bA (?=[a-z])")


def choice_letter(text: str) -> str | None:
    """The letter that a short text chooses; None where it names none, or several without choosing.

    A letter at the start is the choice, whatever is said of others behind it; then one that is called an
    option or stands in brackets; then one that stands alone, if it is the only one. "A" before a word in
    small letters is an article.
    """
    written = _WRAPPER.sub("", text)
    plain = _ARTICLE.sub(" ", written)
    first = _FIRST.match(plain)
    if first:
        return first[1]
    for pattern in (_NAMED, _CALLED_RIGHT, _SAID):
        found = pattern.findall(written)
        if found:
            return str(found[-1]).upper()
    bracketed = set(_BRACKETED.findall(plain))
    if bracketed:
        return bracketed.pop() if len(bracketed) == 1 else None
    alone = set(_ALONE.findall(plain))
    return alone.pop() if len(alone) == 1 else None
