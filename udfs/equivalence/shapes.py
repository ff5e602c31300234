"""What a tree is as an answer: a list, an equation under a name, a region, a quantity; and its parts."""

from __future__ import annotations

from fractions import Fraction

from udfs.equivalence import exact, matrices, scalars
from udfs.equivalence.keys import key
from udfs.equivalence.limits import MAX_PLUS_MINUS
from udfs.equivalence.tree import (
    CONSTANTS,
    Node,
    Num,
    Op,
    Sym,
    add,
    free_symbols,
    heads,
    negate,
    number,
    rebuild,
    substitute,
)
from udfs.equivalence.units import Unit, converted, letter_quantity, parse_unit
from udfs.equivalence.vocabulary import TRIGONOMETRIC

LISTS = frozenset(("list", "either", "both"))
SET_OPERATIONS = frozenset(("union", "inter", "minus"))
_REGION_HEADS = frozenset(("union", "inter", "minus", "such", "chain"))


def head_of(node: Node) -> str:
    return node.head if isinstance(node, Op) else ""


def simplify(node: Node) -> Node:
    """Single-item lists unwrapped, ± spelled out, chains of equations shortened."""
    if not isinstance(node, Op):
        return node
    if node.head == "chain":
        return short_chain(node)
    if node.head in LISTS or node.head in ("set", "system"):
        items: list[Node] = []
        for item in node.args:
            spread = simplify(item)
            if isinstance(spread, Op) and spread.head in LISTS and spread.head != "both":
                items.extend(spread.args)
            elif (
                isinstance(spread, Op)
                and spread.head == "set"
                and node.head in LISTS
                and len(node.args) == 1
            ):
                return spread
            else:
                items.append(spread)
        if len(items) == 1 and node.head != "set":
            return items[0]
        items = with_relation_of_first(items) if node.head in LISTS else items
        return Op("list" if node.head == "system" else node.head, tuple(items))
    if node.head in ("mul", "add", "rel") and "matrix" in heads(node):
        return matrices.folded(node)
    if heads(node) & {"pm", "mp"}:
        return spread_signs(node)
    return node


def with_relation_of_first(items: list[Node]) -> list[Node]:
    """`x ≠ 0, 1` and `x = 2, 5` speak of x in every item."""
    first = items[0]
    if not (isinstance(first, Op) and first.head == "rel" and isinstance(first.args[1], Sym)):
        return items
    sign, subject, _ = first.args
    bare = all(
        isinstance(i, Num) or (isinstance(i, Op) and i.head in ("add", "mul", "pow"))
        for i in items[1:]
    )
    if sign not in (Sym("="), Sym("!=")) or not bare:
        return items
    return [first, *(Op("rel", (sign, subject, i)) for i in items[1:])]


def short_chain(node: Op) -> Node:
    """`x = 6/2 = 3` says x = 3; `a/b ≈ 3.01` after an exact value says no more than that value.

    `(x - 1)/2 = y/3 = z`, where every side has variables of its own, stays: it is the equation of a line.
    """
    terms, signs = list(node.args[::2]), [s.name for s in node.args[1::2] if isinstance(s, Sym)]
    if not set(signs) <= {"=", "~"}:
        return node
    if (
        set(signs) == {"="}
        and all(isinstance(t, Sym) for t in terms[:-1])
        and not isinstance(terms[-1], Sym)
    ):
        return Op("all_equal", tuple(terms))
    names = [free_symbols(t) for t in terms]
    own = all(len(n) == 1 for n in names) and len(frozenset(names)) == len(terms) > 2
    if own and set(signs) == {"="}:
        return Op("ties", tuple(sorted(terms, key=key)))
    while len(signs) > 1 and signs[-1] == "~":
        signs.pop()
        terms.pop()
    return Op("rel", (Sym(signs[0]), terms[0], terms[len(signs)]))


def names_of_one_value(node: Node, other: Node) -> Node:
    """`x = y = 1` beside a list or tuple says x = 1, y = 1."""
    if isinstance(node, Op) and node.head == "rel" and node.args[0] == Sym("in"):
        member = isinstance(node.args[1], Sym) and not is_statement(other)
        return node.args[2] if member else node
    if isinstance(node, Op) and node.head == "all_equal":
        if is_collection(other):
            return Op(
                "list", tuple(Op("rel", (Sym("="), n, node.args[-1])) for n in node.args[:-1])
            )
        return Op("rel", (Sym("="), node.args[0], node.args[-1]))
    return node


