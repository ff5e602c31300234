"""Canonical keys: texts that are equal only for equivalent answers, and equal for most of them."""

from __future__ import annotations

from udfs.equivalence import scalars
from udfs.equivalence.tree import Node, Num, Sym

_UNORDERED = frozenset(("list", "either", "both", "union"))


def key(node: Node) -> str:
    """The canonical key of an answer's tree."""
    if isinstance(node, Num):
        return str(node.value)
    if isinstance(node, Sym):
        return node.name
    head = node.head
    if head in _UNORDERED:
        joint = " ∪ " if head == "union" else ", "
        return joint.join(sorted(key(a) for a in node.args))
    if head == "set":
        return "{" + ", ".join(sorted({key(a) for a in node.args})) + "}"
    if head == "seq":
        opening, closing = (a.name.lstrip("\\") for a in node.args[:2] if isinstance(a, Sym))
        return opening + ", ".join(key(a) for a in node.args[2:]) + closing
    if head == "rel":
        return f"{key(node.args[1])} {key(node.args[0])} {key(node.args[2])}"
    if head == "chain":
        return " ".join(key(a) for a in node.args)
    if head == "matrix":
        return "[" + "; ".join(key(a) for a in node.args) + "]"
    if head == "row":
        return ", ".join(key(a) for a in node.args)
    if head == "text":
        from udfs.equivalence.words import content_words

        first = node.args[0]
        assert isinstance(first, Sym)
        return (
            "text: " + " ".join(content_words(first.name))
            if content_words(first.name)
            else "text: " + first.name
        )
    if head == "percent":
        return key(node.args[0]) + "%"
    if head == "deg":
        return key(node.args[0]) + "°"
    if head == "unit":
        return f"{key(node.args[0])} {key(node.args[1]).lower()}"
    if head == "named":
        return f"{key(node.args[0])}: {key(node.args[1])}"
    if head == "base":
        return f"{key(node.args[0])}_{key(node.args[1])}"
    if head in ("such", "system", "inter", "minus", "pm", "mp"):
        return f"{head}({'; '.join(key(a) for a in node.args)})"
    if head == "ratio":
        return ":".join(key(a) for a in node.args)
    return scalars.key(node)
