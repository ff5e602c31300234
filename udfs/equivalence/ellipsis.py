"""Products and sums with dots, `(v - a_1)(v - a_2)⋯(v - a_n)`: written out for a few n, to be compared for each.

The terms around the dots show the rule: what has index 2 before them has index n behind them.
"""

from __future__ import annotations

import re

from udfs.equivalence.tree import Node, Num, Op, Sym, has_symbol, number, rebuild

DOTS = Sym("…")
# Lengths for which both sides have to agree.
LENGTHS = (3, 4, 6)

_INDEXED = re.compile(r"(.+)_\{?(\w+)\}?")


def has_dots(node: Node) -> bool:
    return has_symbol(node, DOTS.name)


def written_out(node: Node, last: str, length: int) -> Node | None:
    """The node with dots filled up to index `length`, and `last` (the n behind the dots) set to it.

    None where the terms beside the dots show no rule.
    """
    if not isinstance(node, Op):
        return number(length) if node == Sym(last) else _indexed(node, last, str(length))
    args: list[Node] = []
    for at, item in enumerate(node.args):
        if item == DOTS:
            filling = _filling(node.args, at, last, length)
            if filling is None:
                return None
            args += filling
        else:
            written = written_out(item, last, length)
            if written is None:
                return None
            args.append(written)
    return rebuild(node.head, tuple(args))


def _filling(args: tuple[Node, ...], at: int, last: str, length: int) -> list[Node] | None:
    """The terms with index 3 to length - 1, made from the one with index 2 before the dots."""
    if at < 2 or at + 1 >= len(args) or node_kind(args[at - 1]) != node_kind(args[at + 1]):
        return None
    second, final = args[at - 1], args[at + 1]
    if _reindexed(second, "2", last) != final or _reindexed(args[at - 2], "1", "2") != second:
        return None
    return [_reindexed(second, "2", str(k)) for k in range(3, length)]


def node_kind(node: Node) -> str:
    return node.head if isinstance(node, Op) else type(node).__name__


def _reindexed(node: Node, old: str, new: str) -> Node:
    if isinstance(node, Op):
        return rebuild(node.head, tuple(_reindexed(x, old, new) for x in node.args))
    return _indexed(node, old, new)


def _indexed(node: Node, old: str, new: str) -> Node:
    if isinstance(node, Num):
        return node
    assert isinstance(node, Sym)
    m = _INDEXED.fullmatch(node.name)
    return Sym(f"{m[1]}_{new}") if m and m[2] == old else node


def last_indices(node: Node) -> set[str]:
    """The letters that stand as an index somewhere: candidates for n."""
    if isinstance(node, Op):
        return set().union(*map(last_indices, node.args))
    m = _INDEXED.fullmatch(node.name) if isinstance(node, Sym) else None
    return {m[2]} if m and m[2].isalpha() else set()
