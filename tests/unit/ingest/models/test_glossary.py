"""The glossary names what a solution uses, in both languages, in linear time."""

from __future__ import annotations

import time
from collections import defaultdict
from importlib import resources

import pytest

from ingest.models.glossary import SEPARATOR, bundled, tokens


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("By the Pythagorean theorem, $c^2 = a^2 + b^2$", ["pythagorean theorem", "exponent", "equation"]),
        ("Right triangles have a hypotenuse.", ["right triangle"]),
        ("The triangle is right.", ["triangle"]),
        ("We factor $x^2-9$ as a difference of squares", ["factoring", "exponent", "difference of squares"]),
        (r"$\frac{1}{2}$ and \sqrt{3}", ["fraction", "square root"]),
        (r"Vieta's formulas give \equiv", ["vieta's formulas", "modular arithmetic"]),
        ("The vertices and the radii", ["vertex", "radius"]),
        ("由勾股定理，斜边长为5", ["pythagorean theorem", "right triangle"]),
        ("两数的最大公约数与最小公倍数", ["greatest common divisor", "least common multiple"]),
        ("用一元二次方程求解", ["quadratic equation"]),
        ("Nothing to see here", []),
        ("", []),
        ("costs since sinus subsets", ["set"]),
    ],
)  # fmt: skip
def test_concepts_are_found_once_in_order_the_longest_first(text: str, concepts: list[str]) -> None:
    found = bundled().find(text)
    assert [concept for concept in found if concept not in ("money", "equation", "exponent")] == [
        concept for concept in concepts if concept not in ("equation", "exponent")
    ]


def test_every_term_names_one_concept() -> None:
    text = resources.files("ingest.models").joinpath("glossary.tsv").read_text("utf-8")
    named = defaultdict(set)
    for line in text.splitlines()[1:]:
        concept, english, chinese = line.split("\t")
        terms = [concept, *english.split(SEPARATOR), *chinese.split(SEPARATOR)]
        for term in filter(str.strip, terms):
            assert tokens(term), f"{concept}: {term!r} can never be found"
            named[tuple(tokens(term))].add(concept)
    assert {term: names for term, names in named.items() if len(names) > 1} == {}


def test_there_are_a_few_hundred_concepts_in_both_languages() -> None:
    text = resources.files("ingest.models").joinpath("glossary.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    assert len(rows) >= 300
    assert sum(bool(chinese) for _, _, chinese in rows) >= 300


def test_time_is_linear_in_the_text() -> None:
    text = "the least common multiple of the greatest common prime " * 2000

    def seconds(n: int) -> float:
        started = time.process_time()
        bundled().find(text * n)
        return time.process_time() - started

    seconds(1)
    assert seconds(8) < 8 * 4 * max(seconds(1), 0.01)
