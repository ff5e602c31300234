"""Reading an answer: from its text to one tree, with names, units and words understood.

What people write around the mathematics is taken off here: boxes, labels (`Minimum: 1`), units, qualifiers
(`for some integer t`). A text that is not mathematics becomes a `text` node.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from udfs.equivalence import vocabulary as v
from udfs.equivalence.bounds import bound_in_words
from udfs.equivalence.brackets import group, split
from udfs.equivalence.chinese import chinese_number
from udfs.equivalence.grammar import Items, statement
from udfs.equivalence.limits import CACHED_READINGS, MAX_CACHED_CHARS, MAX_CHARS
from udfs.equivalence.qualifiers import unqualified
from udfs.equivalence.quantities import quantity_in_words, with_unit
from udfs.equivalence.tokens import Token, Unreadable, plain, tokenise
from udfs.equivalence.tree import (
    Node,
    Num,
    Op,
    Sym,
    call,
    divide,
    free_symbols,
    negate,
    number,
)
from udfs.equivalence.units import SINGLE_LETTERS, is_unit_word
from udfs.equivalence.words import mixed_in_words, spelled_number, words


class Reading(NamedTuple):
    """An answer as read. `node`: its tree (a `text` node where it is no mathematics)."""

    node: Node
    text: str
    qualified: bool = False  # it said `for some integer t`, `where k ∈ ℤ`…
    ambiguous: bool = False  # `1,234` may be one number or two


_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_APPROXIMATE_TAIL = re.compile(
    r"\(\s*(?:or\b|i\.e\.|that is\b|=|approximately|approx\.?|about|≈|\\approx)[^()]*\)\s*$", re.I
)
_LABEL = re.compile(
    r"^\s*(?:\*\*)?(?:the\s+)?(?:final\s+)?(?:answer|ans|solution|result)(?:\*\*)?\s*"
    r"(?:is\s*:?|:|=|(?=\\[(\[]|\$))\s*(?:\*\*)?\s*",
    re.I,
)
_DIGIT = re.compile(r"\d")
_SPACED_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?(?:\s+[-+]?\d+(?:\.\d+)?)+")
_SPACED_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?: \d{3})+(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_COMMAS = re.compile(r"(?<!\d)[1-9]\d{0,2}(?:,\d{3})+(?!\d)")
# A dollar sign is money where it is escaped, or stands alone before a number; else it opens mathematics.
_DOLLARS = re.compile(r"-?\s*(?:US|USD|HK|AU|CA)?\s*(?:\\\$|\$(?!.*\$))\s*(?:\d|\.\d)")
_COMPOUND = re.compile(
    r"(\d+(?:\.\d+)?)\s*([a-z]+)\.?,?\s*(?:and\s+)?(\d+(?:\.\d+)?)\s*([a-z]+)\.?", re.I
)
# How computer algebra systems print a matrix.
_PYTHON_MATRIX = re.compile(r"^(?:Matrix|array|np\.array)\((\[.*\])\)$", re.DOTALL)
_ALL_EXCEPT = re.compile(
    r"(?:(?:all|any|every)\s+)?real\s+(?:numbers?|values?|x)\s*,?\s*(?:of\s+x\s*)?(?:x\s*)?"
    r"(?:except|but|other\s+than|excluding|not\s+equal\s+to)\s+(?:for\s+)?(?:x\s*=\s*)?(.{1,80})",
    re.DOTALL | re.I,
)
_REPEATING = re.compile(r"(-?\d*\.\d*)\((\d{1,20})\)")
_TO_RATIO = re.compile(r"(\d+(?:\.\d+)?)\s+to\s+(\d+(?:\.\d+)?)")
_ORDINAL = re.compile(
    r"(\d)\s*(?:\^\s*)?(?:\{\s*)?(?:\\(?:text|mathrm|textrm|rm)\s*\{?)?\s*(?:st|nd|rd|th)\b\s*\}{0,2}"
)
_AMPERSAND = re.compile(r"\s\\?&\s")
# `1203 (base 4)`, `1203 \\text{ in base } 4`.
_BASE_IN_WORDS = re.compile(
    r"^\s*\$?([0-9A-F]*\d[0-9A-F]*)\$?[\s,]*(?:\\text\s*\{)?\s*\(?\s*(?:in\s+)?base[\s-]*(?:\}\s*)?\$?(\w+)\$?[\s)}.]*$"
)
_MINUS_IN_WORDS = re.compile(r"^\s*(?:negative|minus)\s+", re.I)
_CURRENCY_CODE = re.compile(r"^\s*(USD|EUR|GBP|RMB|Rs)\.?\s*(\d[\d,.]*)\s*$", re.I)
_OUT_OF = re.compile(r"(\d{1,9})\s+out\s+of\s+(?:the\s+)?(\d{1,9})")
# `]0, 1[` is the open interval.
_OTHER = {"]_": "(", "[_": "[", "_[": ")", "_]": "]"}
_FRENCH_INTERVAL = re.compile(r"([\[\]])([^\[\](){}]{1,200})([\[\]])")
_STARS = re.compile(r"^\*\*(.*?)\*\*$", re.DOTALL)
_EMPTY = frozenset(
    "no solution|no solutions|no real solution|no real solutions|none|empty set|the empty set|does not exist|dne"
    "|emptyset|nosolution|nosolutions|norealsolution|norealsolutions|no such number exists|not exist|impossible".split(
        "|"
    )
)
_NAMED_SETS = {
    f"{which}{name}": symbol
    for which in ("", "all ", "the ", "the set of ", "any ")
    for name, symbol in (("integers", "ℤ"), ("natural numbers", "ℕ"), ("rational numbers", "ℚ"))
}
_NO_SOLUTION = re.compile(
    r"(?:there (?:is|are|exists?) |it has |has )?no (?:such |real |integer |valid |possible )*"
    r"(?:solutions?|roots?|numbers?|values?|integers?|functions?|triples|pairs|answers?)(?: exists?)?|it is impossible"
)
_REALS = frozenset(
    "all real numbers|all reals|real numbers|the real numbers|all real|any real number|all x".split(
        "|"
    )
)


_SIMPLE = re.compile(
    r"\s*\$?\s*([-+]?)\s*(?:(\d{1,300}(?:\.\d{1,300})?|\.\d{1,300})|\\[dt]?frac\{(\d{1,300})\}\{(\d{1,300})\})"
    r"\s*\$?\s*\.?\s*"
)


def simple_number(text: str) -> Num | None:
    """The number of a text that is a plain integer, decimal or fraction: most answers, without any parsing."""
    m = _SIMPLE.fullmatch(text)
    if m is None or ("$" in text and text.lstrip()[0] == "$" and "$" not in text.strip()[1:]):
        return None
    sign, digits, top, bottom = m.groups()
    if digits is not None:
        whole, _, decimals = digits.partition(".")
        if not decimals:
            return Num(Fraction(-int(whole) if sign == "-" else int(whole)))
        value = Fraction(int(whole + decimals), 10 ** len(decimals))
        return Num(-value if sign == "-" else value, len(decimals))
    if not int(bottom):
        return None
    value = Fraction(int(top), int(bottom))
    return Num(-value if sign == "-" else value)


def read(text: str, thousands: bool = True) -> Reading:
    """The reading of an answer. Total; texts beyond MAX_CHARS are read as text.

    thousands: read `1,234` at the outermost level as one number, not as two.
    """
    if len(text) <= MAX_CACHED_CHARS:
        return _read(text, thousands)
    if len(text) > MAX_CHARS:
        return Reading(_text(text[:200]), text)
    return _read.__wrapped__(text, thousands)


@lru_cache(maxsize=CACHED_READINGS)
def _read(text: str, thousands: bool) -> Reading:
    simple = simple_number(text)
    if simple is not None:
        return Reading(simple, text)
    text = _undress(plain(text))
    text, qualified = unqualified(text)
    ambiguous = bool(_COMMAS.search(text))
    dollars = _DOLLARS.match(text)
    node = _read_node(text[dollars.end() - 1 :] if dollars else text, thousands)
    if dollars and isinstance(node, Num):
        node = Op("unit", (negate(node) if "-" in dollars[0] else node, Sym("dollar")))
    return Reading(node, text, qualified, ambiguous)


def _undress(text: str) -> str:
    text = _PYTHON_MATRIX.sub(r"\1", text.strip())
    if "\n" in text and "\\begin" not in text:
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        text = ", ".join(lines) if all("=" in line for line in lines) else text
    if _BOX.search(text):
        text = ", ".join(boxes(text)) or text
    if text[-1:] == ")":
        text = _APPROXIMATE_TAIL.sub("", text)
    if "&" in text and "\\begin" not in text:
        text = _AMPERSAND.sub(" and ", text)
    if "base" in text:
        text = _BASE_IN_WORDS.sub(r"\1_{\2}", text)
    if text[:1].isalpha():
        text = _MINUS_IN_WORDS.sub("-", text)
        text = _CURRENCY_CODE.sub(r"\2 \1", text)
    text = _ORDINAL.sub(r"\1 ", text)
    if "[" in text and (text[0] == "]" or text[-1] == "["):
        text = _FRENCH_INTERVAL.sub(lambda m: _OTHER[m[1] + "_"] + m[2] + _OTHER["_" + m[3]], text)
    text = _LABEL.sub("", text, count=1) if len(text) < 500 else text
    starred = _STARS.match(text)
    if starred and "**" not in starred[1]:
        text = starred[1]
    return text.strip(" \n\t;").rstrip(".,;:!") if not text.endswith("!") else text


def boxes(text: str) -> list[str]:
    """The contents of the boxes in a text, in their order; a box that never closes goes to the end."""
    found = []
    at = 0
    while (m := _BOX.search(text, at)) is not None:
        depth, end = 1, m.end()
        while end < len(text) and depth:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        found.append(text[m.end() : end - 1] if not depth else text[m.end() :])
        at = end
    return found


def _read_node(text: str, thousands: bool) -> Node:
    stripped = text.replace("$", "").strip()
    lower = " ".join(words(stripped)) if len(stripped) < 60 and not _DIGIT.search(stripped) else ""
    if (lower in _EMPTY and not stripped.startswith("\\{")) or (
        lower and _NO_SOLUTION.fullmatch(lower)
    ):
        return Op("set", ())
    repeating = _REPEATING.fullmatch(stripped)  # 0.1(6), as written in Eastern Europe
    if repeating:
        stripped = text = f"{repeating[1]}\\overline{{{repeating[2]}}}"
    spelled = spelled_number(stripped) if lower else None
    if spelled is None and _MAY_BE_SPELLED.search(stripped):
        spelled = mixed_in_words(stripped) or chinese_number(stripped)
    if spelled is not None:
        return Num(spelled)
    if lower and " and " in stripped:
        several = [spelled_number(part) for part in _AND.split(stripped)]
        if all(part is not None for part in several):
            return Op("both", tuple(Num(part) for part in several if part is not None))
    quantity = quantity_in_words(stripped) if lower else None
    if quantity is not None:
        return quantity
    said = _said_in_words(stripped, thousands) if " " in stripped else None
    if said is not None:
        return said
    if lower in _REALS and len(lower) > 1:
        return Sym("ℝ")
    if lower in _NAMED_SETS:
        return Sym(_NAMED_SETS[lower])
    compound = _COMPOUND.fullmatch(stripped)
    if (
        compound
        and is_unit_word(compound[2])
        and is_unit_word(compound[4])
        and compound[2] != compound[4]
    ):
        parts = [Op("unit", (_read_node(compound[i], True), Sym(compound[i + 1]))) for i in (1, 3)]
        return Op("compound", tuple(parts))
    to_ratio = _TO_RATIO.fullmatch(stripped)
    if to_ratio:
        return Op("ratio", (_read_node(to_ratio[1], True), _read_node(to_ratio[2], True)))
    if _SPACED_NUMBERS.fullmatch(stripped):
        if thousands and _SPACED_THOUSANDS.fullmatch(stripped):
            return _read_node(stripped.replace(" ", ""), True)
        return Op("list", tuple(_read_node(part, True) for part in stripped.split()))
    try:
        return _tree(tokenise(text, thousands))
    except (Unreadable, RecursionError, AssertionError):
        return _text(text)


def _said_in_words(text: str, thousands: bool) -> Node | None:
    """`3 out of 8`, `at least 5`, `all reals except 2`; None where the text is nothing like it."""
    out_of = _OUT_OF.fullmatch(text)
    if out_of:
        return divide(number(int(out_of[1])), number(int(out_of[2])))
    bound = bound_in_words(text)
    if bound is not None:
        return _read_node(bound, thousands)
    excepted = _ALL_EXCEPT.fullmatch(text)
    if excepted is None:
        return None
    kept = _read_node(excepted[1], thousands)
    is_several = isinstance(kept, Op) and kept.head in ("list", "both", "either", "set")
    excluded = kept.args if isinstance(kept, Op) and is_several else (kept,)
    return Op("minus", (Sym("ℝ"), Op("set", excluded)))


_MAY_BE_SPELLED = re.compile(r"\d\s+and\s+a\b|[一二两三四五六七八九十百千]|分之")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def decimal_comma(text: str) -> Num | None:
    """`3,14` read as 3.14; None where the text is nothing like it."""
    stripped = plain(text).strip(" $.")
    if not _DECIMAL_COMMA.fullmatch(stripped) or _COMMAS.search(stripped):
        return None
    node = _read_node(stripped.replace(",", "."), True)
    return node if isinstance(node, Num) else None


_PROSE_NUMBER = re.compile(r"(?<![\w.,/^_{-])-?\d[\d,]*(?:\.\d+)?(?![\d/^])")
_OPEN_CHOICE = re.compile(
    r"\b(?:or|between|either|at least|at most|ou|oder|otherwise|if|when|(?:less|more|fewer|greater) than)\b",
    re.I,
)
_DENIED = re.compile(r"(?:\b(?:not|no|never|cannot)|n['’]t)\b\D{0,60}$", re.I)
# A sentence has words around its number; `about 5` or `5 or 6` is none.
MIN_PROSE_WORDS = 4
_PROSE_WORD = re.compile(r"(?:^|(?<=\s))[^\W\d_][\w'’-]*(?=[\s,.;:!?]|$)")


def prose_number(text: str) -> Num | None:
    """The last number of a sentence that leaves no choice; None where there is none."""
    if len(_PROSE_WORD.findall(text)) < MIN_PROSE_WORDS or _OPEN_CHOICE.search(text):
        return None
    found = list(_PROSE_NUMBER.finditer(text))
    if not found or _DENIED.search(text, 0, found[-1].start()):
        return None
    node = _read_node(found[-1][0].rstrip(","), True)
    return node if isinstance(node, Num) else None


def _text(text: str) -> Node:
    return Op("text", (Sym(text),))


def _tree(tokens: list[Token]) -> Node:
    items = group(tokens, read_segment)
    parts, joints = _split_top(_with_separators(items))
    if not parts:
        raise Unreadable("nothing there")
    nodes = [_read_top_segment(p) for p in parts]
    nodes = _without_domains(nodes)
    if len(nodes) == 1:
        return nodes[0]
    if any(n.head == "text" for n in nodes if isinstance(n, Op)) and not all(
        isinstance(n, Op) and n.head == "text" for n in nodes
    ):
        raise Unreadable("words among mathematics")
    head = "either" if joints == {"or"} else "both" if joints == {"and"} else "list"
    return Op(head, tuple(nodes))


def _with_separators(items: Items) -> Items:
    """Wide spaces between statements (`x = 1 \\quad y = 2`) separate them as commas would."""
    if any(i.kind in ("sep", "row") for i in items) or not any(i.kind == "rel" for i in items):
        return items
    wide = [i.kind == "op" and i.text == " " for i in items]
    out = [Token("sep", ",") if w else i for w, i in zip(wide, items, strict=True)]
    statements = split(out, ("sep",))
    return out if all(any(i.kind == "rel" for i in s) for s in statements) else items


def _split_top(items: Items) -> tuple[list[Items], set[str]]:
    """The parts of an answer between commas, `and`, `or` and line breaks, and which of these stood there."""
    joints = {i.text for i in items if i.kind in ("sep", "row")}
    parts = split(items, ("sep", "row"))
    parts = [
        p
        for p in parts
        if any(i.kind != "space" and not (i.kind == "op" and i.text in " .") for i in p)
    ]
    if joints - {"and", "or"}:
        joints = (joints & {"or"}) or {","}
    return parts, joints


def _without_domains(nodes: list[Node]) -> list[Node]:
    """Without statements like `k ∈ ℤ` beside the expression that uses k, and without trailing dots."""
    kept = []
    for node in nodes:
        if node == Sym("…"):
            continue
        if isinstance(node, Op) and node.head == "rel" and node.args[0] == Sym("in"):
            where = node.args[2]
            names = free_symbols(node.args[1])
            if (
                isinstance(where, Sym)
                and (where.name[:1] in "ℝℤℕℚℂ" or where.name in v.SETS)
                and any(names & free_symbols(other) for other in nodes if other is not node)
            ):
                continue
        kept.append(node)
    return kept or nodes


def _read_top_segment(items: Items) -> Node:
    return _segment([i for i in items if i.kind != "space"], top=True)


def read_segment(items: Items, inner: bool) -> Node:
    """What stands between two commas of a bracket. inner: the bracket belongs to an expression (no units there)."""
    return _segment([i for i in items if i.kind != "space"], top=not inner)


def _segment(items: Items, top: bool) -> Node:
    if len(items) == 1 and items[0].kind in ("num", "name") and items[0].node is not None:
        return items[0].node
    while items and items[-1].kind == "op" and items[-1].text in (" ", "."):
        items = items[:-1]
    while items and items[0].kind == "op" and items[0].text == " ":
        items = items[1:]
    while (
        len(items) > 1
        and items[0].kind in ("word", "letters")
        and items[0].text.lower() in _FILLERS
    ):
        items = items[1:]
    if not items:
        raise Unreadable("empty")
    named = _named(items)
    if named is not None:
        return named
    if all(map(_is_wordy, items)) and any(i.kind == "word" or _is_unread(i) for i in items):
        return _text(" ".join(i.raw or i.text for i in items))
    if top:
        quantity = _quantity(items)
        if quantity is not None:
            return quantity
    return _equation(items)


def _is_unread(item: Token) -> bool:
    return item.kind == "group" and item.node is None


def _is_wordy(item: Token) -> bool:
    return item.kind in ("word", "letters", "name", "fn?") or (
        item.kind == "group" and item.node is None and item.text in "{(" and item.raw.isalpha()
    )


# Words of a name before a value, or of a unit after it.
MAX_NAME_ITEMS = 12
_FILLERS = frozenset(
    "either both exactly only approximately about roughly around just equals approx".split()
)
_COPULAS = frozenset("is are equals was".split())


def _named(items: Items) -> Node | None:
    """`Minimum: 1`, `Maximum = 2`, `the area is 5`: a value under a name in words."""
    for at, item in enumerate(items[: MAX_NAME_ITEMS + 1]):
        stops = (item.kind == "op" and item.text == ":") or (
            item.kind == "rel" and item.text in "=~"
        )
        if stops or (item.kind == "word" and item.text.lower() in _COPULAS):
            head, rest = items[:at], items[at + 1 :]
            if not rest:
                return None
            letter = (
                at == 1
                and item.text == ":"
                and head[0].kind == "name"
                and rest[0].spaced
                and not item.spaced
            )
            if not letter and not any(i.kind in ("word", "fn?") or _is_unread(i) for i in head):
                return None
            if any(i.kind == "rel" for i in head):
                return None
            name = " ".join(i.raw or i.text for i in head).lower()
            return Op("named", (Sym(name), _segment(rest, top=True)))
        if item.kind not in ("word", "letters", "name", "num", "fn", "fn?", "group", "op"):
            return None
    return None


def _quantity(items: Items) -> Node | None:
    """A value followed (or, for currencies, led) by a unit."""
    first = items[0]
    if len(items) > 1 and (
        (first.kind == "op" and first.text in "€£¥₹¢")
        or (first.kind == "word" and is_unit_word(first.text) and items[1].kind == "num")
    ):
        return with_unit(_segment(items[1:], top=True), first.text)
    for at in range(max(1, len(items) - MAX_NAME_ITEMS), len(items)):
        if _starts_unit(items, at) and all(map(_continues_unit, items[at:], items[at + 1 :])):
            try:
                value = _equation(items[:at])
            except Unreadable:
                return None
            if items[at].kind == "name" and free_symbols(_right_side(value)):
                return None  # behind `v_0` or `a^2`, a lone letter is one more variable
            return with_unit(value, " ".join(i.raw or i.text for i in items[at:]))
    return None


def _right_side(node: Node) -> Node:
    return node.args[2] if isinstance(node, Op) and node.head == "rel" else node


def _starts_unit(items: Items, at: int) -> bool:
    item = items[at]
    if item.kind in ("word", "fn?"):
        return True
    if item.kind == "op" and item.text in "€£¥₹¢":
        return True
    if item.kind == "letters":
        return is_unit_word(item.text)
    if item.kind == "group" and item.text == "{":
        return (item.node is None and item.raw.isalpha()) or (
            len(item.raw) > 1 and is_unit_word(item.raw)
        )
    before = items[at - 1]
    if item.kind == "name" and item.text in SINGLE_LETTERS and before.kind in ("num", "group"):
        followed = items[at + 1].text if at + 1 < len(items) else ""
        return (
            item.spaced
            and followed in ("", "/", "^")
            and (before.kind == "num" or before.text == "{")
        )
    return (
        item.kind == "name"
        and item.node == Sym("∘")
        and at + 1 < len(items)
        and items[at + 1].text in ("C", "F")
    )


def _continues_unit(before: Token, item: Token) -> bool:
    if item.kind in ("word", "letters", "fn?"):
        return True
    if item.kind == "num":
        return before.text in "^-"
    if item.kind == "op":
        return item.text in "^/*. -"
    return item.kind == "name" or (item.kind == "group" and item.raw.lstrip("-").isalnum())


def _equation(items: Items) -> Node:
    """A statement; `T(10) = 2` defines a value of T, it does not multiply."""
    if (
        len(items) > 3
        and items[0].kind in ("name", "letters")
        and items[1].kind == "group"
        and items[1].text == "("
        and items[1].node is not None
        and items[2].kind == "rel"
    ):
        inner = items[1].node
        arguments = inner.args[2:] if isinstance(inner, Op) and inner.head == "seq" else (inner,)
        node = statement([Token("name", "f", Sym("_")), *items[2:]])
        if isinstance(node, Op) and node.head == "rel":
            return Op("rel", (node.args[0], call(items[0].text, *arguments), node.args[2]))
        if isinstance(node, Op) and node.head == "chain":
            return Op("chain", (call(items[0].text, *arguments), *node.args[1:]))
    if (
        len(items) == 2
        and items[0].kind == "name"
        and items[0].text.isupper()
        and items[1].text == "("
    ):
        point = items[1].node
        if isinstance(point, Op) and point.head == "seq":
            return point  # A(2, 3) is the point, under its name
    return statement(items)
