"""What is equivalent and what is not, case by case: `tests/cases/equivalence.jsonl` holds the claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from udfs.equivalence import METHODS, judge, normalise
from udfs.policy import Policy

CASES = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[2] / "cases/equivalence.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def label(case: dict) -> str:
    return f"{case['kind']}: {case['gold'][:40]} {'=' if case['equivalent'] else '≠'} {case['answer'][:40]}"


@pytest.mark.parametrize("case", CASES, ids=map(label, CASES))
def test_case(case: dict) -> None:
    verdict = judge(case["gold"], case["answer"])
    assert (verdict.verdict is True) == case["equivalent"], verdict
    assert verdict.method in METHODS


@pytest.mark.parametrize("case", CASES, ids=map(label, CASES))
def test_case_the_other_way_round(case: dict) -> None:
    assert (judge(case["answer"], case["gold"]).verdict is True) == case["equivalent"]


def test_equal_keys_are_equivalent_answers() -> None:
    by_key: dict[str | None, set[str]] = {}
    for case in CASES:
        for text in (case["gold"], case["answer"]):
            by_key.setdefault(normalise(text), set()).add(text)
    for texts in by_key.values():
        first, *others = sorted(texts)
        for other in others:
            if "/0" not in first:
                assert judge(first, other).verdict is True, (first, other)


@pytest.mark.parametrize(
    ("switch", "gold", "answer"),
    [
        ("rounding", r"\sqrt{2}", "1.414"),
        ("percent", "15%", "15"),
        ("units", "5 cm", "5"),
        ("degrees", r"30^\circ", "30"),
        ("base_subscript", "101_2", "101"),
        ("unordered_lists", "1, 2", "2, 1"),
        ("renamed_parameters", "f(n)=2t, for all n, with any t", "f(n)=2s, for all n"),
    ],
)
def test_every_convention_is_a_switch(switch: str, gold: str, answer: str) -> None:
    assert judge(gold, answer, Policy().spec()).verdict is True
    assert judge(gold, answer, Policy(**{switch: False}).spec()).verdict is False


def test_tolerances_come_from_the_policy() -> None:
    assert judge("10.5", "10.6", "absolute_tolerance=0.2").verdict is True
    assert judge("10", "11", "absolute_tolerance=0.5").verdict is False
    assert judge("1000.0", "1000.9", "relative_tolerance=0.001").verdict is True
    assert judge("1000.0", "1002.0", "relative_tolerance=0.001").verdict is False


def test_exact_text_policy_knows_nothing_but_text() -> None:
    spec = "equivalence=exact_text_v1"
    assert judge("07", "7", spec).verdict is False
    assert judge("7", "7", spec).verdict is True
    assert judge("", None, spec).verdict is True


def test_choice_policy_compares_letters() -> None:
    spec = "equivalence=choice_v1"
    assert judge("B", "(b) because A is wrong", spec).verdict is True
    assert judge("B", "(A)", spec).verdict is False


def test_number_policy_compares_numbers() -> None:
    spec = "equivalence=number_v1"
    assert judge("1,200", "x = 1200 cm", spec).verdict is True
    assert judge("1200", "1201", spec).verdict is False


def test_missing_sides() -> None:
    assert judge(None, "5").verdict is None
    assert judge("", "5").verdict is None
    assert judge("5", None).verdict is False
    assert judge("5", "  ").verdict is False
