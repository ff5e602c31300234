"""Equivalence of two answers as read: lists, tuples, sets, intervals, equations, matrices, quantities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from udfs.equivalence import exact, numeric, regions
from udfs.equivalence.keys import key
from udfs.equivalence.limits import MAX_MATCHED_PAIRS
from udfs.equivalence.matrices import column_of, coordinates
from udfs.equivalence.scalars import Decided, same_value
from udfs.equivalence.shapes import (
    LISTS,
    SET_OPERATIONS,
    bound_renaming,
    brackets_of,
    cleared,
    constant_named_as,
    digits_of,
    distinct,
    has_irrational,
    has_matching,
    head_of,
    is_collection,
    is_equation,
    is_function_of,
    is_no_number,
    is_number,
    is_region,
    is_statement,
    is_value_of_name,
    items_of,
    label_of,
    name_of,
    named_items,
    names_in,
    names_of_one_value,
    one_name,
    oriented,
    points_of,
    roots_of,
    rows_of,
    same_size,
    share_word,
    simplify,
    split_unit,
    undefined,
    value_of,
    words_of,
)
from udfs.equivalence.tree import (
    Node,
    Num,
    Op,
    Sym,
    add,
    divide,
    free_symbols,
    multiply,
    negate,
    number,
    substitute,
)
from udfs.equivalence.units import converted, is_certain_unit, letter_quantity
from udfs.equivalence.words import same_text
from udfs.policy import Policy


def _listed(node: Node) -> list[Node]:
    """The items of a list; a single None-like item where the node is none, so that no rule for lists applies."""
    return items_of(node) if head_of(node) in LISTS else [node]


def _in_dozens(unit: str | None) -> bool:
    return unit is not None and unit.lower().startswith("dozen")


class Comparison:
    """One comparison under a policy. `same` answers True, False, or None where it stays open."""

    def __init__(self, policy: Policy, renaming: bool = False) -> None:
        self.policy = policy
        self.renaming = renaming and policy.renamed_parameters
        self.how = Decided()
        self.in_list = False
        self.kind = ""  # the structure on which the verdict rests, for its method

    def same(self, a: Node, b: Node) -> bool | None:
        a, b = simplify(a), simplify(b)
        if a == b:
            return not undefined(a)
        if head_of(a) == "text" or head_of(b) == "text":
            return self._texts(a, b)
        if head_of(a) == "named" or head_of(b) == "named":
            return self._named(a, b)
        a, b = names_of_one_value(a, b), names_of_one_value(b, a)
        ra, rb = is_equation(a), is_equation(b)
        if ra and rb:
            return self._equations(a, b)
        if is_region(a) or is_region(b):
            verdict = self._regions(a, b)
            if verdict is not None:
                return verdict
        if head_of(a) in SET_OPERATIONS and head_of(a) == head_of(b):
            return self._set_terms(a, b)
        if ra or rb:
            return self._equation_and_value(a, b) if ra else self._equation_and_value(b, a)
        if is_collection(a) or is_collection(b):
            return self._collections(a, b)
        if head_of(a) == "matrix" or head_of(b) == "matrix":
            return self._matrices(a, b)
        if is_statement(a) or is_statement(b):
            return self._statements(a, b)
        return self._quantities(a, b)

    # --- words ---------------------------------------------------------------------------------------------------

    def _texts(self, a: Node, b: Node) -> bool:
        self.kind = "text"
        return head_of(a) == head_of(b) == "text" and same_text(words_of(a), words_of(b))

    def _named(self, a: Node, b: Node) -> bool | None:
        if head_of(a) == head_of(b) == "named":
            assert isinstance(a, Op) and isinstance(b, Op)
            if head_of(a.args[1]) == "text" or head_of(b.args[1]) == "text":
                return a == b  # `my hat is here` says nothing under a name
            return (
                self.same(a.args[1], b.args[1]) if share_word(label_of(a), label_of(b)) else False
            )
        named, other = (a, b) if head_of(a) == "named" else (b, a)
        assert isinstance(named, Op)
        return self.same(named.args[1], other)

    # --- equations -----------------------------------------------------------------------------------------------

    def _equations(self, a: Node, b: Node) -> bool | None:
        assert isinstance(a, Op) and isinstance(b, Op)
        (_, la, ra), (_, lb, rb) = a.args, b.args
        na, nb = name_of(la), name_of(lb)
        if na is not None and nb is not None:
            bound = bound_renaming(la, lb)
            if bound is not None:
                return self.same(ra, substitute(rb, bound))
            if na == nb:
                return self._renamed(ra, rb, names_in(la))
            if (is_function_of(la) and isinstance(lb, Sym)) or (
                is_function_of(lb) and isinstance(la, Sym)
            ):
                return self.same(ra, rb)  # y = x + 1 and f(x) = x + 1
        if key(la) == key(lb) and self.same(ra, rb):
            return True
        if is_collection(la) or is_collection(lb) or is_collection(ra) or is_collection(rb):
            if na is not None and nb is not None:
                return (
                    self._renamed(ra, rb, names_in(la) | names_in(lb))
                    if same_size(la, lb)
                    else False
                )
            return False
        return self._proportional(add((la, negate(ra))), add((lb, negate(rb))))

    def _proportional(self, f: Node, g: Node, positive: bool = False) -> bool | None:
        """Whether f = c·g for a constant c ≠ 0 (c > 0 where asked): the same equation (inequality)."""
        try:
            p, q = cleared(exact.normal_form(f).top), cleared(exact.normal_form(g).top)
        except exact.Undefined:
            return False
        except (exact.TooLarge, RecursionError, OverflowError):
            return None
        if not p or not q:
            return p == q
        opaque = exact.is_opaque(p) or exact.is_opaque(q)
        if p.keys() == q.keys():
            m = next(iter(p))
            ratio = p[m] / q[m]
            if all(c == ratio * q[n] for n, c in p.items()):
                return ratio > 0 if positive else True
        names = sorted(free_symbols(f) | free_symbols(g))
        if names and (opaque or has_irrational(p) or has_irrational(q)):
            self.how.note("numeric")
            return self._constant_ratio(f, g, names)
        return None if opaque else False

    def _constant_ratio(self, f: Node, g: Node, names: list[str]) -> bool | None:
        point: dict[str, Node] = {
            n: divide(number(i * 3 + 2), number(5)) for i, n in enumerate(names)
        }
        first = divide(substitute(f, point), substitute(g, point))
        return numeric.agree(f, multiply((first, g)))

    def _equation_and_value(self, equation: Node, value: Node) -> bool | None:
        """`x = 3` against `3`; else the equation solved for a variable in which it is linear."""
        assert isinstance(equation, Op)
        sign, left, right = equation.args
        if name_of(left) is None and name_of(right) is not None:
            left, right = right, left
        if head_of(left) == head_of(right) == "seq" and all(map(is_value_of_name, _listed(value))):
            return self._collections(named_items(left, right), value)
        if sign == Sym("~") and not free_symbols(left) and not is_collection(left):
            return self.same(left, value)
        if name_of(left) is not None and not (head_of(left) == "add" and right == number(0)):
            verdict = self._renamed(right, value, names_in(left))
            if verdict or isinstance(left, Sym) or is_collection(left) or is_collection(value):
                return verdict
        if is_collection(value) or is_collection(left) or is_collection(right):
            return False
        if self._solves(equation, value):
            return True
        identity = self.same(left, right)  # a calculation written out, `(a + b)^2 = a^2 + …`
        return self.same(left, value) if identity else False

    def _solves(self, equation: Op, value: Node) -> bool:
        f = add((equation.args[1], negate(equation.args[2])))
        names = free_symbols(f)
        if not isinstance(value, Num | Sym | Op) or head_of(value) in (
            "matrix",
            "text",
            "unit",
            "rel",
            "chain",
        ):
            return False
        for name in sorted(names - free_symbols(value)):
            try:
                form = exact.normal_form(f)
                powers = {e for m in form.top for atom, e in m if atom == name}
                if powers != {1} or any(
                    name in atom for m in form.top for atom, _ in m if atom.startswith("~")
                ):
                    continue
                if (
                    len(names) < 2
                    and not free_symbols(value)
                    and isinstance(value, Num)
                    and value.value == 0
                ):
                    continue
            except (exact.Undefined, exact.TooLarge, RecursionError, OverflowError):
                continue
            if same_value(substitute(f, {name: value}), number(0), self.policy, self.how):
                return True
        return False

    def _renamed(self, a: Node, b: Node, names: frozenset[str] = frozenset()) -> bool | None:
        """Equality, where allowed up to a renaming of the parameters of a family of solutions."""
        verdict = self.same(a, b)
        if verdict or not self.policy.renamed_parameters or not (self.renaming or len(names) > 1):
            return verdict
        mine = sorted(free_symbols(a) - free_symbols(b) - names)
        theirs = sorted(free_symbols(b) - free_symbols(a) - names)
        if not mine or len(mine) != len(theirs) or len(mine) > 3:
            return verdict
        for order in permutations(theirs):
            if self.same(
                a, substitute(b, {old: Sym(new) for old, new in zip(order, mine, strict=True)})
            ):
                return True
        return verdict

    # --- sets of real numbers, inequalities ----------------------------------------------------------------------

    def _regions(self, a: Node, b: Node) -> bool | None:
        try:
            (x, nx), (y, ny) = regions.region(a), regions.region(b)
        except regions.NoRegion:
            return None
        self.kind = "interval"
        if nx is not None and ny is not None and nx != ny:
            return None if is_statement(a) and is_statement(b) else False  # `a > b` is `b < a`
        return self._same_regions(x, y)

    def _set_terms(self, a: Node, b: Node) -> bool | None:
        """Unions, intersections and differences of sets that have only names: `A ∩ B` is `B ∩ A`."""
        assert isinstance(a, Op) and isinstance(b, Op)
        self.kind = "set"
        if len(a.args) != len(b.args):
            return None
        if a.head != "minus" and self._any_order(a.args, b.args):
            return True
        return self._in_order(a.args, b.args) or None

    def _same_regions(self, x: regions.Region, y: regions.Region) -> bool | None:
        if len(x) != len(y):
            return False
        verdict: bool | None = True
        for i, j in zip(x, y, strict=True):
            if (i.low_closed, i.high_closed) != (j.low_closed, j.high_closed):
                return False
            for p, q in ((i.low, j.low), (i.high, j.high)):
                part = self.same(p, q)
                if part is False:
                    return False
                verdict = verdict and part
        return verdict

    def _statements(self, a: Node, b: Node) -> bool | None:
        """Inequalities and chains that are no sets of numbers: the same terms under the same signs."""
        if not (is_statement(a) and is_statement(b)):
            return False
        assert isinstance(a, Op) and isinstance(b, Op)
        x, y = oriented(a), oriented(b)
        if [s for s, _ in x] == [s for s, _ in y]:
            parts = [self.same(p, q) for (_, p), (_, q) in zip(x, y, strict=True)]
            if all(parts):
                return True
        if a.head == b.head == "rel" and x[1][0] == y[1][0] in ("<", "<="):
            return self._proportional(
                add((x[0][1], negate(x[1][1]))), add((y[0][1], negate(y[1][1]))), positive=True
            )
        return False

    # --- lists, tuples, sets -------------------------------------------------------------------------------------

    def _collections(self, a: Node, b: Node) -> bool | None:
        self.kind = self.kind or ("set" if "set" in (head_of(a), head_of(b)) else "list")
        if not (is_collection(a) and is_collection(b)):
            if head_of(a) == "matrix" or head_of(b) == "matrix":
                return self._matrices(a, b)
            only, other = (a, b) if is_collection(a) else (b, a)
            items = items_of(only)
            vector = coordinates(other, len(items)) if head_of(only) == "seq" else None
            if vector is not None:
                return self._in_order(items, items_of(vector))
            if head_of(only) == "either" and all(self.same(i, other) for i in items):
                return True  # `0.5 or 50%` says one thing in two ways
            return (
                self.same(items[0], other) if len(items) == 1 and head_of(only) != "seq" else False
            )
        x, y = points_of(items_of(a), items_of(b)), points_of(items_of(b), items_of(a))
        ordered = self._is_ordered(a, b)
        if ordered is None:
            return False
        if head_of(a) == "set" or head_of(b) == "set" or all(head_of(i) == "seq" for i in x + y):
            x, y = distinct(x), distinct(y)
        if len(x) != len(y):
            return False
        if all(map(is_value_of_name, x)) and all(map(is_value_of_name, y)):
            names_x, names_y = [label_of(i) for i in x], [label_of(i) for i in y]
            folded = [n.lower() for n in names_x]
            if len(set(folded)) == len(folded):  # `A: 5` names what `A = 5` names
                names_x, names_y = folded, [n.lower() for n in names_y]
            if sorted(names_x) == sorted(names_y) and len(set(names_x)) == len(names_x):
                y = [y[names_y.index(n)] for n in names_x]
                return self._in_order(x, y)
            if one_name(names_x) != one_name(names_y) and roots_of(names_x) == roots_of(names_y):
                x, y = [value_of(i) for i in x], [value_of(i) for i in y]
        names = frozenset().union(*(names_in(i.args[1]) for i in x + y if is_equation(i)))  # type: ignore[union-attr]
        stripped = any(map(is_value_of_name, x)) != any(map(is_value_of_name, y))
        if stripped or self.renaming:
            x, y = [value_of(i) for i in x], [value_of(i) for i in y]
        free = not ordered and self.policy.unordered_lists
        verdict = self._any_order(x, y) if free else self._in_order(x, y)
        if verdict or not self.renaming:
            return verdict
        return self._list_renamed(x, y, names, ordered)

    def _list_renamed(
        self, x: list[Node], y: list[Node], names: frozenset[str], ordered: bool
    ) -> bool | None:
        mine = frozenset().union(*map(free_symbols, x)) - names
        theirs = frozenset().union(*map(free_symbols, y)) - names
        mine, theirs = mine - theirs, theirs - mine
        if len(mine) != 1 or len(theirs) != 1:
            return False
        y = [substitute(i, {next(iter(theirs)): Sym(next(iter(mine)))}) for i in y]
        return self._in_order(x, y) if ordered else self._any_order(x, y)

    def _is_ordered(self, a: Node, b: Node) -> bool | None:
        """Whether order counts; None where the brackets forbid equality."""
        seqs = [n for n in (a, b) if head_of(n) == "seq"]
        if len(seqs) == 2:
            (p, q) = (brackets_of(s) for s in seqs)
            return None if p != q and len(items_of(a)) == 2 and "⟨" not in (p[0], q[0]) else True
        if len(seqs) == 1:
            other = a if seqs[0] is b else b
            opening, closing = brackets_of(seqs[0])
            if (opening == "[") != (closing == "]"):
                return None  # a half-open interval is no list
            if head_of(other) == "set":
                return False if opening == "[" else None
            if opening == "[" and head_of(other) in LISTS:
                return len(items_of(seqs[0])) == 2
            return True
        return False

    def _in_order(self, x: Sequence[Node], y: Sequence[Node]) -> bool | None:
        verdict: bool | None = True
        for p, q in zip(x, y, strict=True):
            part = self.same(p, q)
            if part is False:
                return False
            verdict = verdict and part
        return verdict

    def _any_order(self, x: Sequence[Node], y: Sequence[Node]) -> bool | None:
        """A perfect matching: equal keys first, the rest by comparing pairs (augmenting paths)."""
        left: list[Node] = []
        keys: dict[str, list[Node]] = {}
        for node in y:
            keys.setdefault(key(node), []).append(node)
        for node in x:
            same = keys.get(key(node))
            if same and not undefined(node):
                same.pop()
            else:
                left.append(node)
        right = [n for nodes in keys.values() for n in nodes]
        if not left:
            return True
        if len(left) ** 2 > MAX_MATCHED_PAIRS:
            self.how.open = True
            return None if not all(isinstance(n, Num) for n in left + right) else False
        self.in_list = True  # `4 cats and 2 dogs` are not 2 cats and 4 dogs
        edges = [[self.same(p, q) for q in right] for p in left]
        if has_matching([[e is True for e in row] for row in edges]):
            return True
        return None if has_matching([[e is not False for e in row] for row in edges]) else False

    # --- matrices ------------------------------------------------------------------------------------------------

    def _matrices(self, a: Node, b: Node) -> bool | None:
        self.kind = "matrix"
        a, b = column_of(a), column_of(b)
        x, y = rows_of(a), rows_of(b)
        for rows, other in ((x, b), (y, a)):
            if rows is not None and head_of(other) in ("add", "mul"):
                column = [c for row in rows for c in row]
                vector = coordinates(other, len(column)) if 1 in (len(rows), len(rows[0])) else None
                return False if vector is None else self._in_order(column, items_of(vector))
        if x is None or y is None:
            return False
        if head_of(a) != "matrix" or head_of(b) != "matrix":  # a vector written as a tuple
            x, y = (
                [[c for row in m for c in row]] if 1 in (len(m), len(m[0])) else m for m in (x, y)
            )
        if [len(r) for r in x] != [len(r) for r in y]:
            return False
        return self._in_order([c for r in x for c in r], [c for r in y for c in r])

    # --- quantities ----------------------------------------------------------------------------------------------

    def _quantities(self, a: Node, b: Node) -> bool | None:
        policy = self.policy
        if head_of(a) == "percent" or head_of(b) == "percent":
            return self._percents(a, b)
        if head_of(a) == "base" or head_of(b) == "base":
            return self._bases(a, b)
        for angle, other in ((a, b), (b, a)):
            if head_of(angle) == "deg" and head_of(other) == "unit":
                assert isinstance(other, Op)
                return other.args[1] == Sym("radian") and same_value(
                    angle, other.args[0], policy, self.how
                )
        if {"unit", "compound"} & {head_of(a), head_of(b)}:
            return self._units(a, b)
        if head_of(a) == head_of(b) == "deg":
            return self.same(a.args[0], b.args[0])  # type: ignore[union-attr]
        if head_of(a) == "ratio" and head_of(b) == "ratio":
            return self._ratios(a, b)
        if (is_no_number(a) and is_number(b)) or (is_no_number(b) and is_number(a)):
            return False
        if head_of(a) == head_of(b) == "ties":
            return self._in_order(a.args, b.args) if len(a.args) == len(b.args) else False  # type: ignore[union-attr]
        if head_of(a) == "deg" or head_of(b) == "deg":
            angle, other = (a, b) if head_of(a) == "deg" else (b, a)
            assert isinstance(angle, Op)
            if policy.degrees and same_value(angle.args[0], other, policy, self.how):
                return True
        verdict = same_value(a, constant_named_as(b, a), policy, self.how)
        if verdict is True or not policy.units:
            return verdict
        quantities = letter_quantity(a), letter_quantity(b)
        if all(q is not None and is_certain_unit(q[1]) for q in quantities):
            return self._units(a, b)
        for quantity, other in zip(quantities, (b, a), strict=True):
            certain = quantity is not None and is_certain_unit(quantity[1])
            if (
                quantity is not None
                and certain
                and isinstance(other, Num)
                and self.same(quantity[0], other)
            ):
                return True
        return verdict

    def _percents(self, a: Node, b: Node) -> bool | None:
        if head_of(a) == head_of(b):
            return self.same(a.args[0], b.args[0])  # type: ignore[union-attr]
        percent, other = (a, b) if head_of(a) == "percent" else (b, a)
        assert isinstance(percent, Op)
        if self.policy.percent and self.same(percent.args[0], other):
            return True
        return self.same(divide(percent.args[0], number(100)), other)

    def _bases(self, a: Node, b: Node) -> bool | None:
        if head_of(a) == head_of(b):
            assert isinstance(a, Op) and isinstance(b, Op)
            return digits_of(a) == digits_of(b) and a.args[1] == b.args[1]
        based, other = (a, b) if head_of(a) == "base" else (b, a)
        assert isinstance(based, Op)
        if not self.policy.base_subscript or not isinstance(other, Num):
            return False
        return digits_of(based) == str(other.value)

    def _ratios(self, a: Node, b: Node) -> bool | None:
        assert isinstance(a, Op) and isinstance(b, Op)
        if len(a.args) != len(b.args) or any(x == number(0) for x in a.args[1:] + b.args[1:]):
            return False
        verdict: bool | None = True
        for p, q in zip(a.args[1:], b.args[1:], strict=True):
            part = same_value(
                multiply((a.args[0], q)), multiply((b.args[0], p)), self.policy, self.how
            )
            if part is False:
                return False
            verdict = verdict and part
        return verdict

    def _units(self, a: Node, b: Node) -> bool | None:
        (x, ux, tx), (y, uy, ty) = split_unit(a), split_unit(b)
        if _in_dozens(tx) != _in_dozens(ty):
            dozens, counted = (x, y) if _in_dozens(tx) else (y, x)
            if self.same(multiply((number(12), dozens)), counted):
                return True
            return self.same(x, y) if None in (tx, ty) and self.policy.units else False
        if tx is None or ty is None:  # one has no unit
            for unit_text, bare, value in ((tx, b, x), (ty, a, y)):
                if (
                    unit_text is not None
                    and len(unit_text) == 1
                    and self.same(multiply((value, Sym(unit_text))), bare)
                ):
                    return True  # `3 m` may be three times m
            return self.same(x, y) if self.policy.units else False
        if ux is None or uy is None:
            return self.same(x, y) if not self.in_list or share_word(tx, ty) else False
        if ux.dimensions != uy.dimensions:
            pounds = {tx.lower().rstrip("s"), ty.lower().rstrip("s")} == {"£", "pound"}
            return self.same(x, y) if pounds else False
        if ux.size == uy.size:
            return self.same(x, y)
        return self.same(converted(x, ux), converted(y, uy))
