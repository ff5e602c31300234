"""Exact normal forms: quotients of polynomials with rational exponents over independent atoms.

An expression becomes P/Q, P and Q sums of `rational · ∏ atom^rational`. Atoms are variables, π, e, i (with
i² = -1), primes (so √12 is 2·3^(1/2)), b^(term) for powers with a variable exponent, and, opaque, whatever else:
functions of a normal form, roots of sums. Equal forms prove equality. Different ones disprove it where no atom
is opaque: roots of distinct primes, π, e and variables satisfy no relation that the form does not know.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from udfs.equivalence.limits import (
    MAX_EXPANDED_POWER,
    MAX_HUGE_EXPONENT_BITS,
    MAX_TERM_PRODUCTS,
    MAX_TERMS,
    MAX_WRITTEN_OUT_TERMS,
)
from udfs.equivalence.polynomials import (
    ONE,
    OPAQUE,
    UNIT,
    Monomial,
    Polynomial,
    TooLarge,
    check_power,
    content,
    degree_first,
    hides_sign,
    is_opaque,
    merge,
    polynomial_text,
    prime_powers,
    subtract,
)
from udfs.equivalence.tree import Node, Num, Op, Sym, add, multiply, number, substitute


class Form(NamedTuple):
    """P/Q."""

    top: Polynomial
    bottom: Polynomial


class Undefined(Exception):
    """The expression has no value (division by zero)."""


def normal_form(node: Node) -> Form:
    """The normal form of an expression. Raises Undefined, TooLarge."""
    return _Reducer().form(node)


def equal(a: Form, b: Form) -> bool | None:
    """True, False where that is proven; None where opaque atoms leave it open. Raises TooLarge."""
    reducer = _Reducer()
    if a.bottom == b.bottom:
        same = a.top == b.top
        difference: Polynomial = {} if same else subtract(a.top, b.top)
    else:
        difference = subtract(reducer.times(a.top, b.bottom), reducer.times(b.top, a.bottom))
    if not difference:
        return True
    return None if is_opaque(difference) or is_opaque(a.bottom) or is_opaque(b.bottom) else False


def is_constant(form: Form) -> Fraction | None:
    """The rational number that the form is, else None."""
    if form.bottom == ONE and all(m == UNIT for m in form.top):
        return form.top.get(UNIT, Fraction(0))
    return None


def text(form: Form) -> str:
    """A text that is the same for the same form."""
    top = polynomial_text(form.top)
    return top if form.bottom == ONE else f"({top})/({polynomial_text(form.bottom)})"


class _Reducer:
    """Computes normal forms within one budget of work."""

    def __init__(self) -> None:
        self.products = 0

    def form(self, node: Node) -> Form:
        if isinstance(node, Num):
            return Form({UNIT: node.value} if node.value else {}, ONE)
        if isinstance(node, Sym):
            if node.name == "undefined":
                raise Undefined
            return Form({((node.name, Fraction(1)),): Fraction(1)}, ONE)
        head = node.head
        if head == "add":
            return self._sum(self.form(a) for a in node.args)
        if head == "mul":
            out = Form(ONE, ONE)
            for a in node.args:
                out = self._product(out, self.form(a))
            return out
        if head == "pow":
            return self._power(node.args[0], node.args[1])
        if head == "deg":
            inner = self.form(node.args[0])
            return self._product(inner, Form({(("pi", Fraction(1)),): Fraction(1, 180)}, ONE))
        if head == "percent":
            return self._product(self.form(node.args[0]), Form({UNIT: Fraction(1, 100)}, ONE))
        if head == "ratio" and len(node.args) == 2:
            return self._product(self.form(node.args[0]), self._inverse(self.form(node.args[1])))
        if head in ("factorial", "factorial2"):
            return self._factorial(node)
        if head in ("sum", "prod"):
            terms = written_out(node)
            if terms is not None:
                return self.form((add if head == "sum" else multiply)(terms))
        if head == "abs":
            inner = self.form(node.args[0])
            c = is_constant(inner)
            if c is None:
                return self._opaque("abs", self._positive(inner))
            return Form({UNIT: abs(c)} if c else {}, ONE)
        if head in ("fn:ln", "fn:log", "fn:lg"):
            return self._logarithm(node)
        if head == "fn:binom":
            return self._binomial(node)
        if head in ("fn:max", "fn:min", "fn:gcd", "fn:lcm"):
            values = [is_constant(self.form(a)) for a in node.args]
            if values and all(x is not None for x in values):
                return self._extreme(head[3:], [x for x in values if x is not None])
            return self._opaque(head[3:], *sorted((self.form(a) for a in node.args), key=text))
        return self._opaque(head.removeprefix("fn:"), *(self.form(a) for a in node.args))

    def _extreme(self, name: str, values: list[Fraction]) -> Form:
        if name in ("max", "min"):
            value = (max if name == "max" else min)(values)
        elif all(x.denominator == 1 for x in values):
            value = Fraction((gcd if name == "gcd" else lcm)(*(x.numerator for x in values)))
        else:
            raise Undefined
        return Form({UNIT: value} if value else {}, ONE)

    def _positive(self, form: Form) -> Form:
        """The form or its opposite, whichever has a positive leading coefficient."""
        if form.top and form.top[min(form.top, key=degree_first)] < 0:
            return Form({m: -c for m, c in form.top.items()}, form.bottom)
        return form

    def _opaque(self, name: str, *arguments: Form) -> Form:
        atom = f"{OPAQUE}{name}({','.join(text(a) for a in arguments)})"
        return Form({((atom, Fraction(1)),): Fraction(1)}, ONE)

    def _sum(self, forms: Iterable[Form]) -> Form:
        top: Polynomial = {}
        bottom = ONE
        for form in forms:
            if form.bottom == bottom:
                addend = form.top
            else:
                addend = self.times(form.top, bottom)
                top = self.times(top, form.bottom)
                bottom = self.times(bottom, form.bottom)
            for m, c in addend.items():
                rest = top.get(m, 0) + c
                if rest:
                    top[m] = rest
                else:
                    top.pop(m, None)
            if len(top) > MAX_TERMS:
                raise TooLarge
        return Form(top, bottom)

    def _product(self, a: Form, b: Form) -> Form:
        if a.top == b.bottom and a.top:
            return Form(b.top, a.bottom)
        if b.top == a.bottom and b.top:
            return Form(a.top, b.bottom)
        return Form(self.times(a.top, b.top), self.times(a.bottom, b.bottom))

    def _inverse(self, form: Form) -> Form:
        if not form.top:
            raise Undefined
        if len(form.top) == 1:
            ((m, c),) = form.top.items()
            inverse = self._reduced({tuple((a, -e) for a, e in m): 1 / c})
            return Form(self.times(form.bottom, inverse), ONE)
        leading = form.top[min(form.top, key=degree_first)]
        bottom = form.bottom
        top = form.top
        if leading != 1:
            bottom = {m: c / leading for m, c in bottom.items()}
            top = {m: c / leading for m, c in top.items()}
        return Form(bottom, top)

    def times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if a is ONE or a == ONE:
            return dict(b)
        if b is ONE or b == ONE:
            return dict(a)
        self.products += len(a) * len(b)
        if self.products > MAX_TERM_PRODUCTS:
            raise TooLarge
        out: Polynomial = {}
        fix = False
        for ma, ca in a.items():
            for mb, cb in b.items():
                m, special = merge(ma, mb)
                fix = fix or special
                c = out.get(m, 0) + ca * cb
                if c:
                    out[m] = c
                else:
                    out.pop(m, None)
        return self._reduced(out) if fix else out

    def _reduced(self, p: Polynomial) -> Polynomial:
        """Whole powers of primes go into the coefficient, i² becomes -1."""
        out: Polynomial = {}
        for m, c in p.items():
            kept = []
            for atom, e in m:
                if atom.startswith("#"):
                    whole = e.numerator // e.denominator
                    if whole:
                        check_power(int(atom[1:]), whole)
                        c *= Fraction(int(atom[1:])) ** whole
                        e -= whole
                elif atom == "ⅈ":
                    quarter = e % 4
                    if quarter >= 2:
                        c, quarter = -c, quarter - 2
                    e = quarter
                if e:
                    kept.append((atom, e))
            key = tuple(kept)
            rest = out.get(key, 0) + c
            if rest:
                out[key] = rest
            else:
                out.pop(key, None)
        return out

    def _power(self, base: Node, exponent: Node) -> Form:
        e = self.form(exponent)
        b = self.form(base)
        constant = is_constant(e)
        if constant is not None:
            return self._rational_power(b, constant)
        if e.bottom != ONE:
            return self._opaque("pow", b, e)
        factors = self._monomial_factors(b)
        if factors is None:
            return self._opaque("pow", b, e)
        out: dict[str, Fraction] = {}
        result = Form(ONE, ONE)
        for term, c in e.top.items():
            if term == UNIT:
                result = self._product(result, self._rational_power(b, c))
                continue
            name = polynomial_text({term: Fraction(1)})
            for atom, multiplicity in factors:
                related = OPAQUE in name or any(
                    a == "ⅈ" for a, _ in term
                )  # as e^(iπ) and e^(ln 2) are
                key = f"{OPAQUE if related else ''}{atom.removeprefix('#')}^[{name}]"
                out[key] = out.get(key, Fraction(0)) + c * multiplicity
        monomial = tuple(sorted((a, x) for a, x in out.items() if x))
        return self._product(result, Form({monomial: Fraction(1)}, ONE))

    def _monomial_factors(self, b: Form) -> list[tuple[str, Fraction]] | None:
        """The atoms of a base that is one positive monomial, with their exponents."""
        if b.bottom != ONE or len(b.top) != 1:
            return None
        ((m, c),) = b.top.items()
        if c <= 0 or any(a.startswith(OPAQUE) or a == "ⅈ" for a, _ in m):
            return None
        return [*prime_powers(c), *m]

    def _rational_power(self, b: Form, e: Fraction) -> Form:
        if not b.top:
            if e > 0:
                return Form({}, ONE)
            raise Undefined
        if e.denominator == 1:
            return self._whole_power(b, e.numerator)
        if len(b.top) == 1 and len(b.bottom) == 1:
            ((m, c),) = self._product(
                Form(b.top, ONE), self._inverse(Form(b.bottom, ONE))
            ).top.items()
            sign = Form(ONE, ONE)
            if c < 0:
                if e.denominator % 2:
                    sign = Form({UNIT: Fraction(-1 if e.numerator % 2 else 1)}, ONE)
                elif e.denominator == 2:
                    sign = Form(self._reduced({(("ⅈ", Fraction(e.numerator)),): Fraction(1)}), ONE)
                else:
                    return self._opaque(f"root{e}", b)
            if any(hides_sign(a, x, e) for a, x in m):
                return self._opaque(f"root{e}", b)
            factors = dict(m)
            for atom, k in prime_powers(abs(c)):
                factors[atom] = factors.get(atom, Fraction(0)) + k
            monomial = tuple(sorted((a, x * e) for a, x in factors.items()))
            return self._product(sign, Form(self._reduced({monomial: Fraction(1)}), ONE))
        scale = content(b.top)
        inner = Form({m: c / scale for m, c in b.top.items()}, b.bottom)
        outside = self._rational_power(Form({UNIT: scale}, ONE), e)
        atom = f"{OPAQUE}({text(inner)})"
        whole = e.numerator // e.denominator
        out = self._product(outside, Form({((atom, e - whole),): Fraction(1)}, ONE))
        return self._product(out, self._whole_power(inner, whole)) if whole else out

    def _whole_power(self, b: Form, n: int) -> Form:
        if n < 0:
            b, n = self._inverse(b), -n
        if len(b.top) <= 1 and len(b.bottom) == 1:
            return Form(self._monomial_power(b.top, n), self._monomial_power(b.bottom, n))
        if n > MAX_EXPANDED_POWER or max(len(b.top), len(b.bottom)) ** min(n, 8) > 50 * MAX_TERMS:
            atom = f"{OPAQUE}({text(b)})"
            return Form({((atom, Fraction(n)),): Fraction(1)}, ONE)
        out = Form(ONE, ONE)
        for _ in range(n):
            out = Form(self.times(out.top, b.top), self.times(out.bottom, b.bottom))
        return out

    def _monomial_power(self, p: Polynomial, n: int) -> Polynomial:
        if not p:
            return {} if n else ONE
        ((m, c),) = p.items()
        if abs(c) != 1:
            try:
                check_power(c, n)
            except TooLarge:
                return self._huge_power(m, c, n)
        return self._reduced(
            {
                tuple((a, e * n) for a, e in m): c**n
                if abs(c) != 1
                else (c if n % 2 else Fraction(1))
            }
        )

    def _huge_power(self, m: Monomial, c: Fraction, n: int) -> Polynomial:
        sign = Fraction(-1 if c < 0 and n % 2 else 1)
        if n.bit_length() > MAX_HUGE_EXPONENT_BITS:
            raise TooLarge
        atom = f"{OPAQUE}{abs(c)}^{n}"
        return {tuple(sorted([*((a, e * n) for a, e in m), (atom, Fraction(1))])): sign}

    def _factorial(self, node: Op) -> Form:
        inner = self.form(node.args[0])
        c = is_constant(inner)
        if c is not None and c.denominator == 1 and 0 <= c <= 1_000:
            step = 2 if node.head == "factorial2" else 1
            n, value = c.numerator, 1
            while n > 1:
                value, n = value * n, n - step
            return Form({UNIT: Fraction(value)}, ONE)
        return self._opaque(node.head, inner)

    def _binomial(self, node: Op) -> Form:
        forms = [self.form(a) for a in node.args]
        n, k = (is_constant(f) for f in forms)
        if (
            n is not None
            and k is not None
            and n.denominator == k.denominator == 1
            and 0 <= k <= n <= 2_000
        ):
            value = 1
            for i in range(min(k.numerator, n.numerator - k.numerator)):
                value = value * (n.numerator - i) // (i + 1)
            return Form({UNIT: Fraction(value)}, ONE)
        return self._opaque("binom", *forms)

    def _logarithm(self, node: Op) -> Form:
        """ln of a rational number as a sum over its primes; log with a base as a quotient."""
        argument = self.form(node.args[0])
        natural = self._natural_logarithm(argument)
        if len(node.args) == 2:
            return self._product(
                natural, self._inverse(self._natural_logarithm(self.form(node.args[1])))
            )
        if node.head == "fn:ln":
            return natural
        if node.head == "fn:lg":
            return self._product(
                natural, self._inverse(self._natural_logarithm(Form({UNIT: Fraction(10)}, ONE)))
            )
        # `log` without a base may be either; its unknown base is an atom of its own.
        return self._product(
            natural, Form({((OPAQUE + "logbase", Fraction(-1)),): Fraction(1)}, ONE)
        )

    def _natural_logarithm(self, argument: Form) -> Form:
        if not argument.top:
            raise Undefined
        if len(argument.top) == 1 and argument.bottom == ONE:
            ((m, c),) = argument.top.items()
            if c > 0 and all(a.startswith("#") or a == "ℯ" for a, _ in m):
                top: Polynomial = {}
                for atom, k in [*prime_powers(c), *m]:
                    key: Monomial = (
                        UNIT if atom == "ℯ" else ((f"{OPAQUE}ln({atom[1:]})", Fraction(1)),)
                    )
                    top[key] = top.get(key, Fraction(0)) + k
                return Form({m: k for m, k in top.items() if k}, ONE)
        return self._opaque("ln", argument)


def written_out(node: Op) -> tuple[Node, ...] | None:
    """The terms of a sum or product over a short range of numbers, else None."""
    body, index, low, high = node.args
    if not (isinstance(index, Sym) and isinstance(low, Num) and isinstance(high, Num)):
        return None
    first, last = low.value, high.value
    if (
        first.denominator != 1
        or last.denominator != 1
        or not 0 <= last - first < MAX_WRITTEN_OUT_TERMS
    ):
        return None
    return tuple(
        substitute(body, {index.name: number(k)})
        for k in range(first.numerator, last.numerator + 1)
    )
