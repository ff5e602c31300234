"""Choice letters: "(B)", "option D", "C. 42", "B because A is false", "故选C"."""

from __future__ import annotations

import re

# Choices run from A to J at most (ten in MMLU-Pro).
_WRAPPER = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox|rm|bf)\b\s*|[{}$*`]|\\[()\[\],;!]|\\boxed|\\ "
)
_FIRST = re.compile(r"\s*[(\[（【\"'“]{0,2}([A-J])(?![A-Za-z'’])(?!\s*[=+^<>-])")
_NAMED = re.compile(
    r"(?:\b(?:option|choice|letter|answer|labell?ed|select|selection|choose|pick|statement|only)s?(?:\s+(?:is|was|option|choice))?|选项?|选择|答案是?为?)"
    r"\s*:?\s*[(\[（【\"'“]?([A-J])(?![A-Za-z])",
    re.IGNORECASE,
)
_CALLED_RIGHT = re.compile(
    r"(?<![A-Za-z])([A-J])[)\]）]?\s(?:is|must be)\s(?:the\s)?(?:correct|right|best|answer|solution)\b"
)
_SAID = re.compile(r"\b(?:is|be|为|是)\s?[(\[（【\"'“]?([A-J])(?![A-Za-z'’])(?!\s[a-z])")
_BRACKETED = re.compile(r"[(\[（【]([A-J])[)\]）】]")
_ALONE = re.compile(r"(?<![A-Za-z\\'’])([A-J])(?![A-Za-z'’])")
_VERB = r"(?:is|are|was|were|can|could|does|do|must|will|would|seems?|looks?|appears?|matches|fits|works|gives)"
_ARTICLE = re.compile(rf"\bA (?=[a-z])(?!(?:and|or|nor|because|since|as|with|for|{_VERB})\b)")
_PRONOUN = re.compile(r"\bI (?=[a-z])(?!(?:and|or|nor|is|was|because)\b)")
# Letters said to be wrong: "not C", "A and B are incorrect", "C is not the answer", "不是C", "排除C".
_LETTERS = r"[(\[（【\"'“]?\b[A-J](?:[)\]）】\"'”.]+|\b)"
_SEVERAL_LETTERS = (
    rf"{_LETTERS}(?:(?:\s?,\s?|\s(?:and|or|nor)\s|\s?,\s(?:and|or)\s){_LETTERS}){{0,8}}"
)
_DENIED = re.compile(
    rf"(?i:\bnot\s|\bneither\s)(?:the\s)?(?:answer\s|option\s|choice\s)?{_SEVERAL_LETTERS}"
    rf"|{_SEVERAL_LETTERS}\s(?:(?:is|are|was|were|does|do|can|could)(?:\snot|n['’]t)\b"
    r"|cannot\b|(?:is|are|was|were|must\sbe)\s(?:both\s|all\s|clearly\s|also\s)?"
    r"(?:wrong|incorrect|false|ruled\sout|eliminated|too\s\w+|impossible|invalid)\b)"
    r"|(?:不是|不选|排除|并非)\s?[A-J]|(?<![A-Za-z])[A-J](?:项|选项)?(?:是)?(?:错|不正确|不对|不符|不成立)"
)
# Two letters with "or" or "and" between them choose neither.
_JOINT = re.compile(
    r"(?<![A-Za-z])([A-J])[)\]）】]?\s?(?:,\s?)?(?:or|and|and/or|或|和)\s?(?:option\s|choice\s)?[(\[（【]?([A-J])(?![A-Za-z])"
)


def choice_letter(text: str) -> str | None:
    """The letter that a short text chooses; None where it names none, or several without choosing.

    A letter at the start is the choice, whatever is said of others behind it; then one that is called an
    option or stands in brackets; then one that stands alone, if it is the only one. "A" before a word in
    small letters is an article.
    """
    written = _DENIED.sub(" ", _WRAPPER.sub("", text))
    letter = _chosen(written)
    if letter is None:
        return None
    if any(letter in pair for pair in _JOINT.findall(written)):
        return _chosen(_JOINT.sub(" ", written))  # "among A and D, only D"
    return letter


def _chosen(written: str) -> str | None:
    plain = _PRONOUN.sub(" ", _ARTICLE.sub(" ", written))
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
