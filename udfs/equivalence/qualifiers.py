"""What an answer says of its variables: `for all x`, `where k ∈ ℤ`, `with t any real number`."""

from __future__ import annotations

import re

_QUALIFIER = re.compile(
    r"(?:\\(?:text|mbox|textrm|mathrm|quad|qquad)\b\s*\{?|[,;(]|\s)\s*(?:(?:\\quad|\\text\s*\{)\s*)*"
    r"(?:for(?:\s*\}\s*|\s+)(?:all|any|some|every|each|integers?|reals?|positive|natural|nonnegative|arbitrary|which|\$|\\\(|[a-z]\b)"
    r"|any\s+(?:integer|natural|real|positive)\b|where\b|with\s+(?:[a-z]\b|\$|\\\()|whenever\b|such\s+that\b|as\s+[a-z]\b|\\forall\b)",
    re.IGNORECASE,
)
# Behind a qualifier: a further function or named value, which is one more answer; a value with its own case.
_FURTHER = re.compile(
    r"(?:[,;]|\bor\b|\band\b)(?:\s|\\(?:text|quad|qquad|mbox)\b|\\[ ,;]|[{}$,]|\bor\b|\band\b)*"
    r"([A-Za-z](?:_\w|_\{\w{1,3}\})?\s*\(\s*[^()=]{1,12}\)\s*=)"
)
_CASES = re.compile(
    r"(?:[,;]|\bor\b|\band\b).{1,80}?\b(?:for|if|when|otherwise|elsewhere)\b", re.DOTALL
)
# An answer to a functional equation has a handful of functions.
MAX_FURTHER = 6
_DOMAIN = re.compile(r"\\in\s*(?:\\mathbb\s*\{?\s*|\\mathbf\s*\{?\s*)?[ZNRQ]\b")
_DOMAIN_BRACKET = re.compile(
    r"[\s,]*(?:\\[ ,;]|\\quad|\\left)*\s*\(\s*\$?\s*[a-z](?:\s*,\s*[a-z])*\s*\\in\s*[^()]{1,80}\)\s*\$?$"
)


def unqualified(text: str) -> tuple[str, bool]:
    """The text without what it says of its variables, and whether it said anything."""
    text, qualified = _parts_kept(text)
    domain = _DOMAIN_BRACKET.search(text)
    if domain and domain.start():
        text, qualified = text[: domain.start()].strip(), True
    return text, qualified or bool(_DOMAIN.search(text))


def _parts_kept(text: str) -> tuple[str, bool]:
    """The text without what it says of its variables, and whether it said anything.

    What follows a qualifier as a further answer (`f(x) = 0 for all x, or f(x) = x^2`) is kept; values for one
    case each (`0 for even n, 1 for odd n`) are left as they stand.
    """
    heads: list[str] = []
    at = 0
    for cut in _QUALIFIER.finditer(text):
        head = text[at : cut.start()]
        if cut.start() < at or not head.strip(" $") or head.count("{") != head.count("}"):
            continue
        heads.append(head.strip())
        if _CASES.search(text, cut.end()) and not _FURTHER.search(text, cut.end()):
            return text, False
        further = _FURTHER.search(text, cut.end())
        if further is None or len(heads) > MAX_FURTHER:
            break
        at = further.start(1)
    else:
        if at:
            heads.append(text[at:].strip())
    return (", ".join(heads), True) if heads else (text, False)
