"""Statements and arithmetic over the items of one bracket level, by recursive descent.

Brackets are items whose content has been read already (see `brackets`); the little recursion that is left (powers of
powers, functions of functions) is counted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeGuard

from udfs.equivalence import vocabulary as v
from udfs.equivalence.limits import MAX_DEPTH
from udfs.equivalence.tokens import Token, Unreadable
from udfs.equivalence.tree import (
    HALF,
    Node,
    Num,
    Op,
    Sym,
    add,
    call,
    divide,
    multiply,
    negate,
    number,
    power,
)

Items = list[Token]


def statement(items: Items) -> Node:
    """A relation, a chain of relations, several joined by ∪ or ∨, or an expression."""
    kinds = [i.kind for i in items]
    if "rel" not in kinds:
        return collection(items)
    for sign in "∪∨∧" if "op" in kinds else "":
        if any(i.kind == "op" and i.text == sign for i in items):
            parts = _split_at(items, sign)
            if all(any(i.kind == "rel" and i.text != "in" for i in p) for p in parts):
                return Op(_SET_SIGNS[sign], tuple(statement(p) for p in parts))
    sides: list[Items] = [[]]
    signs: list[str] = []
    for item in items:
        if item.kind == "rel":
            signs.append(item.text)
            sides.append([])
        elif item.kind != "space":
            sides[-1].append(item)
    if not sides[0]:
        if signs[0] in ("=", "~") and len(signs) == 1:
            return collection(sides[1])
        nodes = [Sym("_"), *map(collection, sides[1:])]
    else:
        nodes = [collection(s) for s in sides]
    if len(signs) == 1:
        return Op("rel", (Sym(signs[0]), nodes[0], nodes[1]))
    chained: list[Node] = [nodes[0]]
    for sign, node in zip(signs, nodes[1:], strict=True):
        chained += [Sym(sign), node]
    return Op("chain", tuple(chained))


_SET_SIGNS = {"∪": "union", "∨": "union", "∩": "inter", "∧": "inter", "∖": "minus"}


def collection(items: Items) -> Node:
    """Unions, intersections and differences of sets; ratios; else an expression."""
    signs = {i.text for i in items if i.kind == "op"}
    if "-" in signs and _is_set_difference(items):
        items = [Token("op", "∖") if i.kind == "op" and i.text == "-" else i for i in items]
        signs.add("∖")
    if signs & _SET_SIGNS.keys():
        for sign, head in _SET_SIGNS.items():
            if sign not in signs:
                continue
            parts = _split_at(items, sign)
            if not all(parts):
                raise Unreadable("a side of a set operation is missing")
            return Op(head, tuple(collection(p) for p in parts))
    if ":" in signs:
        parts = _split_at(items, ":")
        if not all(parts):
            raise Unreadable("a side of a ratio is missing")
        return Op("ratio", tuple(Parser(p).whole() for p in parts))
    return Parser(items).whole()


def _is_set_difference(items: Items) -> bool:
    """Whether these items are `ℝ - {2}`."""
    first = [i.raw or i.text for i in items[:2]]
    is_set = first[:1] == ["mathbb"] and first[1:] and first[1] in v.SETS
    return bool(is_set) and items[-1].kind == "group" and items[-1].text == "\\{"


def _split_at(items: Items, sign: str) -> list[Items]:
    parts: list[Items] = [[]]
    for item in items:
        if item.kind == "op" and item.text == sign:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


_STARTS = frozenset(("num", "name", "letters", "group", "fn", "cmd", "dots", "fn?"))


class Parser:
    """Arithmetic over the items of one bracket level."""

    def __init__(self, items: Items) -> None:
        self.items = [
            i for i in items if i.kind != "space" and not (i.kind == "op" and i.text in (" ", "."))
        ]
        self.at = 0
        self.level = 0

    def whole(self) -> Node:
        node = self.sum()
        if self.at != len(self.items):
            raise Unreadable(f"not an expression at {self.items[self.at].text!r}")
        return node

    def peek(self) -> Token | None:
        return self.items[self.at] if self.at < len(self.items) else None

    def is_op(self, signs: str) -> bool:
        item = self.peek()
        return item is not None and item.kind == "op" and item.text in signs

    def take(self) -> Token:
        item = self.peek()
        if item is None:
            raise Unreadable("expression ends early")
        self.at += 1
        return item

    def sum(self) -> Node:
        terms = [self.term()]
        while self.is_op("+-±∓"):
            sign = self.items[self.at].text
            if sign == "+":
                self.at += 1
                if self.peek() is None:
                    raise Unreadable("nothing after +")
            terms.append(self.term())
        return add(tuple(terms))

    def term(self) -> Node:
        """Signs, then factors with * and / from left to right; a factor may follow without a sign."""
        signs: list[str] = []
        while self.is_op("+-±∓"):
            signs.append(self.take().text)
        factors = [self.factor()]
        previous = self.at - 1
        while (item := self.peek()) is not None:
            if item.kind == "op" and item.text in "*/":
                self.at += 1
                negative = False
                while self.is_op("+-"):
                    negative ^= self.take().text == "-"
                right = self.factor()
                right = negate(right) if negative else right
                factors.append(right if item.text == "*" else divide(number(1), right))
            elif item.kind == "dots" and isinstance(factors[-1], Num):
                self.at += 1  # 0.333… goes on, as rounded decimals do
            elif item.kind in _STARTS:
                self._juxtapose(factors, self.items[previous], item)
            else:
                break
            previous = self.at - 1
        node = multiply(tuple(factors))
        if signs.count("-") % 2:
            node = negate(node)
        for sign in signs:
            if sign in "±∓":
                node = Op("pm" if sign == "±" else "mp", (node,))
        return node

    def _juxtapose(self, factors: list[Node], previous: Token, item: Token) -> None:
        """Takes a factor that follows without a sign; with a number before it, maybe a mixed fraction."""
        node = factors[-1]
        if previous.kind == "num" and self.at >= 1 and self.items[self.at - 1] is previous:
            fraction = self._mixed(previous, item)
            if fraction is not None:
                mixed = add((node, negate(fraction) if _negative(node) else fraction))
                factors[-1] = self._postfix(mixed, previous)
                return
            scripted = self.at >= 2 and self.items[self.at - 2].text in ("^", "frac", "_")
            if item.kind == "num" and not scripted:
                raise Unreadable("numbers side by side")
        factor = self.factor()
        if _is_head(node, "deg") and _is_head(factor, "minutes"):
            factors[-1] = Op("deg", (add((node.args[0], _degrees(factor))),))  # 27° 30′
        elif _is_head(node, "minutes") and _is_head(factor, "minutes"):  # 5′ 10″
            factors[-1] = Op("minutes", (add((node.args[0], _degrees(factor.args[0]))),))
        else:
            factors.append(factor)

    def _mixed(self, whole: Token, item: Token) -> Node | None:
        """The fraction of `1\\frac{1}{2}` or `1 1/2`, taken; None where it is none."""
        if (
            not isinstance(whole.node, Num)
            or whole.node.value.denominator != 1
            or not whole.text.isdigit()
        ):
            return None
        if (
            self.at >= 2
            and self.items[self.at - 2].kind == "op"
            and self.items[self.at - 2].text in "^_/"
        ):
            return None
        start = self.at
        if item.kind == "cmd" and item.text == "frac":
            node = self._base()
            digits = "".join(i.raw or i.text for i in self.items[start + 1 : self.at])
            if isinstance(node, Num) and node.value >= 0 and digits.isdigit():
                return node
            self.at = start
        elif item.kind == "num" and item.spaced and item.text.isdigit():
            rest = self.items[start + 1 : start + 3]
            if (
                len(rest) == 2
                and rest[0].text == "/"
                and rest[1].kind == "num"
                and rest[1].text.isdigit()
            ):
                self.at = start + 3
                assert item.node is not None and rest[1].node is not None
                return divide(item.node, rest[1].node)
        return None

    def factor(self) -> Node:
        self.level += 1
        if self.level > MAX_DEPTH:
            raise Unreadable("powers nested too deeply")
        item = self.peek()
        if item is not None and item.kind in ("letters", "fn?") and self._is_raised():
            *before, last = (_one_letter(c) for c in item.text)  # in `xy^2` only y is squared
            self.at += 1
            node = multiply((*before, self._postfix(last, item)))
        else:
            node = self._postfix(self._base(), self.items[self.at - 1])
        self.level -= 1
        return node

    def _is_raised(self) -> bool:
        """Whether the item after this one is a power, a subscript or a factorial."""
        following = self.items[self.at + 1 : self.at + 2]
        return bool(following) and following[0].kind == "op" and following[0].text in "^_!"

    def _postfix(self, node: Node, base: Token) -> Node:
        while (item := self.peek()) is not None:
            if item.kind == "op" and item.text == "^":
                self.at += 1
                node = self._raised(node)
            elif item.kind == "op" and item.text == "_":
                self.at += 1
                node = self._subscripted(node, base)
            elif item.kind == "op" and item.text == "!":
                run = 0
                while self.is_op("!"):
                    self.at += 1
                    run += 1
                for _ in range(run // 2):
                    node = Op("factorial2", (node,))
                if run % 2:
                    node = Op("factorial", (node,))
            elif item.kind == "op" and item.text == "%":
                self.at += 1
                node = Op("percent", (node,))
            elif item.kind == "op" and item.text == "'" and isinstance(node, Sym):
                self.at += 1
                node = Sym(node.name + "'")
            elif item.kind == "op" and item.text == "'":
                self.at += 1
                node = Op("minutes", (node,))
            elif item.kind == "name" and item.node == Sym("∘"):
                self.at += 1
                node = Op("deg", (node,))
            else:
                break
        return node

    def _raised(self, node: Node) -> Node:
        item = self.peek()
        if item is None:
            raise Unreadable("nothing after ^")
        if item.node == Sym("∘"):
            self.at += 1
            return Op("deg", (node,))
        if item.text in ("'", "*", "T") or (
            item.kind == "group" and item.raw in ("'", "''", "*", "T", "prime")
        ):
            self.at += 1
            name = item.raw or item.text
            if isinstance(node, Num) and name in ("'", "''", "prime"):
                return Op("minutes", (Op("minutes", (node,)) if name == "''" else node,))
            return Sym(node.name + name) if isinstance(node, Sym) else call("marked" + name, node)
        exponent = self._argument_of_power()
        return power(node, exponent)

    def _argument_of_power(self) -> Node:
        negative = False
        while self.is_op("+-"):
            negative ^= self.take().text == "-"
        exponent = self.factor()
        return negate(exponent) if negative else exponent

    def _chosen(self) -> Node | None:
        """The binomial coefficient C_n^k (or C^k_n) at this place, taken; None where it is none."""
        scripts = self.items[self.at : self.at + 4]
        signs = [s.text for s in scripts[::2]]
        if len(scripts) < 4 or sorted(signs) != ["^", "_"]:
            return None
        below, above = (scripts[signs.index(sign) * 2 + 1].node for sign in "_^")
        if below is None or above is None:
            return None
        self.at += 4
        return call("binom", below, above)

    def _subscripted(self, node: Node, base: Token) -> Node:
        item = self.take()
        text = (item.raw or item.text).replace(" ", "")
        if base.kind == "num" or (base.kind == "group" and isinstance(node, Num)):
            n = v.NUMBER_WORDS.get(text.lower())
            radix = item.node if n is None else number(n)
            if not isinstance(radix, Num) or radix.value.denominator != 1:
                raise Unreadable("subscript of a number")
            digits = base.text if base.kind == "num" else base.raw
            sign = "-" if _negative(node) else ""
            return Op("base", (Sym(sign + digits.lstrip("-")), radix))
        if isinstance(node, Sym):
            return Sym(f"{node.name}_{text}")
        return call("_" + text, node)

    def _base(self) -> Node:
        item = self.take()
        kind = item.kind
        if kind == "num":
            assert item.node is not None
            return item.node
        if kind == "name":
            assert item.node is not None
            following = self.peek()
            if item.text in ("f", "g", "h", "F", "G") and following is not None:
                mark = self._function_mark()
                called = (
                    self.items[self.at + len(mark)]
                    if self.at + len(mark) < len(self.items)
                    else None
                )
                if called is not None and called.kind == "group" and called.text == "(":
                    self.at += len(mark) + 1
                    return call(
                        item.text + "".join(m.raw or m.text for m in mark), *_arguments(called)
                    )
            return (self._chosen() if item.text == "C" else None) or item.node
        if kind == "group":
            if item.node is None:
                raise Unreadable("a bracket that is no mathematics")
            return item.node
        if kind == "letters":
            return multiply(tuple(_one_letter(c) for c in item.text))
        if kind in ("fn", "fn?"):
            following = self.peek()
            if kind == "fn?" and not (
                following and following.kind == "group" and following.text == "("
            ):
                return multiply(tuple(_one_letter(c) for c in item.text))
            return self._function(v.FUNCTIONS[item.text])
        if kind == "dots":
            return Sym("…")
        if kind == "cmd":
            return self._command(item.text)
        if kind == "op" and item.text in "+-":
            node = self.factor()
            return negate(node) if item.text == "-" else node
        raise Unreadable(f"unexpected {item.text!r}")

    def _function_mark(self) -> Items:
        """The signs between a function's letter and its bracket in f'(x) and f^{-1}(x)."""
        end = self.at
        while end < len(self.items) and self.items[end].text == "'":
            end += 1
        raised = end == self.at and end + 1 < len(self.items) and self.items[end].text == "^"
        if raised and self.items[end + 1].raw in ("-1", "'", "''", "prime"):
            end += 2
        return self.items[self.at : end]

    def _function(self, name: str) -> Node:
        exponent: Node | None = None
        subscript: Node | None = None
        while self.is_op("^_"):
            if self.take().text == "^":
                exponent = self._argument_of_power()
            else:
                below = self.take()
                subscript = below.node if below.node is not None else Sym(below.raw or below.text)
        item = self.peek()
        if item is None:
            raise Unreadable("a function without an argument")
        if item.kind == "group" and item.text in ("(", "[", "{", "\\{"):
            self.at += 1
            arguments = _arguments(item)
            if len(arguments) == 1 and item.text == "{":
                arguments = (self._postfix(arguments[0], item),)
        else:
            arguments = (self._bare_argument(),)
        if subscript is not None:
            arguments = (*arguments, subscript)
        if exponent == Num(Fraction(-1)) and name in v.INVERSES:
            return call(v.INVERSES[name], *arguments)
        if name == "exp":
            node = power(Sym("ℯ"), arguments[0])
        elif name == "cis":
            turned = multiply((Sym("ⅈ"), call("sin", arguments[0])))
            node = add((call("cos", arguments[0]), turned))
        elif name == "det":
            node = call(name, *arguments)
        else:
            node = call(name, *arguments)
        return node if exponent is None else power(node, exponent)

    def _bare_argument(self) -> Node:
        """What a function without brackets takes: the factors up to the next sign or function."""
        negative = False
        while self.is_op("+-"):
            negative ^= self.take().text == "-"
        node = self.factor()
        while (item := self.peek()) is not None:
            if item.kind in ("num", "name", "letters") or (
                item.kind == "cmd" and item.text in ("frac", "sqrt")
            ):
                node = multiply((node, self.factor()))
            elif item.kind == "op" and item.text == "/" and self.at + 1 < len(self.items):
                if self.items[self.at + 1].kind not in ("num", "name"):
                    break
                self.at += 1
                node = divide(node, self.factor())
            else:
                break
        return negate(node) if negative else node

    def _one_argument(self) -> Node:
        """An argument of a LaTeX command: a group, or one sign, of a number its first digit."""
        item = self.take()
        if item.kind == "num" and len(item.text) > 1 and item.text.isdigit():
            rest = item.text[1:]
            self.at -= 1
            self.items = list(self.items)
            self.items[self.at] = Token("num", rest, number(int(rest)))
            return number(int(item.text[0]))
        if item.kind == "letters" and len(item.text) > 1:
            self.at -= 1
            self.items = list(self.items)
            rest = item.text[1:]
            self.items[self.at] = Token("letters", rest)
            return _one_letter(item.text[0])
        self.at -= 1
        return self._base()

    def _command(self, name: str) -> Node:
        if name == "frac":
            if (item := self.peek()) is not None and item.kind == "group" and item.text == "(":
                raise Unreadable("frac with round brackets")
            top = self._one_argument()
            return divide(top, self._one_argument())
        if name in ("sqrt", "cbrt"):
            index: Node = number(3) if name == "cbrt" else number(2)
            item = self.peek()
            if name == "sqrt" and item is not None and item.kind == "group" and item.text == "[":
                if item.node is None:
                    raise Unreadable("index of a root")
                self.at += 1
                index = item.node
            return root(self._base(), index)
        if name == "binom":
            top = self._one_argument()
            return call("binom", top, self._one_argument())
        if name == "abs":
            return Op("abs", (self._base(),))
        if name == "mathbb" or name == "mathcal":
            item = self.take()
            letter = item.raw or item.text
            symbol = Sym(v.SETS.get(letter, letter))
            return self._signed_set(symbol)
        if name in v.ACCENTS:
            item = self.take()
            text = item.raw or item.text
            if name == "overline" and item.node is None:
                raise Unreadable("overline")
            return Sym(text) if name not in ("vec", "overrightarrow") else Sym("→" + text)
        if name in ("angle", "measuredangle", "triangle", "odot"):
            item = self.take()
            return Sym(name + (item.raw or item.text))
        if name in ("sum", "prod", "int", "lim", "iint", "oint"):
            return self._big(name)
        if name in ("pmod", "bmod", "mod"):
            raise Unreadable("congruence")
        if name == "operatorname":
            return self._base()
        raise Unreadable(f"command {name}")

    def _signed_set(self, symbol: Sym) -> Node:
        """ℝ, ℝ^+, ℤ_{>0}: sets with their marks."""
        name = symbol.name
        while self.is_op("^_"):
            self.at += 1
            item = self.take()
            name += (item.raw or item.text).replace(" ", "")
        return Sym(name)

    def _big(self, name: str) -> Node:
        low: Token | None = None
        high: Node = Sym("oo")
        while self.is_op("^_"):
            if self.take().text == "_":
                low = self.take()
            else:
                high = self._argument_of_power()
        if name == "int":
            return self._integral(low, high)
        if (
            name in ("iint", "oint")
            or low is None
            or not isinstance(low.node, Op)
            or low.node.head != "rel"
        ):
            raise Unreadable(f"{name} without a range")
        _, variable, start = low.node.args
        body = self.term()
        if variable == Sym("ⅈ"):
            body, variable = _swap_index(body), Sym("i")
        if not isinstance(variable, Sym):
            raise Unreadable("index")
        return Op(name, (body, variable, start) + ((high,) if name != "lim" else ()))

    def _integral(self, low: Token | None, high: Node) -> Node:
        for end in range(self.at, len(self.items) - 1):
            d, variable = self.items[end], self.items[end + 1]
            glued = d.kind == "letters" and d.text[0] == "d" and len(d.text) == 2
            if glued or (d.text == "d" and d.kind == "name" and variable.kind == "name"):
                break
        else:
            end = len(self.items) - 1
            if end < self.at or self.items[end].kind != "letters" or self.items[end].text[0] != "d":
                raise Unreadable("integral without a variable")
            glued = True
        name = Sym(self.items[end].text[1]) if glued else self.items[end + 1].node
        body = Parser(self.items[self.at : end]).whole() if end > self.at else number(1)
        self.at = end + (1 if glued else 2)
        assert name is not None
        if low is None:
            return Op("int", (body, name))
        if low.node is None:
            raise Unreadable("limit of an integral")
        return Op("int", (body, name, low.node, high))


def _is_head(node: Node, head: str) -> TypeGuard[Op]:
    return isinstance(node, Op) and node.head == head


def _degrees(node: Node) -> Node:
    """Minutes of arc, or seconds (minutes of minutes), as degrees."""
    if isinstance(node, Op) and node.head == "minutes":
        return divide(_degrees(node.args[0]), number(60))
    return node


def root(node: Node, index: Node) -> Node:
    if index == number(2):
        return power(node, HALF)
    return power(node, divide(number(1), index))


def _arguments(item: Token) -> tuple[Node, ...]:
    if item.node is None:
        raise Unreadable("argument")
    if isinstance(item.node, Op) and item.node.head == "seq":
        return item.node.args[2:]
    if isinstance(item.node, Op) and item.node.head == "set":
        return item.node.args
    return (item.node,)


def _one_letter(c: str) -> Node:
    return Sym({"i": "ⅈ", "e": "ℯ"}.get(c, c))


def _negative(node: Node) -> bool:
    return isinstance(node, Num) and node.value < 0


def _swap_index(node: Node) -> Node:
    if node == Sym("ⅈ"):
        return Sym("i")
    if isinstance(node, Op):
        return Op(node.head, tuple(_swap_index(a) for a in node.args))
    return node
