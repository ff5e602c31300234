"""Brackets by a stack: each bracket's content becomes a node when it closes, so nesting costs no recursion."""

from __future__ import annotations

from collections.abc import Callable

from udfs.equivalence.grammar import Items, Parser
from udfs.equivalence.limits import MAX_DEPTH
from udfs.equivalence.tokens import Token, Unreadable
from udfs.equivalence.tree import Node, Num, Op, Sym, call, divide

SegmentReader = Callable[[Items, bool], Node]

_MATRICES = frozenset("matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix array".split())
_OPERANDS = frozenset(("num", "name", "letters", "group", "word", "dots"))


def _is_operand(item: Token) -> bool:
    return item.kind in _OPERANDS or (item.kind == "op" and item.text in "!%'")


class _Frame:
    """An open bracket and what has been read since."""

    __slots__ = ("depth", "items", "open")

    def __init__(self, opening: str) -> None:
        self.open = opening
        self.items: Items = []
        self.depth = 0


def group(tokens: list[Token], read_segment: SegmentReader) -> Items:
    """The items of the outermost level; every bracket has become one `group` item with its node.

    A bracket whose content is not mathematics becomes an item without a node, which is an error only where
    the node is needed (it may be the name in a subscript). Raises Unreadable where brackets do not match.
    """
    stack = [_Frame("")]
    for token in tokens:
        frame = stack[-1]
        kind, text = token.kind, token.text
        if kind == "open":
            stack.append(_Frame(text))
            if token.spaced:
                stack[-1].items.append(Token("space", ""))
        elif kind == "env":
            stack.append(_Frame("env:" + text))
        elif kind == "close" or kind == "end":
            _close(stack, "env:" + text if kind == "end" else text, read_segment)
        elif kind == "op" and text in ("|", "‖"):
            _bar(stack, token, read_segment)
        elif kind == "op" and text == ":" and frame.open == "\\{" and _is_subject(frame.items):
            frame.items.append(Token("mid", "|"))
        else:
            frame.items.append(token)
    while len(stack) > 1:
        if stack[-1].open == "{":
            _close(stack, "}", read_segment)
        elif stack[-1].open == "|":
            _unopen_bar(stack)
        else:
            raise Unreadable("bracket not closed")
    return stack[0].items


def _is_subject(items: Items) -> bool:
    """Whether a colon after these items opens the condition of a set: `{x: …`, `{x ∈ ℝ: …`."""
    return len(items) <= 3 or any(i.kind == "rel" and i.text == "in" for i in items[:4])


def _bar(stack: list[_Frame], token: Token, read_segment: SegmentReader) -> None:
    frame = stack[-1]
    items = [i for i in frame.items if i.kind != "space"]
    after_operand = bool(items) and _is_operand(items[-1])
    if frame.open == "|" and after_operand:
        _close(stack, "|", read_segment)
    elif after_operand and items[-1].kind != "num" and frame.open in ("\\{", "{", "("):
        frame.items.append(Token("mid", "|"))
    else:
        stack.append(_Frame("|"))


def _unopen_bar(stack: list[_Frame]) -> None:
    """Takes an opening bar back that never closed: it divides."""
    frame = stack.pop()
    stack[-1].items.append(Token("mid", "|"))
    stack[-1].items.extend(frame.items)
    stack[-1].depth = max(stack[-1].depth, frame.depth)


def _close(stack: list[_Frame], closing: str, read_segment: SegmentReader) -> None:
    while stack[-1].open == "|" and closing != "|":
        _unopen_bar(stack)
    frame = stack[-1]
    if not _matches(frame.open, closing):
        if closing == "}":
            return  # a stray brace, often left by whoever cut the answer out
        raise Unreadable("brackets do not match")
    stack.pop()
    spaced = bool(frame.items) and frame.items[0].kind == "space"
    items = frame.items[1:] if spaced else frame.items
    if frame.open == "{" and len(items) == 1 and items[0].kind in ("num", "name"):
        item = items[0]  # most groups are one sign
        stack[-1].items.append(Token("group", "{", item.node, spaced, item.text))
        return
    try:
        node = _bracket(frame.open, closing, items, read_segment)
    except (Unreadable, RecursionError):
        node = None
    if isinstance(node, Op) and node.head == "text" and frame.open in ("{", "("):
        node = None
    depth = frame.depth + (not isinstance(node, Num | Sym) and len(items) != 1)
    if depth > MAX_DEPTH:
        raise Unreadable("nested too deeply")
    stack[-1].depth = max(stack[-1].depth, depth)
    stack[-1].items.append(Token("group", frame.open, node, spaced, _raw(items)))


