"""Metrics at k on files with gaps, missing answers, missing golds and unequal numbers of rollouts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Warehouse

GOLD = {"a": "1", "b": "1", "c": "1", "d": None, "e": "1/2"}
# problem -> {rollout_no: response}
RESPONSES = {
    "a": {n: "The answer is 1." for n in range(1, 9)},
    "b": {1: "The answer is 1.", 2: "The answer is 2.", 4: "The answer is 1."},
    "c": {
        1: "The answer is 3.",
        2: "I do not know",
        3: "The answer is 1.",
        4: "",
        5: "The answer is 1.",
    },
    "d": {1: "The answer is 1.", 2: "The answer is 1."},
    # 2 and 3 are one answer in two spellings: together they outvote nothing, alone they would tie
    "e": {1: "The answer is 7.", 2: "The answer is 0.5.", 3: r"The answer is $\frac{1}{2}$."},
}


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def uneven(built: Callable[..., Warehouse], tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    folder = tmp_path_factory.mktemp("uneven_files")

    def fill(warehouse: Warehouse) -> None:
        problems = [
            {"problem_id": p, "question": "?", "gold_answer": gold} for p, gold in GOLD.items()
        ]
        outputs = [
            {"problem_id": p, "run_id": "r", "rollout_no": n, "response": text}
            for p, texts in RESPONSES.items()
            for n, text in texts.items()
        ]
        warehouse.load("problems", write(folder / "problems.jsonl", problems), dataset="uneven")
        warehouse.load(
            "outputs",
            write(folder / "outputs.jsonl", outputs),
            dataset="uneven",
            model="m",
            prompt="p",
        )

    return built("uneven", fill)


@pytest.fixture(scope="module")
def at_k(uneven: Warehouse) -> Callable[[str, int], tuple]:
    def find(metric: str, k: int) -> tuple:
        """(numerator, denominator, n_undecided) of the metric over all problems; () where it has no value."""
        rows = uneven.rows(
            """
            select numerator, denominator, n_undecided from marts.metric_values
            where metric_id = ? and k = ? and slice_kind = 'all' and verdict_source = 'judge'
            """,
            [metric, k],
        )
        return rows[0] if rows else ()

    return find


def test_no_value_beyond_the_rollouts_there_are(uneven: Warehouse, at_k: Callable) -> None:
    """Eight rollouts are never divided by sixty-four."""
    assert uneven.value("select max(k) from marts.metric_values") == 8
    assert at_k("rm_at_k", 8) == (1, 1, 0)


def test_a_gap_ends_the_first_k(at_k: Callable) -> None:
    """Problem b lacks rollout 3: it has values at 1 and 2, none at 3 and 4."""
    assert [at_k("coverage_at_k", k)[:2] for k in (1, 2, 3, 4)] == [(5, 5), (5, 5), (3, 5), (2, 5)]


def test_undecided_problems_are_left_out_and_counted(at_k: Callable) -> None:
    """Problem d has no gold: in neither numerator nor denominator, and its rollouts stand in n_undecided."""
    assert at_k("rm_at_k", 1) == (2, 4, 1)
    assert at_k("rm_at_k", 2) == (3, 4, 2)
    assert at_k("major_at_k", 2) == (1, 4, 2)
    assert at_k("all_at_k", 2) == (1, 4, 2)


def test_one_row_per_rollout_whatever_could_be_read(uneven: Warehouse) -> None:
    """Rollouts 2 and 4 of c have no answer; no later rollout moves up into their place."""
    rows = uneven.rows(
        """
        select rollout_no, outcome from marts.responses
        inner join marts.problems using (problem_id)
        where native_id = 'c' order by rollout_no
        """
    )
    assert rows == [
        (1, "incorrect"),
        (2, "no_answer"),
        (3, "correct"),
        (4, "no_reply"),
        (5, "correct"),
    ]


def test_a_rollout_without_an_answer_does_not_vote(at_k: Callable) -> None:
    """At 5 problem c has one vote for 3 and two for 1; the two rollouts without an answer are no third party."""
    assert at_k("plurality_at_k", 5) == (2, 2, 0)
    assert at_k("plurality_ties_at_k", 5) == (0, 2, 0)


def test_equivalent_spellings_vote_together(at_k: Callable) -> None:
    """At 3 problem e has 7 once and a half twice, in two spellings; c has no answer in the middle and ties 1 to 1."""
    assert at_k("plurality_at_k", 3) == (2, 3, 0)
    assert at_k("plurality_ties_at_k", 3)[0] == 1


def test_expected_values_use_every_rollout(at_k: Callable) -> None:
    """b: 2 of 3 right; the gap does not matter to a draw without order."""
    numerator, denominator, _ = at_k("rm_at_k_expected", 1)
    assert denominator == 4
    assert numerator == pytest.approx(1 + 2 / 3 + 2 / 5 + 2 / 3, abs=1e-9)
