"""Classes of the answers to one problem: the same for any order, bounded for thousands, in step with the judge."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

from udfs.equivalence import classes

CASES = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[2] / "cases/equivalence.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def test_a_class_is_named_after_its_first_member() -> None:
    answers = ["0.5", "2", r"\frac{1}{2}", None, "x = 2", "1/2", " ", "3"]
    assert classes(answers) == [1, 2, 1, 0, 2, 1, 0, 8]


def test_two_answers_share_a_class_exactly_when_they_are_equivalent() -> None:
    for case in CASES:
        first, second = classes([case["gold"], case["answer"]])
        assert (first == second) == case["equivalent"], case


def test_links_carry_over() -> None:
    """0.333 is the rounded third, and so is 0.3333: one class, though neither is the other rounded."""
    assert len(set(classes(["0.333", "1/3", "0.3333"]))) == 1


def test_no_answers() -> None:
    assert classes([]) == []
    assert classes([None, ""]) == [0, 0]


def test_thousands_of_answers_in_bounded_time() -> None:
    rng = random.Random(7)
    shapes = [r"\frac{%d}{%d}", "%d.%d", r"%d\sqrt{%d}", "(%d, %d)", "%d people and %d dogs"]
    answers = [rng.choice(shapes) % (rng.randint(1, 60), rng.randint(2, 60)) for _ in range(3_000)]
    started = time.process_time()
    found = classes(answers)
    assert time.process_time() - started < 20
    shuffled = list(range(len(answers)))
    rng.shuffle(shuffled)
    again = classes([answers[i] for i in shuffled])
    by_text = {answers[i]: c for i, c in zip(shuffled, again, strict=True)}
    groups: dict[int, set[int]] = {}
    for text, c in zip(answers, found, strict=True):
        groups.setdefault(c, set()).add(by_text[text])
    assert all(len(g) == 1 for g in groups.values())
    assert len(groups) == len(set(found)) == len(set(again))
