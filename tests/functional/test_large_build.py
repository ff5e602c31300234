"""A large run builds in one go: 300,000 replies with 30,000 distinct pairs of gold and answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Warehouse, dbt

N_PROBLEMS, N_ROLLOUTS, N_ANSWERS = 3_000, 100, 10
# A hang shows as this; on two free cores the build takes well under a minute.
MAX_SECONDS = 900


def answer(problem: int, choice: int) -> str:
    """One of ten answers to a problem: the first three are spellings of the gold n/7, the rest are wrong."""
    n = problem + 1
    spellings = (
        f"\\frac{{{n}}}{{7}}",
        f"\\dfrac{{{2 * n}}}{{14}}",
        f"{n}/7",
        f"\\sqrt{{{n}}}",
        f"x = {n + 1}",
        f"({n}, 7)",
        f"{n}.25",
        f"{n}\\pi",
        f"{n}\\%",
        f"{n} + {n}i",
    )
    return spellings[choice]


def write(path: Path) -> None:
    """The run as a native output file: every reply is a text of its own, every tenth answer the same."""
    with path.open("w", encoding="utf-8") as file:
        for problem in range(N_PROBLEMS):
            for rollout in range(N_ROLLOUTS):
                record = {
                    "problem_id": str(problem),
                    "question": f"What is {problem + 1} divided by 7?",
                    "gold_answer": f"\\frac{{{problem + 1}}}{{7}}",
                    "rollout_no": rollout + 1,
                    "response": f"Try {rollout}: this is $\\boxed{{{answer(problem, rollout % N_ANSWERS)}}}$.",
                }
                file.write(json.dumps(record) + "\n")


@pytest.mark.slow
def test_three_hundred_thousand_replies(warehouse: Warehouse, tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    write(file)
    warehouse.load("outputs", file, dataset="sevenths", model="m")
    done = dbt(
        *("build", "--quiet", "--select", "+int_outcomes"),
        *("--exclude-resource-type", "unit_test"),
        database=warehouse.path,
        folder=tmp_path,
        timeout=MAX_SECONDS,
    )
    assert done.returncode == 0, done.stdout
    assert (
        warehouse.value("select count(*) from intermediate.int_verdicts") == N_PROBLEMS * N_ANSWERS
    ), done.stdout
    assert "answers:" in done.stderr and "a second" in done.stderr
    outcomes = dict(
        warehouse.rows(
            "select outcome, count(*) from intermediate.int_outcomes where verdict_source = 'judge' group by outcome"
        )
    )
    n_correct = N_PROBLEMS * N_ROLLOUTS * 3 // N_ANSWERS
    assert outcomes["correct"] + outcomes["incorrect"] == N_PROBLEMS * N_ROLLOUTS
    # Some wrong answers are right by chance: the square root of 49 is 49 / 7.
    assert n_correct <= outcomes["correct"] <= n_correct + 0.01 * N_PROBLEMS * N_ROLLOUTS