def named_items(names: Node, values: Node) -> Op:
    """`(x, y) = (1, 2)` as the list x = 1, y = 2; sides of different length give the empty list."""
    pairs = list(zip(items_of(names), items_of(values), strict=False))
    if len(items_of(names)) != len(items_of(values)):
        pairs = []
    return Op("list", tuple(Op("rel", (Sym("="), n, v)) for n, v in pairs))


def spread_signs(node: Op) -> Node:
    """The list of values of an expression with ±: all upper signs, then all lower ones."""
    if node.head == "rel":
        sign, left, right = node.args
        spread = simplify(right)
        if isinstance(spread, Op) and spread.head == "list" and not heads(left) & {"pm", "mp"}:
            return Op("list", tuple(Op("rel", (sign, left, item)) for item in spread.args))
        return node
    if node.head == "named":
        return Op("named", (node.args[0], simplify(node.args[1])))
    if count_signs(node) > MAX_PLUS_MINUS:
        return node
    values = [with_sign(node, 1), with_sign(node, -1)]
    return Op("list", tuple(values)) if key(values[0]) != key(values[1]) else values[0]


def count_signs(node: Node) -> int:
    if not isinstance(node, Op):
        return 0
    return (node.head in ("pm", "mp")) + sum(map(count_signs, node.args))


def with_sign(node: Node, sign: int) -> Node:
    if not isinstance(node, Op):
        return node
    args = tuple(with_sign(x, sign) for x in node.args)
    if node.head in ("pm", "mp"):
        return args[0] if (sign > 0) == (node.head == "pm") else negate(args[0])
    return rebuild(node.head, args)


