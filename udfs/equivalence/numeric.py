"""High-precision evaluation at fixed points: disproves equality, and makes it certain beyond reasonable doubt.

Agreement means: at every point 40 digits agree, and at 110 digits precision 100 do (or the difference vanishes
with the precision). The points are fixed numbers, so a verdict never depends on chance.
"""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

from mpmath.ctx_mp import MPContext

from udfs.equivalence import series
from udfs.equivalence.exact import written_out
from udfs.equivalence.limits import MAX_BINARY_EXPONENT, MAX_EVALUATED_NODES, MAX_SERIES_NODES
from udfs.equivalence.tree import (
    BINDERS,
    Node,
    Num,
    Op,
    Sym,
    add,
    free_symbols,
    has_symbol,
    heads,
    multiply,
)

LOW_DIGITS, HIGH_DIGITS = 50, 110

# Values for the variables in the order of their names; point n takes them from row n.
# All are transcendental-looking fractions without small relations. The last rows have mixed signs.
_POINTS = (
    (
        "1.618734097",
        "0.731205817",
        "2.290571283",
        "1.129470553",
        "3.417250389",
        "0.417830921",
        "2.718903367",
    ),
    (
        "0.573190287",
        "2.841907531",
        "1.390275817",
        "0.290517363",
        "1.905271833",
        "3.190275113",
        "0.830571929",
    ),
    (
        "4.190275331",
        "3.290571817",
        "0.190827533",
        "5.290173311",
        "0.711902753",
        "1.390581927",
        "6.190275817",
    ),
    (
        "-1.290571833",
        "0.619027531",
        "-2.190275391",
        "1.729051927",
        "-0.390571283",
        "2.090571833",
        "-3.190271",
    ),
    (
        "0.890571833",
        "-1.719027531",
        "1.190275391",
        "-0.629051927",
        "2.390571283",
        "-1.090571833",
        "0.190271",
    ),
)
POSITIVE_POINTS = 3


# Values of sums that a thread keeps: a comparison asks for the same few again at once.
KEPT_SUMS = 16

# Powers this small of numbers this near to one need no look at how large they will be.
MAX_PLAIN_EXPONENT = 64
MAX_PLAIN_MAGNITUDE = 10_000


class Unevaluable(Exception):
    """There is no number to be had (a head without a value, a pole, too much work)."""


_local = threading.local()


def _context() -> Any:
    if not hasattr(_local, "context"):
        _local.context = MPContext()
    return _local.context


def constant(node: Node, digits: int = LOW_DIGITS) -> Any:
    """The value of an expression without variables at this many digits. Raises Unevaluable."""
    return evaluate(node, {}, digits)


def number(text: str) -> Any:
    """A decimal as a number of this thread's context."""
    return _context().mpf(text)


def evaluate(node: Node, values: dict[str, Any], digits: int) -> Any:
    return _evaluate(node, values, digits)[0]


def _evaluate(node: Node, values: dict[str, Any], digits: int) -> tuple[Any, Any]:
    """The value, and the largest term of any sum on the way: what rounding errors are measured against."""
    if values or not is_calculus(node):
        return _evaluate_afresh(node, values, digits)
    # Whether a sum is equal and whether it is close are two questions with one long answer.
    known: dict[tuple[Node, int], tuple[Any, Any]] = _local.__dict__.setdefault("sums", {})
    if (node, digits) not in known:
        if len(known) >= KEPT_SUMS:
            known.clear()
        known[node, digits] = _evaluate_afresh(node, values, digits)
    return known[node, digits]


def _evaluate_afresh(node: Node, values: dict[str, Any], digits: int) -> tuple[Any, Any]:
    ctx = _context()
    ctx.dps = digits + 10
    try:
        evaluator = _Evaluator(ctx, values)
        value = evaluator.value(node)
        return value, max(abs(value), evaluator.peak)
    except Unevaluable:
        raise
    except (
        ArithmeticError,
        ValueError,
        TypeError,
        NotImplementedError,
        MemoryError,
        RecursionError,
    ) as error:
        raise Unevaluable(type(error).__name__) from error
    except Exception as error:  # mpmath raises its own kinds (NoConvergence and others)
        raise Unevaluable(type(error).__name__) from error


