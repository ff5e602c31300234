"""Extraction: the case file, and what holds of every text."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from udfs.extraction import answer_form, extract, reduce_gold
from udfs.policy import DEFAULT, EXTRACTION_POLICIES, Policy, parse

ROOT = Path(__file__).resolve().parents[3]
CASES = [
    json.loads(line)
    for line in (ROOT / "tests/cases/extraction.jsonl").read_text("utf-8").splitlines()
]


def seed_specs() -> dict[str, str]:
    """The spec of every policy in the seed, as the model int_policies writes it."""
    with (ROOT / "dbt_project/seeds/grading_policies.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    switches = [name for name in rows[0] if name not in ("policy_id", "description")]
    return {row["policy_id"]: ";".join(f"{name}={row[name]}" for name in switches) for row in rows}


SPECS = seed_specs()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case(case: dict) -> None:
    extraction = extract(case["response"], SPECS[case["policy"]], case["answer_form"])
    assert extraction.answer == case["answer"], case["claim"]
    assert extraction.is_truncated == case["is_truncated"], case["claim"]


def test_the_seed_states_policies_that_exist() -> None:
    for policy_id, spec in SPECS.items():
        policy = parse(spec)
        assert policy.spec() != DEFAULT.spec() or policy_id in ("auto",)
        assert f"extraction={policy.extraction};" in spec, policy_id
        assert f"equivalence={policy.equivalence};" in spec, policy_id


@pytest.mark.parametrize(
    ("gold", "form"),
    [
        ("C", "choice"),
        ("\\text{(B)}", "choice"),
        ("42", "number"),
        ("-3.5", "number"),
        ("14{,}916", "number"),
        ("\\frac{7}{2}", "number"),
        ("60^\\circ", "number"),
        ("35\\%", "number"),
        ("12\\text{ cm}", "quantity"),
        ("3, 4", "list"),
        ("(2, -7)", "list"),
        ("\\text{even}", "text"),
        ("x^2 + 1", "expression"),
        ("2\\sqrt{3}", "expression"),
        ("He buys 3 * 4 = 12 pens.\n#### 12", "number"),
        ("Adding up gives $\\boxed{\\frac{1}{3}}$.", "number"),
        ("", None),
        (None, None),
    ],
)
def test_form_of_gold(gold: str | None, form: str | None) -> None:
    assert answer_form(gold) == form


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("He pays 7 * 10,000 in all.\n#### 70000", "70000"),
        ("The sum is $\\boxed{12}$.", "12"),
        ("7 + 8 = 15\nA: 15", "15"),
        ("70000", "70000"),
    ],
)
def test_gold_that_is_a_worked_solution(gold: str, answer: str) -> None:
    assert reduce_gold(gold) == answer


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=300),
        st.text("answer is:#\\boxed{}【】$[]()0123456789.,=\n ", max_size=300),
    ),
    st.sampled_from(EXTRACTION_POLICIES),
    st.sampled_from(["choice", "number", "quantity", "list", "text", "expression", None, "?"]),
)
def test_no_text_makes_it_fail(text: str, policy: str, form: str | None) -> None:
    extraction = extract(text, Policy(extraction=policy).spec(), form)
    assert extraction.method != "error"


HOSTILE = {
    "blanks": " " * 10**6,
    "digits": "7" * 10**6,
    "digits then a letter": "7" * 10**6 + "x",
    "open brackets": "【1" * 300_000,
    "boxes": "\\boxed{" * 150_000,
    "box commands": "\\boxed" * 150_000,
    "dollars": "$" * 10**6,
    "dollars and letters": "$a" * 400_000,
    "display openings": "\\[" * 400_000,
    "inline openings": "\\(" * 400_000,
    "markers": "answer is " * 100_000,
    "colons": "answer: " * 100_000,
    "hashes": "#" * 10**6,
    "hash lines": "#### \n" * 150_000,
    "equals": "= " * 400_000,
    "brackets": "(" * 10**6,
    "tuples": "(1," * 300_000,
    "commas": "1,234," * 150_000,
    "thinking": "<think>" * 100_000,
    "annotations": "<<1+" * 200_000,
    "bold": "**1" * 300_000,
    "sentences": "It is 1. " * 100_000,
    "verbs": "is are was were " * 50_000,
    "points": "1." * 400_000,
    "words": "word " * 200_000,
    "begins": "\\begin{a}" * 100_000,
}


@pytest.mark.parametrize("policy", EXTRACTION_POLICIES)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_time(name: str, policy: str) -> None:
    for form in ("number", "choice", "list", "text"):
        started = time.process_time()
        extraction = extract(HOSTILE[name], Policy(extraction=policy).spec(), form)
        assert time.process_time() - started < 1.0
        assert extraction.method != "error"


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["【1", "12a", "7", "x", "【12】"[:3]])
def test_official_extraction_is_linear(unit: str) -> None:
    text = unit * (100_000_000 // len(unit.encode()))
    started = time.process_time()
    extract(text, Policy(extraction="scmath6_official_v1").spec(), "number")
    assert time.process_time() - started < 10.0
