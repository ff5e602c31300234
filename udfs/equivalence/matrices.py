"""Arithmetic with matrices, and vectors in terms of unit vectors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from udfs.equivalence.tree import Node, Num, Op, Sym, add, multiply

_UNIT_VECTORS = ("i", "j", "k")


def folded(node: Node) -> Node:
    """The node with sums of matrices and multiples of a matrix carried out, as far as their sizes allow."""
    if not isinstance(node, Op) or node.head not in ("mul", "add", "rel"):
        return node
    args = tuple(map(folded, node.args))
    matrices = [a for a in args if isinstance(a, Op) and a.head == "matrix"]
    others = tuple(a for a in args if not (isinstance(a, Op) and a.head == "matrix"))
    if node.head == "mul" and len(matrices) == 1 and others:
        return _entrywise(matrices, lambda entries: multiply((*others, *entries)))
    if node.head == "add" and matrices and not others and len(set(map(_size, matrices))) == 1:
        return _entrywise(matrices, add)
    return Op(node.head, args)


def _rows(matrix: Op) -> list[tuple[Node, ...]]:
    return [row.args for row in matrix.args if isinstance(row, Op)]


def _size(matrix: Op) -> tuple[int, ...]:
    return tuple(map(len, _rows(matrix)))


def _entrywise(matrices: list[Op], combine: Callable[[tuple[Node, ...]], Node]) -> Op:
    rows = [
        Op("row", tuple(combine(entries) for entries in zip(*same_row, strict=True)))
        for same_row in zip(*map(_rows, matrices), strict=True)
    ]
    return Op("matrix", tuple(rows))


def coordinates(node: Node, length: int) -> Node | None:
    """`3i + 4j` as the tuple of its coordinates; None where it is no sum of multiples of i, j and k."""
    if length not in (2, 3) or not isinstance(node, Op) or node.head not in ("add", "mul"):
        return None
    found: dict[str, Node] = {}
    for term in node.args if node.head == "add" else (node,):
        factors = term.args if isinstance(term, Op) and term.head == "mul" else (term,)
        names = [n for n in map(_unit_vector, factors) if n]
        if len(names) != 1 or names[0] in found:
            return None
        rest = tuple(f for f in factors if not _unit_vector(f))
        found[names[0]] = multiply(rest) if rest else _ONE
    if "j" not in found or ("k" in found and length == 2):
        return None  # without a j it is a complex number
    ends = (Sym("("), Sym(")"))
    return Op("seq", ends + tuple(found.get(n, _ZERO) for n in _UNIT_VECTORS[:length]))


def column_of(node: Node) -> Node:
    """`\\binom{2}{-1}` and `(2, -1)^T`, which beside a matrix are columns; any other node unchanged."""
    if isinstance(node, Op) and node.head == "fn:binom" and len(node.args) == 2:
        return Op("matrix", tuple(Op("row", (x,)) for x in node.args))
    if isinstance(node, Op) and node.head == "fn:markedT" and isinstance(node.args[0], Op):
        row = node.args[0]
        if row.head == "seq":
            return Op("matrix", tuple(Op("row", (x,)) for x in row.args[2:]))
    return node


def _unit_vector(node: Node) -> str | None:
    if not isinstance(node, Sym):
        return None
    name = node.name.removeprefix("→").replace("ⅈ", "i")
    return name if name in _UNIT_VECTORS else None


_ZERO, _ONE = Num(Fraction(0)), Num(Fraction(1))
