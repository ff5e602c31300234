"""The form of a gold answer: all that extraction may know of it.

A gold that is a whole worked solution is first reduced to its answer (`#### 70000`, `\\boxed{…}`).
"""

from __future__ import annotations

import re

from udfs.extraction.boxed import last_boxes
from udfs.extraction.text import WINDOW

# Longer golds are proofs or debris; their form is told from the beginning.
MAX_GOLD = 2_000

_HASHES = re.compile(r"####[ \t]*([^\n]{1,400})")
_ANSWER_LINE = re.compile(r"(?:^|\n)A:[ \t]*([^\n]{1,400})\s*$")

_DRESSING = re.compile(
    r"\\(?:left|right|displaystyle|,|!|;|:|quad|qquad)(?![A-Za-z])|\\?\$|[{}\s~]|\\ |\.$"
)
_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textrm|mbox|rm|bf)\b")
_CHOICE = re.compile(r"[(\[（【]?([A-J])[)\]）】]?[.:：、]?")
_CHOICE_WITH_TEXT = re.compile(r"\s*[(\[（【]([A-J])[)\]）】]\W*\S.{0,200}", re.DOTALL)
_NUMBER = re.compile(
    r"(?:[-+−]|\\pm)?[$€£¥]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?:/\d+)?(?:\\?%|°|\^\\circ)?"
    r"|[-+−]?\.\d+\\?%?"
    r"|[-+−]?\d*\\[dt]?frac\d{1,40}(?:\\?%|\^\\circ)?"
)
_QUANTITY = re.compile(r"[-+−]?[$€£¥]?\d[\d,./]*(?:\\[A-Za-z]+\b)*\s*[A-Za-z一-鿿°µ/^\d]{1,30}")
_FUNCTION_WORD = re.compile(
    r"\\?(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|frac|pi|infty|cup|cap|max|min|gcd|lcm)"
)
_WORD = re.compile(r"[A-Za-z]{2,}|[一-鿿]")
_SPACED_COMMA = re.compile(r"\d,\s+\d")
_LIST = re.compile(r"[,;、]|\\(?:text\{)?\s?(?:and|or)\b|\b(?:and|or)\b|[和或]|\\pm|\\begin")


def reduce_gold(gold: str) -> str:
    """The answer of a gold that is a whole worked solution; any other gold unchanged."""
    if "####" in gold:
        hashes = _HASHES.findall(gold[-WINDOW:])
        if hashes and hashes[-1].strip():
            return hashes[-1].strip()
    if "\\boxed" in gold or "\\fbox" in gold:
        content, _, _ = last_boxes(gold)
        if content:
            return content
    if "\nA:" in gold:
        line = _ANSWER_LINE.search(gold[-WINDOW:])
        if line and line[1].strip():
            return line[1].strip()
    return gold


def answer_form(gold: str | None) -> str | None:
    """'choice', 'number', 'quantity' (a number with a unit), 'list', 'text', 'equation' or 'expression'.

    None without a gold.
    """
    if gold is None:
        return None
    text = reduce_gold(gold)[:MAX_GOLD].strip()
    if not text:
        return None
    bare = _TEXT_COMMAND.sub("", text)
    plain = _DRESSING.sub("", bare)
    if _CHOICE.fullmatch(plain) or _CHOICE_WITH_TEXT.fullmatch(bare):
        return "choice"
    if _NUMBER.fullmatch(plain) and not _SPACED_COMMA.search(bare):
        return "number"
    if _LIST.search(bare):
        return "list"
    if _QUANTITY.fullmatch(plain) and _WORD.search(_FUNCTION_WORD.sub("", plain)):
        return "quantity"
    words = _FUNCTION_WORD.sub(" ", bare)
    if _WORD.search(words) and not re.search(r"[\d=<>^_\\+]", words):
        return "text"
    return "equation" if "=" in plain else "expression"