def undefined(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name == "undefined"
    return isinstance(node, Op) and any(map(undefined, node.args))


def is_equation(node: Node) -> bool:
    return isinstance(node, Op) and node.head == "rel" and node.args[0] in (Sym("="), Sym("~"))


def is_statement(node: Node) -> bool:
    return isinstance(node, Op) and node.head in ("rel", "chain")


def is_collection(node: Node) -> bool:
    return isinstance(node, Op) and (node.head in LISTS or node.head in ("seq", "set"))


def is_no_number(node: Node) -> bool:
    """Whether a node is a ratio of three or more, or made of sets: neither has a number's value."""
    if head_of(node) == "ratio":
        assert isinstance(node, Op)
        return len(node.args) > 2
    return head_of(node) in ("union", "inter", "minus")


def is_number(node: Node) -> bool:
    """Whether a node is a single number, written out or as a term, or a letter that stands for one and for no set."""
    if isinstance(node, Num):
        return True
    if isinstance(node, Sym):  # sets are named by capitals
        return node.name in CONSTANTS - {"undefined"} or (
            node.name.isascii() and node.name.islower()
        )
    arithmetic = ("add", "mul", "pow", "abs", "factorial", "deg", "percent")
    return (node.head in arithmetic or node.head.startswith("fn:")) and all(
        map(is_number, node.args)
    )


def is_region(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name.startswith("ℝ") or node.name == "R"
    if not isinstance(node, Op):
        return False
    if node.head in _REGION_HEADS:
        return True
    if node.head == "rel":
        return node.args[0] not in (Sym("="), Sym("~"))
    if node.head == "seq":
        return {brackets_of(node)} <= {("(", "]"), ("[", ")")}
    if node.head in LISTS:
        return any(is_region(x) for x in node.args) and any(
            head_of(x) in ("rel", "chain", "union") for x in node.args
        )
    return False


def brackets_of(node: Node) -> tuple[str, str]:
    assert isinstance(node, Op)
    opening, closing = node.args[0], node.args[1]
    assert isinstance(opening, Sym) and isinstance(closing, Sym)
    return opening.name, closing.name


def items_of(node: Node) -> list[Node]:
    assert isinstance(node, Op)
    return list(node.args[2:] if node.head == "seq" else node.args)


def rows_of(node: Node) -> list[list[Node]] | None:
    if not isinstance(node, Op):
        return None
    if node.head == "matrix":
        rows = [list(r.args) for r in node.args if isinstance(r, Op)]
        if len(rows) == 1 and len(rows[0]) == 1 and head_of(rows[0][0]) == "matrix":
            return rows_of(rows[0][0])
        return rows if rows and all(rows) else None
    if node.head in ("seq", "list"):
        items = items_of(node)
        nested = [rows_of(i) for i in items] if all(head_of(i) == "seq" for i in items) else []
        if nested and all(r is not None and len(r) == 1 for r in nested):
            return [r[0] for r in nested if r is not None]
        return [items]
    return None


def name_of(node: Node) -> str | None:
    """The name that the left side of `name = value` is: a symbol, f(x), A:B, |AB|, (x, y)… else None."""
    if isinstance(node, Sym):
        return node.name if node.name not in ("pi", "oo", "undefined", "_") else None
    if isinstance(node, Num):
        return None
    if node.head.startswith("fn:"):
        function = node.head[3:]
        of_symbols = (
            all(isinstance(x, Num | Sym) for x in node.args) and function not in TRIGONOMETRIC
        )
        named = len(function) == 1 or function.startswith(("_", "given")) or of_symbols
        return scalars.structure(node) if named else None
    if node.head in ("ratio", "mul", "add", "abs", "seq", "set", "matrix", "row") or (
        node.head == "pow" and node.args[1] == number(-1)
    ):
        parts = (
            node.args[2:]
            if node.head == "seq"
            else node.args[:1]
            if node.head == "pow"
            else node.args
        )
        names = [name_of(p) for p in parts]
        if all(n is not None for n in names):
            return scalars.structure(node)
    return None


def names_in(node: Node) -> frozenset[str]:
    return free_symbols(node)


def is_function_of(node: Node) -> bool:
    return (
        isinstance(node, Op)
        and node.head.startswith("fn:")
        and bool(node.args)
        and isinstance(node.args[0], Sym)
    )


def bound_renaming(a: Node, b: Node) -> dict[str, Node] | None:
    """f(m) against f(n): the renaming of the second argument list into the first."""
    if not (is_function_of(a) and is_function_of(b)):
        return None
    assert isinstance(a, Op) and isinstance(b, Op)
    if (
        a.head != b.head
        or len(a.args) != len(b.args)
        or not all(isinstance(x, Sym) for x in a.args + b.args)
    ):
        return None
    return {old.name: new for old, new in zip(b.args, a.args, strict=True)}  # type: ignore[union-attr]


def same_size(a: Node, b: Node) -> bool:
    return not (head_of(a) == "seq" and head_of(b) == "seq") or len(items_of(a)) == len(items_of(b))


def is_value_of_name(node: Node) -> bool:
    return isinstance(node, Op) and (
        node.head == "named" or (is_equation(node) and name_of(node.args[1]) is not None)
    )


def label_of(node: Node) -> str:
    assert isinstance(node, Op)
    first = node.args[0] if node.head == "named" else node.args[1]
    return scalars.structure(first)


def value_of(node: Node) -> Node:
    if not is_value_of_name(node):
        return node
    assert isinstance(node, Op)
    return node.args[1] if node.head == "named" else node.args[2]


def one_name(names: list[str]) -> bool:
    return len(set(names)) == 1


def roots_of(names: list[str]) -> set[str]:
    """The names without numbers in their subscripts: x_1 and x_2 are the roots of an equation in x."""
    return {name.rstrip("0123456789").removesuffix("_") for name in names}


def points_of(items: list[Node], others: list[Node]) -> list[Node]:
    """`x = 1, y = 2, x = 3, y = 4` as points where the others are points; else the items as they are."""
    size = len(others)
    values = [value_of(o) for o in others]
    if not 1 < size < len(items) or any(head_of(o) != "seq" for o in values):
        return items
    width = len(items) // size
    labels = [label_of(i) if is_value_of_name(i) else "" for i in items]
    cycle = labels[:width]
    if cycle * size != labels or len(set(cycle)) != width or "" in cycle:
        return items
    ends = (Sym("("), Sym(")"))
    return [
        Op("seq", ends + tuple(value_of(i) for i in items[at : at + width]))
        for at in range(0, len(items), width)
    ]


def constant_named_as(node: Node, other: Node) -> Node:
    """The node with its constant of integration named as in the other: `x^2 + c` beside `x^2 + C`."""
    mine, theirs = _constant_of(node), _constant_of(other)
    if mine is None or theirs is None or mine == theirs:
        return node
    return substitute(node, {mine: Sym(theirs)})


_CONSTANTS_OF_INTEGRATION = frozenset(("C", "c", "C_1", "c_1"))


def _constant_of(node: Node) -> str | None:
    """The name that is added to an expression and stands nowhere else in it, if it looks like a constant."""
    if not isinstance(node, Op) or node.head != "add":
        return None
    added = [
        t.name for t in node.args if isinstance(t, Sym) and t.name in _CONSTANTS_OF_INTEGRATION
    ]
    rest = tuple(t for t in node.args if not isinstance(t, Sym) or t.name not in added)
    if len(added) != 1 or any(added[0] in free_symbols(t) for t in rest):
        return None
    return added[0] if any(free_symbols(t) for t in rest) else None


def distinct(items: list[Node]) -> list[Node]:
    return list({key(i): i for i in items}.values())


def has_matching(edges: list[list[bool]]) -> bool:
    """Whether every row can have a column of its own (augmenting paths)."""
    owner: dict[int, int] = {}

    def assign(row: int, seen: set[int]) -> bool:
        for column, edge in enumerate(edges[row]):
            if edge and column not in seen:
                seen.add(column)
                if column not in owner or assign(owner[column], seen):
                    owner[column] = row
                    return True
        return False

    return all(assign(row, set()) for row in range(len(edges)))


def oriented(node: Op) -> list[tuple[str, Node]]:
    """The terms of a chain, small ones first, each with the sign before it."""
    args = node.args
    if node.head == "rel":
        args = (args[1], args[0], args[2])
    terms = list(args[::2])
    signs = [s.name for s in args[1::2] if isinstance(s, Sym)]
    if signs and all(s in (">", ">=") for s in signs):
        terms.reverse()
        signs = [{">": "<", ">=": "<="}[s] for s in reversed(signs)]
    return list(zip(["", *signs], terms, strict=True))


def digits_of(node: Op) -> str:
    digits = node.args[0]
    assert isinstance(digits, Sym)
    return digits.name.replace(" ", "").replace(",", "").lstrip("0").upper()


def split_unit(node: Node) -> tuple[Node, Unit | None, str | None]:
    if isinstance(node, Op) and node.head == "unit":
        unit = node.args[1]
        assert isinstance(unit, Sym)
        return node.args[0], parse_unit(unit.name), unit.name
    if isinstance(node, Op) and node.head == "compound":
        parts = [split_unit(p) for p in node.args]
        if parts[0][1] and parts[1][1] and parts[0][1].dimensions == parts[1][1].dimensions:
            total = add(tuple(converted(value, unit) for value, unit, _ in parts if unit))
            return total, Unit(parts[0][1].dimensions, Fraction(1)), "compound"
    quantity = letter_quantity(node)
    if quantity is not None:
        return quantity[0], parse_unit(quantity[1]), quantity[1]
    return node, None, None


def share_word(a: str, b: str) -> bool:
    """Whether two units have a word in common, number endings apart."""
    return bool({w[:4] for w in a.lower().split()} & {w[:4] for w in b.lower().split()})


def words_of(node: Node) -> str:
    assert isinstance(node, Op) and isinstance(node.args[0], Sym)
    return node.args[0].name


def cleared(p: exact.Polynomial) -> exact.Polynomial:
    """The polynomial times what makes its negative exponents vanish: the same zeros off the poles."""
    lowest: dict[str, Fraction] = {}
    for m in p:
        for atom, e in m:
            if e < 0 and not atom.startswith(("#", "~")):
                lowest[atom] = min(lowest.get(atom, e), e)
    if not lowest:
        return p
    out = {}
    for m, c in p.items():
        powers = dict(m)
        for atom, e in lowest.items():
            powers[atom] = powers.get(atom, Fraction(0)) - e
        out[tuple(sorted((a, e) for a, e in powers.items() if e))] = c
    return out


def has_irrational(p: exact.Polynomial) -> bool:
    return any(atom.startswith("#") or atom in ("pi", "ℯ", "ⅈ") for m in p for atom, _ in m)