def agree(a: Node, b: Node) -> bool | None:
    """Whether two expressions have the same values. None where too few points have values."""
    names = sorted(free_symbols(a) | free_symbols(b))
    complex_allowed = _has_imaginary(a) or _has_imaginary(b)
    seen = 0
    for n, row in enumerate(_POINTS if names else _POINTS[:1]):
        texts = {name: row[i] if i < len(row) else _extra(i, n) for i, name in enumerate(names)}
        verdict = _agree_at(a, b, texts, complex_allowed or not names, n >= POSITIVE_POINTS)
        if verdict is False:
            return False
        seen += verdict is True
    return True if seen >= (2 if names else 1) else None


# Letters that stand for integers wherever a formula has powers of -1 or angles of whole multiples of π.
_INTEGER_NAMES = frozenset("nmkNM")
_INTEGER_POINTS = ((2, 3, 5), (3, 5, 2), (5, 2, 8), (8, 7, 3), (1, 4, 6))


def agree_at_integers(a: Node, b: Node) -> bool:
    """Whether two formulas in n, m, k agree at integers, as (-1)^n and cos nπ do. Only then is their domain known."""
    names = sorted(free_symbols(a) | free_symbols(b))
    if not names or len(names) > 2 or not _INTEGER_NAMES.issuperset(names):
        return False
    if not (_alternates(a) and _alternates(b)):
        return False
    return all(
        _agree_at(a, b, {name: str(k) for name, k in zip(names, row, strict=False)}, True, False)
        for row in _INTEGER_POINTS
    )


def _alternates(node: Node) -> bool:
    """Whether a formula has a power of a negative number, or a sine or cosine of π, with a variable."""
    if not isinstance(node, Op):
        return False
    if node.head == "pow" and isinstance(node.args[0], Num) and node.args[0].value < 0:
        return bool(free_symbols(node.args[1]))
    if node.head in ("fn:sin", "fn:cos") and free_symbols(node.args[0]):
        return has_symbol(node.args[0], "pi")
    return any(map(_alternates, node.args))


def _extra(i: int, n: int) -> str:
    return str(round(0.3 + ((i * 7919 + n * 104729) % 9973) / 2711, 9))


def _has_imaginary(node: Node) -> bool:
    if isinstance(node, Sym):
        return node.name == "ⅈ"
    return isinstance(node, Op) and any(_has_imaginary(x) for x in node.args)


def _agree_at(
    a: Node, b: Node, texts: dict[str, str], complex_allowed: bool, real_only: bool
) -> bool | None:
    try:
        low = _difference(a, b, texts, LOW_DIGITS)
    except Unevaluable:
        return None
    difference, scale, real = low
    if not real and not complex_allowed and real_only:
        return None  # outside the domain the writer had in mind
    if difference > scale * _context().mpf(10) ** -(LOW_DIGITS - 15):
        return False
    try:
        high, high_scale, _ = _difference(a, b, texts, HIGH_DIGITS)
    except Unevaluable:
        return None
    ten = _context().mpf(10)
    if high > high_scale * ten ** -(HIGH_DIGITS - 20):
        return False
    # A difference that is real and only small stays when the precision grows.
    return bool(high == 0 or difference == 0 or high < difference * ten**-40)


def _difference(a: Node, b: Node, texts: dict[str, str], digits: int) -> tuple[Any, Any, bool]:
    ctx = _context()
    ctx.dps = digits + 10
    values = {name: ctx.mpf(t) for name, t in texts.items()}
    (x, peak_x), (y, peak_y) = _evaluate(a, values, digits), _evaluate(b, values, digits)
    if ctx.isnan(x) or ctx.isnan(y):
        raise Unevaluable("nan")
    if ctx.isinf(x) or ctx.isinf(y):
        if ctx.isinf(x) and ctx.isinf(y):
            if _diverges_as_said(a, b):
                return ctx.mpf(0 if x == y else 1), ctx.mpf(1), True
            raise Unevaluable("both beyond all bounds")
        return ctx.mpf(1), ctx.mpf(1), True
    real = _is_real(ctx, x) and _is_real(ctx, y)
    return abs(x - y), max(peak_x, peak_y), real


def _diverges_as_said(a: Node, b: Node) -> bool:
    """Whether one is a sum or integral and the other is infinity itself, not only a number beyond all bounds."""
    return any(
        is_calculus(x) and has_symbol(y, "oo") and not is_calculus(y) for x, y in ((a, b), (b, a))
    )


def _is_real(ctx: Any, x: Any) -> bool:
    return not isinstance(x, ctx.mpc) or abs(x.imag) <= abs(x) * ctx.mpf(10) ** -30


