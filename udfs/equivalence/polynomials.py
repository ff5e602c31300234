"""Sums of `rational · ∏ atom^rational`, the stuff of normal forms.

Atoms are texts: `#p` a prime, `~…` an opaque atom that may be related to others, else a variable, π, e or i.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from udfs.equivalence.limits import MAX_BITS, MAX_TRIAL_PRIME

Monomial: TypeAlias = tuple[tuple[str, Fraction], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]

UNIT: Monomial = ()
ONE: Polynomial = {UNIT: Fraction(1)}
OPAQUE = "~"  # first character of the name of an atom that may be related to others


class TooLarge(Exception):
    """The normal form would pass a limit."""


def is_opaque(p: Polynomial) -> bool:
    return any(atom.startswith(OPAQUE) for m in p for atom, _ in m)


def polynomial_text(p: Polynomial) -> str:
    if not p:
        return "0"
    parts: list[str] = []
    for monomial in sorted(p, key=degree_first):
        c = p[monomial]
        factors = [_power_text(atom.removeprefix("#"), e) for atom, e in monomial]
        if not factors or abs(c) != 1:
            factors.insert(0, str(abs(c)))
        parts.append(("-" if c < 0 else "+" if parts else "") + "*".join(factors))
    return "".join(parts)


def _power_text(atom: str, e: Fraction) -> str:
    if e == 1:
        return atom
    return f"{atom}^{e}" if e.denominator == 1 and e > 0 else f"{atom}^({e})"


def degree_first(m: Monomial) -> tuple[Fraction, Monomial]:
    return (-sum((e for a, e in m if not a.startswith("#")), Fraction(0)), m)


def subtract(a: Polynomial, b: Polynomial) -> Polynomial:
    out = dict(a)
    for m, c in b.items():
        rest = out.get(m, 0) - c
        if rest:
            out[m] = rest
        else:
            out.pop(m, None)
    return out


def hides_sign(atom: str, exponent: Fraction, power: Fraction) -> bool:
    """Whether (atom^exponent)^power loses a sign that atom^(exponent·power) would show, as in √(x²)."""
    if atom.startswith("#") or atom in ("pi", "ℯ"):
        return False
    if atom == "ⅈ":
        return True
    return exponent.denominator == 1 and exponent.numerator % 2 == 0


def merge(a: Monomial, b: Monomial) -> tuple[Monomial, bool]:
    """The product of two monomials, and whether primes or i met in it."""
    if not a:
        return b, False
    if not b:
        return a, False
    powers = dict(a)
    special = False
    for atom, e in b:
        if atom in powers:
            powers[atom] += e
            if not powers[atom]:
                del powers[atom]
            special = special or atom[0] == "#" or atom == "ⅈ"
        else:
            powers[atom] = e
    return tuple(sorted(powers.items())), special


def content(p: Polynomial) -> Fraction:
    """The positive rational that makes the coefficients whole and coprime."""
    top = bottom = 0
    for c in p.values():
        top = gcd(top, c.numerator)
        bottom = lcm(bottom or 1, c.denominator)
    return Fraction(top, bottom)


def check_power(base: int | Fraction, n: int) -> None:
    value = Fraction(base)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) * abs(n) > MAX_BITS:
        raise TooLarge


def prime_powers(value: Fraction) -> list[tuple[str, Fraction]]:
    """The primes of a positive rational as atoms `#p` with exponents; a large cofactor counts as prime."""
    out: dict[str, Fraction] = {}
    for n, sign in ((value.numerator, 1), (value.denominator, -1)):
        if n.bit_length() > 2_000:
            out[f"#{n}"] = Fraction(sign)
            continue
        p = 2
        while n > 1 and p <= MAX_TRIAL_PRIME:
            if p * p > n:
                break
            while n % p == 0:
                key = f"#{p}"
                out[key] = out.get(key, Fraction(0)) + sign
                n //= p
            p += 1 if p == 2 else 2
        if n > 1:
            key = f"#{n}"
            out[key] = out.get(key, Fraction(0)) + sign
    return [(a, e) for a, e in out.items() if e]