def _matches(opening: str, closing: str) -> bool:
    if opening.startswith("env:"):
        return closing.startswith("env:")
    if opening in ("(", "["):
        return closing in (")", "]")
    if opening == "\\{":
        return closing in ("\\}", "}")
    return {"{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "|": "|"}.get(opening) == closing


def _raw(items: Items) -> str:
    return "".join(i.raw or i.text for i in items)[:200]


def split(items: Items, kinds: tuple[str, ...]) -> list[Items]:
    """The items between separators; empty stretches vanish."""
    parts: list[Items] = [[]]
    for item in items:
        if item.kind in kinds:
            parts.append([])
        else:
            parts[-1].append(item)
    return [p for p in parts if p]


def _bracket(opening: str, closing: str, items: Items, read_segment: SegmentReader) -> Node | None:
    if opening.startswith("env:"):
        return _environment(opening[4:], items, read_segment)
    if opening == "|":
        return Op("abs", (read_segment(items, True),))
    if opening == "(" and any(i.kind == "op" and i.text in "+-" for i in items):
        items = [
            Token("op", "/") if i.kind == "op" and i.text == ":" else i for i in items
        ]  # `(a : b - c)`
    if opening in ("\\{", "{", "(") and any(i.kind == "mid" for i in items):
        return _conditional(opening, items, read_segment)
    if not items:
        return Op("set", ()) if opening == "\\{" else None
    for at, item in enumerate(items):
        if item.kind == "cmd" and item.text in ("choose", "over", "atop") and opening == "{":
            top, bottom = Parser(items[:at]).whole(), Parser(items[at + 1 :]).whole()
            return divide(top, bottom) if item.text == "over" else call("binom", top, bottom)
    segments = split(items, ("sep",))
    if opening == "\\{" or (opening == "{" and len(segments) > 1):
        return Op("set", tuple(read_segment(s, False) for s in segments))
    if opening in ("⌊", "⌈"):
        return call("floor" if opening == "⌊" else "ceil", read_segment(items, True))
    if len(segments) == 1 and opening != "⟨":
        return read_segment(segments[0], opening == "{" or len(items) > 1)
    ends = (Sym(opening), Sym(closing))
    return Op("seq", ends + tuple(read_segment(s, False) for s in segments))


def _conditional(opening: str, items: Items, read_segment: SegmentReader) -> Node:
    """`{x | x > 2}`: a set described by a condition."""
    at = next(n for n, i in enumerate(items) if i.kind == "mid")
    left = read_segment(items[:at], True)
    rest = [i if i.kind != "mid" else Token("sep", ",") for i in items[at + 1 :]]
    conditions = tuple(read_segment(s, False) for s in split(rest, ("sep",)))
    if opening == "(":
        return call("given", left, *conditions)
    return Op("such", (left, *conditions))


def _environment(name: str, items: Items, read_segment: SegmentReader) -> Node:
    rows = split(items, ("row",))
    if name in _MATRICES:
        cells = [[read_segment(c, True) for c in split(row, ("cell",))] for row in rows]
        matrix = Op("matrix", tuple(Op("row", tuple(r)) for r in cells))
        if name == "vmatrix":
            return call("det", matrix)
        return matrix
    lines = [[i for i in row if i.kind != "cell"] for row in rows]
    parts = [read_segment(s, False) for line in lines for s in split(line, ("sep",))]
    if name == "cases":
        return Op("system", tuple(parts))
    return parts[0] if len(parts) == 1 else Op("list", tuple(parts))
