"""Properties of equivalence that hold for any answer: reflexive, symmetric, blind to respelling, strict on numbers."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from udfs.equivalence import classes, judge, normalise

integers = st.integers(-9_999, 9_999)
letters = st.sampled_from("abcmnpxyz")


def fraction(top: int, bottom: int) -> str:
    sign = "-" if top < 0 else ""
    return rf"{sign}\frac{{{abs(top)}}}{{{bottom}}}"


numbers = st.one_of(
    integers.map(str),
    st.builds(fraction, integers, st.integers(2, 99)),
    st.builds(lambda a, b: rf"{a}\sqrt{{{b}}}", st.integers(1, 99), st.integers(2, 99)),
    st.builds(lambda a: rf"{a}\pi", st.integers(2, 99)),
)
terms = st.builds(lambda c, x, n: f"{c}{x}^{{{n}}}", st.integers(2, 30), letters, st.integers(2, 5))
polynomials = st.lists(terms, min_size=1, max_size=4).map(" + ".join)
tuples = st.lists(numbers, min_size=2, max_size=4).map(lambda xs: "(" + ", ".join(xs) + ")")
lists = st.lists(numbers, min_size=2, max_size=5).map(", ".join)
sets = st.lists(numbers, min_size=2, max_size=4, unique=True).map(
    lambda xs: r"\{" + ", ".join(xs) + r"\}"
)
intervals = st.builds(
    lambda a, d, left, right: f"{left}{a}, {a + d}{right}",
    integers,
    st.integers(1, 50),
    st.sampled_from("(["),
    st.sampled_from(")]"),
)
equations = st.builds(lambda x, e: f"{x} = {e}", letters, numbers)
matrices = st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=1, max_size=3).map(
    lambda rows: r"\begin{pmatrix}" + r"\\".join(" & ".join(r) for r in rows) + r"\end{pmatrix}"
)
answers = st.one_of(numbers, polynomials, tuples, lists, sets, intervals, equations, matrices)


@given(st.one_of(answers, st.text(max_size=40).filter(str.strip)))
@settings(deadline=None, max_examples=300)
def test_reflexive(answer: str) -> None:
    assert judge(answer, answer).verdict is True


@given(answers, answers)
@settings(deadline=None, max_examples=300)
def test_symmetric(a: str, b: str) -> None:
    assert judge(a, b).verdict == judge(b, a).verdict


@given(st.text(max_size=60), st.text(max_size=60))
@settings(deadline=None, max_examples=300)
def test_total_and_symmetric_on_any_text(a: str, b: str) -> None:
    if a.strip() and b.strip():
        assert judge(a, b).verdict == judge(b, a).verdict
    assert normalise(a) is not None


RESPELLINGS = (
    lambda s: s.replace(r"\frac", r"\dfrac"),
    lambda s: s.replace(r"\frac", r"\tfrac"),
    lambda s: s.replace("(", r"\left(").replace(")", r"\right)"),
    lambda s: s.replace(", ", ","),
    lambda s: s.replace(", ", r",\ "),
    lambda s: f"${s}$",
    lambda s: rf"\( {s} \)",
    lambda s: rf"\boxed{{{s}}}",
    lambda s: s + ".",
    lambda s: s.replace("+", " +  "),
    lambda s: re.sub(r"\^\{(\d)\}", r"^\1", s),
    lambda s: re.sub(r"(\d)([a-z])\^", r"\1 \\cdot \2^", s),
    lambda s: re.sub(r"(\d)([a-z])\^", r"\1*\2^", s),
    lambda s: re.sub(r"\\frac\{(\d)\}\{(\d)\}", r"\\frac\1\2", s),
    lambda s: re.sub(r"\\sqrt\{(\d)\}", r"\\sqrt\1", s),
    lambda s: s.replace("pmatrix", "bmatrix"),
    lambda s: s.replace("-", "−"),
)


@given(answers, st.sampled_from(RESPELLINGS))
@settings(deadline=None, max_examples=400)
def test_respelling_changes_nothing(answer: str, respell: object) -> None:
    assert callable(respell)
    assert judge(answer, respell(answer)).verdict is True


@given(st.lists(numbers, min_size=2, max_size=6), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_of_a_set_does_not_matter(items: list[str], random: random.Random) -> None:
    shuffled = items[:]
    random.shuffle(shuffled)
    assert (
        judge(r"\{" + ", ".join(items) + r"\}", r"\{" + ", ".join(shuffled) + r"\}").verdict is True
    )
    assert judge(", ".join(items), ", ".join(shuffled)).verdict is True


@given(integers, integers.filter(bool))
@settings(deadline=None)
def test_another_integer_is_never_equal(n: int, difference: int) -> None:
    for written in (str(n), f"x = {n}", f"{n} cm", rf"\frac{{{2 * n}}}{{2}}"):
        assert judge(written, str(n + difference)).verdict is False


@given(integers, st.integers(2, 999), integers.filter(bool), st.integers(2, 10**6))
@settings(deadline=None)
def test_another_rational_is_never_equal(top: int, bottom: int, nudge: int, scale: int) -> None:
    value = Fraction(top, bottom)
    other = value + Fraction(nudge, bottom * scale)
    assert judge(f"{value}", f"{other}").verdict is False


@given(st.integers(1_000, 99_999), st.integers(1, 9), st.booleans())
@settings(deadline=None)
def test_a_decimal_beyond_rounding_is_never_equal(digits: int, steps: int, up: bool) -> None:
    """A decimal more than one unit of its last place away from an irrational number is another number."""
    root = (2 * 10**12) ** 0.5 / 10**6
    places = len(str(digits)) - 1
    rounded = round(root * 10**places)
    assert judge(r"\sqrt{2}", f"{rounded / 10**places:.{places}f}").verdict is True
    far = rounded + (1 + steps) * (1 if up else -1)
    assert judge(r"\sqrt{2}", f"{far / 10**places:.{places}f}").verdict is False


@given(
    st.lists(
        st.sampled_from(["1/2", "0.5", r"\frac12", "2", "x=2", "3", "1, 2", "2, 1", None, "no"]),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_classes_do_not_depend_on_the_order(
    given_answers: list[str | None], random: random.Random
) -> None:
    def grouped(order: list[int]) -> set[frozenset[int]]:
        found = classes([given_answers[i] for i in order])
        groups: dict[int, set[int]] = {}
        for position, c in zip(order, found, strict=True):
            if c:
                groups.setdefault(c, set()).add(position)
        return {frozenset(g) for g in groups.values()}

    order = list(range(len(given_answers)))
    shuffled = order[:]
    random.shuffle(shuffled)
    assert grouped(order) == grouped(shuffled)