def _is_whole(ctx: Any, x: Any) -> bool:
    return isinstance(x, ctx.mpf) and bool(ctx.isint(x))


class _Evaluator:
    def __init__(self, ctx: Any, values: dict[str, Any]) -> None:
        self.ctx = ctx
        self.values = values
        self.work = 0
        self.max_work = MAX_EVALUATED_NODES
        self.numbers: dict[
            int, tuple[Node, Any]
        ] = {}  # the node stays, and so its id stays its own
        self.peak = ctx.mpf(0)

    def value(self, node: Node) -> Any:
        self.work += 1
        if self.work > self.max_work:
            raise Unevaluable("too much work")
        ctx = self.ctx
        if isinstance(node, Num):
            known = self.numbers.get(id(node))  # terms of a series repeat them
            if known is None:
                v = node.value
                top = ctx.mpf(v.numerator)
                known = (node, top / v.denominator if v.denominator != 1 else top)
                self.numbers[id(node)] = known
            return known[1]
        if isinstance(node, Sym):
            if node.name in self.values:
                return self.values[node.name]
            if node.name in _CONSTANTS:
                return +getattr(ctx, _CONSTANTS[node.name])
            raise Unevaluable(node.name)
        head = node.head
        if head == "add":
            values = [self.value(a) for a in node.args]
            self.peak = max(self.peak, *map(abs, values))
            return sum(values[1:], values[0])
        if head == "mul":
            out = self.value(node.args[0])
            for a in node.args[1:]:
                out = out * self.value(a)
            return out
        if head == "pow":
            return self._power(self.value(node.args[0]), node.args[1])
        if head == "ratio" and len(node.args) == 2:
            return self.value(node.args[0]) / self.value(node.args[1])
        if head.startswith("fn:"):
            return self._function(head[3:], [self.value(a) for a in node.args])
        if head in ("deg", "percent", "abs", "factorial", "factorial2"):
            x = self.value(node.args[0])
            if head == "deg":
                return x * ctx.pi / 180
            if head == "percent":
                return x / 100
            if head == "abs":
                return abs(x)
            return self._factorial(x, head == "factorial2")
        if head in ("sum", "prod"):
            terms = written_out(node)
            if terms is not None:
                return self.value((add if head == "sum" else multiply)(terms))
            return self._series(node)
        if head == "int" and len(node.args) == 4:
            return self._improper_integral(node)
        raise Unevaluable(head)

    def _series(self, node: Op) -> Any:
        ctx = self.ctx
        body, index, *ends = node.args
        if not isinstance(index, Sym) or series.has_sequence(node):
            raise Unevaluable("sequence")
        first, last = (self.value(end) for end in ends)
        if not (_is_whole(ctx, first) and (_is_whole(ctx, last) or last == ctx.inf)):
            raise Unevaluable("bounds")
        # With variables a value is asked for at several points.
        self.max_work = 4 * MAX_EVALUATED_NODES if self.values else MAX_SERIES_NODES
        if last != ctx.inf:
            total, peak = series.finite(
                node.head, self._term(body, index.name), int(first), int(last), ctx
            )
        elif node.head == "prod":
            raise Unevaluable("infinite product")
        else:
            term = self._term(body, index.name)
            try:
                total, peak = series.infinite_sum(term, int(first), ctx)
            except series.NoValue:
                if self.values:  # it may have a value elsewhere, as Σ x^n has for small x
                    raise
                return series.grown(term, 1, ctx)
        self.peak = max(self.peak, peak)
        return total

    def _improper_integral(self, node: Op) -> Any:
        """Infinity where the integrand does not shrink towards the infinite end; no other integral has a value here."""
        ctx = self.ctx
        body, variable, *ends = node.args
        low, high = (self.value(end) for end in ends)
        if (
            self.values
            or not isinstance(variable, Sym)
            or ctx.isinf(low) == ctx.isinf(high)
            or low > high
        ):
            raise Unevaluable("integral")
        return series.grown(self._term(body, variable.name), 1 if ctx.isinf(high) else -1, ctx)

    def _term(self, body: Node, name: str) -> series.Term:
        outer = self.values

        def term(n: Any) -> Any:
            self.values = outer | {name: n}
            try:
                return self.value(body)
            finally:
                self.values = outer

        return term

    def _power(self, base: Any, exponent: Node) -> Any:
        ctx = self.ctx
        if isinstance(exponent, Num) and base != 0 and abs(ctx.mag(base)) < MAX_PLAIN_MAGNITUDE:
            top, bottom = exponent.value.numerator, exponent.value.denominator
            if bottom <= 2 and -MAX_PLAIN_EXPONENT <= top <= MAX_PLAIN_EXPONENT:
                return (ctx.sqrt(base) if bottom == 2 else base) ** top
        e = self.value(exponent)
        if base == 0:
            if _is_real(ctx, e) and ctx.re(e) > 0:
                return ctx.mpf(0)
            raise Unevaluable("power of zero")
        if ctx.isinf(base) or ctx.isinf(e):
            if _is_real(ctx, base) and _is_real(ctx, e) and ctx.re(base) > 1 and ctx.re(e) > 0:
                return ctx.inf
            raise Unevaluable("infinite power")
        magnitude = ctx.mag(e) + max(1, ctx.mag(abs(ctx.log(abs(base))) + 1))
        if magnitude > MAX_BINARY_EXPONENT.bit_length():
            if _is_real(ctx, base) and _is_real(ctx, e) and ctx.re(base) > 1 and ctx.re(e) > 0:
                return ctx.inf
            raise Unevaluable("power out of range")
        fraction = exponent.value if isinstance(exponent, Num) else Fraction(1)
        odd = fraction.denominator % 2 == 1 and fraction.denominator > 1
        if odd and _is_real(ctx, base) and ctx.re(base) < 0:  # the real root
            root = -ctx.power(-ctx.re(base), e)
            return root if fraction.numerator % 2 else -root
        return ctx.power(base, e)

    def _factorial(self, x: Any, double: bool) -> Any:
        ctx = self.ctx
        if ctx.isinf(x):
            return x
        if not _is_real(ctx, x):
            raise Unevaluable("factorial")
        if ctx.re(x) > 1 << 30:
            return ctx.inf
        return ctx.fac2(x) if double else ctx.factorial(x)

    def _function(self, name: str, args: list[Any]) -> Any:
        ctx = self.ctx
        if any(ctx.isinf(a) for a in args):
            raise Unevaluable("function of infinity")
        if name in ("ln", "log", "lg"):
            if len(args) == 2:
                return ctx.log(args[0]) / ctx.log(args[1])
            if name == "lg":
                return ctx.log10(args[0])
            # the base of a bare `log` is unknown: evaluated with a base of its own, so that only identities
            # that hold for every base agree
            return ctx.log(args[0]) / (
                1 if name == "ln" else self.values.get("logbase", ctx.log(10))
            )
        if any(ctx.mag(a) > 200 for a in args if a != 0):
            raise Unevaluable("argument out of range")
        simple = _SIMPLE.get(name)
        if simple is not None and len(args) == 1:
            return getattr(ctx, simple)(args[0])
        if name in ("floor", "ceil") and len(args) == 1:
            return ctx.floor(args[0]) if name == "floor" else ctx.ceil(args[0])
        if name in ("max", "min") and all(_is_real(ctx, a) for a in args):
            return (max if name == "max" else min)(ctx.re(a) for a in args)
        if name == "binom" and len(args) == 2:
            return ctx.binomial(*args)
        if name in ("gcd", "lcm", "det", "given", "tr", "arg", "dim", "ker", "deg"):
            raise Unevaluable(name)
        return self._generic(name, args)

    def _generic(self, name: str, args: list[Any]) -> Any:
        """An unknown function: some fixed function without identities, another one for each name."""
        ctx = self.ctx
        seed = sum(ord(c) * 31**i for i, c in enumerate(name[:40])) % 9973
        out = ctx.mpf(seed + 1) / 7919
        for i, a in enumerate(args):
            out = (
                ctx.sin(out * (i + 2) + a)
                + ctx.exp(-(abs(a) + 1) / (seed % 7 + 3)) * (i + 1) * a / 3
            )
        return out


_CONSTANTS = {"pi": "pi", "ℯ": "e", "ⅈ": "j", "oo": "inf"}
_SIMPLE = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "coth": "coth", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arccot": "acot", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "sgn": "sign", "Re": "re", "Im": "im",
}  # fmt: skip


def is_calculus(node: Node) -> bool:
    """Whether an expression holds sums, integrals or limits."""
    return not BINDERS.isdisjoint(heads(node))


def fraction_of(x: Any) -> Fraction:
    """The exact rational value of a real mpmath number."""
    sign, man, exp, _ = x._mpf_
    return Fraction(-int(man) if sign else int(man)) * Fraction(2) ** exp
