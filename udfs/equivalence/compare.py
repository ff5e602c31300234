"""Equivalence of two answers as read: lists, tuples, sets, intervals, equations, matrices, quantities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from udfs.equivalence import exact, numeric, regions, scalars
from udfs.equivalence.keys import key
from udfs.equivalence.limits import MAX_MATCHED_PAIRS, MAX_PLUS_MINUS
from udfs.equivalence.scalars import Decided, same_value
from udfs.equivalence.tree import Node, Num, Op, Sym, add, divide, free_symbols, heads, multiply, negate, number, rebuild, substitute
from udfs.equivalence.units import Unit, converted, letter_quantity, parse_unit
from udfs.equivalence.words import same_text
from udfs.policy import Policy

LISTS = frozenset(("list", "either", "both"))
_REGION_HEADS = frozenset(("union", "inter", "minus", "such", "chain"))


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
            return not _undefined(a)
        if _head(a) == "text" or _head(b) == "text":
            return self._texts(a, b)
        if _head(a) == "named" or _head(b) == "named":
            return self._named(a, b)
        a, b = _names_of_one_value(a, b), _names_of_one_value(b, a)
        ra, rb = _is_equation(a), _is_equation(b)
        if ra and rb:
            return self._equations(a, b)
        if _is_region(a) or _is_region(b):
            verdict = self._regions(a, b)
            if verdict is not None:
                return verdict
        if ra or rb:
            return self._equation_and_value(a, b) if ra else self._equation_and_value(b, a)
        if _is_collection(a) or _is_collection(b):
            return self._collections(a, b)
        if _head(a) == "matrix" or _head(b) == "matrix":
            return self._matrices(a, b)
        if _is_statement(a) or _is_statement(b):
            return self._statements(a, b)
        return self._quantities(a, b)

    # --- words ---------------------------------------------------------------------------------------------------

    def _texts(self, a: Node, b: Node) -> bool:
        self.kind = "text"
        return _head(a) == _head(b) == "text" and same_text(_words(a), _words(b))

    def _named(self, a: Node, b: Node) -> bool | None:
        if _head(a) == _head(b) == "named":
            assert isinstance(a, Op) and isinstance(b, Op)
            return self.same(a.args[1], b.args[1])
        named, other = (a, b) if _head(a) == "named" else (b, a)
        assert isinstance(named, Op)
        return self.same(named.args[1], other)

    # --- equations -----------------------------------------------------------------------------------------------

    def _equations(self, a: Node, b: Node) -> bool | None:
        assert isinstance(a, Op) and isinstance(b, Op)
        (_, la, ra), (_, lb, rb) = a.args, b.args
        na, nb = name_of(la), name_of(lb)
        if na is not None and nb is not None:
            bound = _bound_renaming(la, lb)
            if bound is not None:
                return self.same(ra, substitute(rb, bound))
            if na == nb:
                return self._renamed(ra, rb, _names(la))
            if _function_of(la) and isinstance(lb, Sym) or _function_of(lb) and isinstance(la, Sym):
                return self.same(ra, rb)  # y = x + 1 and f(x) = x + 1
        if key(la) == key(lb) and self.same(ra, rb):
            return True
        if _is_collection(la) or _is_collection(lb) or _is_collection(ra) or _is_collection(rb):
            if na is not None and nb is not None:
                return self._renamed(ra, rb, _names(la) | _names(lb)) if _same_size(la, lb) else False
            return False
        return self._proportional(add((la, negate(ra))), add((lb, negate(rb))))

    def _proportional(self, f: Node, g: Node, positive: bool = False) -> bool | None:
        """Whether f = c·g for a constant c ≠ 0 (c > 0 where asked): the same equation (inequality)."""
        try:
            p, q = _cleared(exact.normal_form(f).top), _cleared(exact.normal_form(g).top)
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
        if names and (opaque or _has_irrational(p) or _has_irrational(q)):
            self.how.note("numeric")
            return self._constant_ratio(f, g, names)
        return None if opaque else False

    def _constant_ratio(self, f: Node, g: Node, names: list[str]) -> bool | None:
        points = [{n: number(k * 7 + i * 3 + 2) for i, n in enumerate(names)} for k in range(4)]
        points = [{n: divide(v, number(5)) for n, v in p.items()} for p in points]
        first = divide(substitute(f, points[0]), substitute(g, points[0]))
        return numeric.agree(f, multiply((first, g)))

    def _equation_and_value(self, equation: Node, value: Node) -> bool | None:
        """`x = 3` against `3`; else the equation solved for a variable in which it is linear."""
        assert isinstance(equation, Op)
        sign, left, right = equation.args
        if name_of(left) is None and name_of(right) is not None:
            left, right = right, left
        if sign == Sym("~") and not free_symbols(left) and not _is_collection(left):
            return self.same(left, value)
        if name_of(left) is not None and not (_head(left) == "add" and right == number(0)):
            verdict = self._renamed(right, value, _names(left))
            if verdict or isinstance(left, Sym) or _is_collection(left) or _is_collection(value):
                return verdict
        if _is_collection(value) or _is_collection(left) or _is_collection(right):
            return False
        if self._solves(equation, value):
            return True
        identity = self.same(left, right)  # a calculation written out, `(a + b)^2 = a^2 + …`
        return self.same(left, value) if identity and free_symbols(left) else False

    def _solves(self, equation: Op, value: Node) -> bool:
        f = add((equation.args[1], negate(equation.args[2])))
        names = free_symbols(f)
        if not isinstance(value, Num | Sym | Op) or _head(value) in ("matrix", "text", "unit", "rel", "chain"):
            return False
        for name in sorted(names - free_symbols(value)):
            try:
                form = exact.normal_form(f)
                powers = {e for m in form.top for atom, e in m if atom == name}
                if powers != {1} or any(name in atom for m in form.top for atom, _ in m if atom.startswith("~")):
                    continue
                if len(names) < 2 and not free_symbols(value) and isinstance(value, Num) and value.value == 0:
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
            if self.same(a, substitute(b, {old: Sym(new) for old, new in zip(order, mine, strict=True)})):
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
            return False
        return self._same_regions(x, y)

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
        if not (_is_statement(a) and _is_statement(b)):
            return False
        assert isinstance(a, Op) and isinstance(b, Op)
        x, y = _oriented(a), _oriented(b)
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
        self.kind = self.kind or ("set" if "set" in (_head(a), _head(b)) else "list")
        if not (_is_collection(a) and _is_collection(b)):
            if _head(a) == "matrix" or _head(b) == "matrix":
                return self._matrices(a, b)
            only, other = (a, b) if _is_collection(a) else (b, a)
            items = _items(only)
            return self.same(items[0], other) if len(items) == 1 and _head(only) != "seq" else False
        x, y = _items(a), _items(b)
        ordered = self._is_ordered(a, b)
        if ordered is None:
            return False
        if _head(a) == "set" or _head(b) == "set" or all(_head(i) == "seq" for i in x + y):
            x, y = _distinct(x), _distinct(y)
        if len(x) != len(y):
            return False
        if all(map(_is_value_of_name, x)) and all(map(_is_value_of_name, y)):
            names_x, names_y = [_label(i) for i in x], [_label(i) for i in y]
            if sorted(names_x) == sorted(names_y) and len(set(names_x)) == len(names_x):
                y = [y[names_y.index(n)] for n in names_x]
                return self._in_order(x, y)
        names = frozenset().union(*(_names(i.args[1]) for i in x + y if _is_equation(i)))  # type: ignore[union-attr]
        stripped = any(map(_is_value_of_name, x)) != any(map(_is_value_of_name, y))
        if stripped or self.renaming:
            x, y = [_value(i) for i in x], [_value(i) for i in y]
        if not ordered and self.policy.unordered_lists:
            verdict = self._any_order(x, y)
        else:
            verdict = self._in_order(x, y)
        if verdict or not self.renaming:
            return verdict
        return self._list_renamed(x, y, names, ordered)

    def _list_renamed(self, x: list[Node], y: list[Node], names: frozenset[str], ordered: bool) -> bool | None:
        mine = frozenset().union(*map(free_symbols, x)) - names
        theirs = frozenset().union(*map(free_symbols, y)) - names
        mine, theirs = mine - theirs, theirs - mine
        if len(mine) != 1 or len(theirs) != 1:
            return False
        y = [substitute(i, {next(iter(theirs)): Sym(next(iter(mine)))}) for i in y]
        return self._in_order(x, y) if ordered else self._any_order(x, y)

    def _is_ordered(self, a: Node, b: Node) -> bool | None:
        """Whether order counts; None where the brackets forbid equality."""
        seqs = [n for n in (a, b) if _head(n) == "seq"]
        if len(seqs) == 2:
            (p, q) = (_brackets(s) for s in seqs)
            if p != q and (len(_items(a)) == 2 or {p[0], q[0]} == {"(", "\\{"}):
                if "⟨" not in (p[0], q[0]):
                    return None
            return True
        if len(seqs) == 1:
            other = a if seqs[0] is b else b
            opening = _brackets(seqs[0])[0]
            if _head(other) == "set":
                return False if opening == "[" else None
            if opening == "[" and _head(other) in LISTS:
                return False if len(_items(seqs[0])) != 2 else True
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
            if same and not _undefined(node):
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
        if _has_matching([[e is True for e in row] for row in edges]):
            return True
        return None if _has_matching([[e is not False for e in row] for row in edges]) else False

    # --- matrices ------------------------------------------------------------------------------------------------

    def _matrices(self, a: Node, b: Node) -> bool | None:
        self.kind = "matrix"
        x, y = _rows(a), _rows(b)
        if x is None or y is None:
            return False
        if _head(a) != "matrix" or _head(b) != "matrix":  # a vector written as a tuple
            x, y = ([[c for row in m for c in row]] if 1 in (len(m), len(m[0])) else m for m in (x, y))
        if [len(r) for r in x] != [len(r) for r in y]:
            return False
        return self._in_order([c for r in x for c in r], [c for r in y for c in r])

    # --- quantities ----------------------------------------------------------------------------------------------

    def _quantities(self, a: Node, b: Node) -> bool | None:
        policy = self.policy
        if _head(a) == "percent" or _head(b) == "percent":
            return self._percents(a, b)
        if _head(a) == "base" or _head(b) == "base":
            return self._bases(a, b)
        if {"unit", "compound"} & {_head(a), _head(b)}:
            return self._units(a, b)
        if _head(a) == _head(b) == "deg":
            return self.same(a.args[0], b.args[0])  # type: ignore[union-attr]
        if _head(a) == "ratio" and _head(b) == "ratio":
            return self._ratios(a, b)
        if _head(a) == "deg" or _head(b) == "deg":
            angle, other = (a, b) if _head(a) == "deg" else (b, a)
            assert isinstance(angle, Op)
            if policy.degrees and same_value(angle.args[0], other, policy, self.how):
                return True
        verdict = same_value(a, b, policy, self.how)
        if verdict is True or not policy.units:
            return verdict
        for quantity, other in ((letter_quantity(a), b), (letter_quantity(b), a)):
            if quantity is not None and isinstance(other, Num) and quantity[1] != "A" and isinstance(a, Op) != isinstance(b, Op):
                if quantity[1].startswith("m^") and self.same(quantity[0], other):
                    return True
        return verdict

    def _percents(self, a: Node, b: Node) -> bool | None:
        if _head(a) == _head(b):
            return self.same(a.args[0], b.args[0])  # type: ignore[union-attr]
        percent, other = (a, b) if _head(a) == "percent" else (b, a)
        assert isinstance(percent, Op)
        if self.policy.percent and self.same(percent.args[0], other):
            return True
        return self.same(divide(percent.args[0], number(100)), other)

    def _bases(self, a: Node, b: Node) -> bool | None:
        if _head(a) == _head(b):
            assert isinstance(a, Op) and isinstance(b, Op)
            return _digits(a) == _digits(b) and a.args[1] == b.args[1]
        based, other = (a, b) if _head(a) == "base" else (b, a)
        assert isinstance(based, Op)
        if not self.policy.base_subscript or not isinstance(other, Num):
            return False
        return _digits(based) == str(other.value)

    def _ratios(self, a: Node, b: Node) -> bool | None:
        assert isinstance(a, Op) and isinstance(b, Op)
        if len(a.args) != len(b.args) or any(x == number(0) for x in a.args[1:] + b.args[1:]):
            return False
        verdict: bool | None = True
        for p, q in zip(a.args[1:], b.args[1:], strict=True):
            part = same_value(multiply((a.args[0], q)), multiply((b.args[0], p)), self.policy, self.how)
            if part is False:
                return False
            verdict = verdict and part
        return verdict

    def _units(self, a: Node, b: Node) -> bool | None:
        (x, ux, tx), (y, uy, ty) = _split_unit(a), _split_unit(b)
        if tx is None or ty is None:  # one has no unit
            for unit_text, bare, value in ((tx, b, x), (ty, a, y)):
                if unit_text is not None and len(unit_text) == 1 and self.same(multiply((value, Sym(unit_text))), bare):
                    return True  # `3 m` may be three times m
            return self.same(x, y) if self.policy.units else False
        if ux is None or uy is None:
            return self.same(x, y) if not self.in_list or _share_word(tx, ty) else False
        if ux.dimensions != uy.dimensions:
            return False
        if ux.size == uy.size:
            return self.same(x, y)
        return self.same(converted(x, ux), converted(y, uy))


# --- what nodes are ----------------------------------------------------------------------------------------------


def _head(node: Node) -> str:
    return node.head if isinstance(node, Op) else ""


def simplify(node: Node) -> Node:
    """Single-item lists unwrapped, ± spelled out, chains of equations shortened."""
    if not isinstance(node, Op):
        return node
    if node.head == "chain":
        return _short_chain(node)
    if node.head in LISTS or node.head in ("set", "system"):
        items: list[Node] = []
        for item in node.args:
            spread = simplify(item)
            if isinstance(spread, Op) and spread.head in LISTS and spread.head != "both":
                items.extend(spread.args)
            elif isinstance(spread, Op) and spread.head == "set" and node.head in LISTS and len(node.args) == 1:
                return spread
            else:
                items.append(spread)
        if len(items) == 1 and node.head != "set":
            return items[0]
        return Op("list" if node.head == "system" else node.head, tuple(items))
    if heads(node) & {"pm", "mp"}:
        return _spread(node)
    return node


def _short_chain(node: Op) -> Node:
    """`x = 6/2 = 3` says x = 3; `a/b ≈ 3.01` after an exact value says no more than that value."""
    terms, signs = list(node.args[::2]), [s.name for s in node.args[1::2] if isinstance(s, Sym)]
    if not set(signs) <= {"=", "~"}:
        return node
    if set(signs) == {"="} and all(isinstance(t, Sym) for t in terms[:-1]) and not isinstance(terms[-1], Sym):
        return Op("all_equal", tuple(terms))
    while len(signs) > 1 and signs[-1] == "~":
        signs.pop()
        terms.pop()
    return Op("rel", (Sym(signs[0]), terms[0], terms[len(signs)]))


def _names_of_one_value(node: Node, other: Node) -> Node:
    """`x = y = 1` beside a list or tuple says x = 1, y = 1."""
    if isinstance(node, Op) and node.head == "all_equal":
        if _is_collection(other):
            return Op("list", tuple(Op("rel", (Sym("="), n, node.args[-1])) for n in node.args[:-1]))
        return Op("rel", (Sym("="), node.args[0], node.args[-1]))
    return node


def _spread(node: Op) -> Node:
    """The list of values of an expression with ±: all upper signs, then all lower ones."""
    if node.head == "rel":
        sign, left, right = node.args
        spread = simplify(right)
        if isinstance(spread, Op) and spread.head == "list" and not heads(left) & {"pm", "mp"}:
            return Op("list", tuple(Op("rel", (sign, left, item)) for item in spread.args))
        return node
    if node.head == "named":
        return Op("named", (node.args[0], simplify(node.args[1])))
    if _count_signs(node) > MAX_PLUS_MINUS:
        return node
    values = [_with_sign(node, 1), _with_sign(node, -1)]
    return Op("list", tuple(values)) if key(values[0]) != key(values[1]) else values[0]


def _count_signs(node: Node) -> int:
    if not isinstance(node, Op):
        return 0
    return (node.head in ("pm", "mp")) + sum(map(_count_signs, node.args))


def _with_sign(node: Node, sign: int) -> Node:
    if not isinstance(node, Op):
        return node
    args = tuple(_with_sign(x, sign) for x in node.args)
    if node.head in ("pm", "mp"):
        return args[0] if (sign > 0) == (node.head == "pm") else negate(args[0])
    return rebuild(node.head, args)


def _undefined(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name == "undefined"
    return isinstance(node, Op) and any(map(_undefined, node.args))


def _is_equation(node: Node) -> bool:
    return isinstance(node, Op) and node.head == "rel" and node.args[0] in (Sym("="), Sym("~"))


def _is_statement(node: Node) -> bool:
    return isinstance(node, Op) and node.head in ("rel", "chain")


def _is_collection(node: Node) -> bool:
    return isinstance(node, Op) and (node.head in LISTS or node.head in ("seq", "set"))


def _is_region(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name.startswith("ℝ")
    if not isinstance(node, Op):
        return False
    if node.head in _REGION_HEADS:
        return True
    if node.head == "rel":
        return node.args[0] not in (Sym("="), Sym("~"))
    if node.head == "seq":
        return {_brackets(node)} <= {("(", "]"), ("[", ")")}
    if node.head in LISTS:
        return any(_is_region(x) for x in node.args) and any(_head(x) in ("rel", "chain", "union") for x in node.args)
    return False


def _brackets(node: Node) -> tuple[str, str]:
    assert isinstance(node, Op)
    opening, closing = node.args[0], node.args[1]
    assert isinstance(opening, Sym) and isinstance(closing, Sym)
    return opening.name, closing.name


def _items(node: Node) -> list[Node]:
    assert isinstance(node, Op)
    return list(node.args[2:] if node.head == "seq" else node.args)


def _rows(node: Node) -> list[list[Node]] | None:
    if not isinstance(node, Op):
        return None
    if node.head == "matrix":
        rows = [list(r.args) for r in node.args if isinstance(r, Op)]
        if len(rows) == 1 and len(rows[0]) == 1 and _head(rows[0][0]) == "matrix":
            return _rows(rows[0][0])
        return rows if rows and all(rows) else None
    if node.head in ("seq", "list"):
        items = _items(node)
        nested = [_rows(i) for i in items] if all(_head(i) == "seq" for i in items) else []
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
        if len(function) == 1 or function.startswith(("_", "given")) or all(isinstance(x, Num | Sym) for x in node.args):
            return scalars.structure(node) if function not in ("sin", "cos", "tan") else None
        return None
    if node.head in ("ratio", "mul", "add", "abs", "seq") or (node.head == "pow" and node.args[1] == number(-1)):
        parts = node.args[2:] if node.head == "seq" else node.args[:1] if node.head == "pow" else node.args
        names = [name_of(p) for p in parts]
        if all(n is not None for n in names):
            return scalars.structure(node)
    return None


def _names(node: Node) -> frozenset[str]:
    return free_symbols(node)


def _function_of(node: Node) -> bool:
    return isinstance(node, Op) and node.head.startswith("fn:") and bool(node.args) and isinstance(node.args[0], Sym)


def _bound_renaming(a: Node, b: Node) -> dict[str, Node] | None:
    """f(m) against f(n): the renaming of the second argument list into the first."""
    if not (_function_of(a) and _function_of(b)):
        return None
    assert isinstance(a, Op) and isinstance(b, Op)
    if a.head != b.head or len(a.args) != len(b.args) or not all(isinstance(x, Sym) for x in a.args + b.args):
        return None
    return {old.name: new for old, new in zip(b.args, a.args, strict=True)}  # type: ignore[union-attr]


def _same_size(a: Node, b: Node) -> bool:
    return not (_head(a) == "seq" and _head(b) == "seq") or len(_items(a)) == len(_items(b))


def _is_value_of_name(node: Node) -> bool:
    return _head(node) == "named" or (_is_equation(node) and name_of(node.args[1]) is not None)  # type: ignore[union-attr]


def _label(node: Node) -> str:
    assert isinstance(node, Op)
    first = node.args[0] if node.head == "named" else node.args[1]
    return scalars.structure(first)


def _value(node: Node) -> Node:
    if not _is_value_of_name(node):
        return node
    assert isinstance(node, Op)
    return node.args[1] if node.head == "named" else node.args[2]


def _distinct(items: list[Node]) -> list[Node]:
    return list({key(i): i for i in items}.values())


def _has_matching(edges: list[list[bool]]) -> bool:
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


def _oriented(node: Op) -> list[tuple[str, Node]]:
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


def _digits(node: Op) -> str:
    digits = node.args[0]
    assert isinstance(digits, Sym)
    return digits.name.replace(" ", "").replace(",", "").lstrip("0").upper()


def _split_unit(node: Node) -> tuple[Node, Unit | None, str | None]:
    if isinstance(node, Op) and node.head == "unit":
        unit = node.args[1]
        assert isinstance(unit, Sym)
        return node.args[0], parse_unit(unit.name), unit.name
    if isinstance(node, Op) and node.head == "compound":
        parts = [_split_unit(p) for p in node.args]
        if parts[0][1] and parts[1][1] and parts[0][1].dimensions == parts[1][1].dimensions:
            total = add(tuple(converted(value, unit) for value, unit, _ in parts if unit))
            return total, Unit(parts[0][1].dimensions, Fraction(1)), "compound"
    quantity = letter_quantity(node)
    if quantity is not None:
        return quantity[0], parse_unit(quantity[1]), quantity[1]
    return node, None, None


def _share_word(a: str, b: str) -> bool:
    """Whether two units have a word in common, number endings apart."""
    return bool({w[:4] for w in a.lower().split()} & {w[:4] for w in b.lower().split()})


def _words(node: Node) -> str:
    assert isinstance(node, Op) and isinstance(node.args[0], Sym)
    return node.args[0].name


def _cleared(p: exact.Polynomial) -> exact.Polynomial:
    """The polynomial times what makes its negative exponents vanish: the same zeros off the poles."""
    lowest: dict[str, object] = {}
    for m in p:
        for atom, e in m:
            if e < 0 and not atom.startswith(("#", "~")):
                lowest[atom] = min(lowest.get(atom, e), e)  # type: ignore[type-var]
    if not lowest:
        return p
    out = {}
    for m, c in p.items():
        powers = dict(m)
        for atom, e in lowest.items():
            powers[atom] = powers.get(atom, 0 * e) - e  # type: ignore[operator]
        out[tuple(sorted((a, e) for a, e in powers.items() if e))] = c
    return out


def _has_irrational(p: exact.Polynomial) -> bool:
    return any(atom.startswith("#") or atom in ("pi", "ℯ", "ⅈ") for m in p for atom, _ in m)
