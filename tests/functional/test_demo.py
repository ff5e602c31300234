"""The demo from end to end: every mart has rows, and the numbers are those of the files."""

from __future__ import annotations

import json

import pytest

from tests.support import Warehouse

# Marts that stay empty without a model's judgement, a second judge version or a tool's own summary file,
# which the demo has not.
MAY_BE_EMPTY = {"judge_agreement", "rank_changes", "reported_metrics", "verdict_changes"}


def test_every_mart_has_rows(demo: Warehouse) -> None:
    marts = demo.rows(
        "select table_name from information_schema.tables where table_schema = 'marts' order by all"
    )
    empty = {name for (name,) in marts if demo.value(f'select count(*) from marts."{name}"') == 0}
    assert empty <= MAY_BE_EMPTY


@pytest.mark.parametrize("name", ["leaderboard", "steps", "at-k", "msu", "tiers", "metrics"])
def test_every_shown_result_has_rows(demo: Warehouse, name: str) -> None:
    rows = json.loads(demo.mathmart("show", name, "--json").stdout)
    assert rows
    filled = {column for row in rows for column, value in row.items() if value is not None}
    assert filled == set(rows[0]), "a column of the demo that never has a value shows nothing"


def test_every_outcome_occurs(demo: Warehouse) -> None:
    outcomes = {outcome for (outcome,) in demo.rows("select distinct outcome from marts.responses")}
    assert outcomes >= {"correct", "incorrect", "no_answer", "no_reply"}


def test_equivalent_spellings_are_correct_and_wrong_ones_are_not(demo: Warehouse) -> None:
    """The generator wrote each reply knowing whether it is right; our judge must find the same."""
    rows = demo.rows(
        """
        select problem_id, reported_answer, is_correct
        from marts.responses
        where dataset_id = 'demo_math' and outcome in ('correct', 'incorrect')
        """
    )
    right = {
        r"\frac12",
        "0.5",
        "x = 6",
        "4+4x+x^2",
        "(C)",
        r"\frac{6}{36}",
        "3π",
        r"-1 \le x \le 5",
    }
    wrong = {"2/3", "x^2+4", "(-1,5)", r"9\pi", "B", "1/12"}
    assert {a for _, a, ok in rows if a in right and not ok} == set()
    assert {a for _, a, ok in rows if a in wrong and ok} == set()
    assert {a for _, a, _ in rows} >= right | wrong


def test_every_answered_row_leads_back_to_its_line(demo: Warehouse) -> None:
    rows = demo.rows(
        "select source_file, source_line, response_id from marts.responses"
        " where dataset_id = 'demo_math' order by source_line desc limit 50"
    )
    for file, line, response_id in rows:
        with open(file, encoding="utf-8") as lines:
            record = json.loads(lines.read().splitlines()[line - 1])
        (found,) = demo.rows(
            "select response from raw.responses where response_id = ?", [response_id]
        )
        assert found[0] == record["response"] or not record["response"]


def test_the_broken_line_is_in_the_rejects_and_the_counts_reconcile(demo: Warehouse) -> None:
    assert demo.value("select count(*) from marts.rejects") == 1
    assert (
        demo.value(
            "select count(*) from marts.loads"
            " where rows_read != rows_loaded + rows_already_there + rows_rejected"
        )
        == 0
    )


def test_the_demo_again_changes_no_number(demo_copy: Warehouse) -> None:
    count = (
        "select count(*), round(sum(value), 6), round(sum(numerator), 6) from marts.metric_values"
    )
    before = demo_copy.rows(count)
    demo_copy.mathmart("demo")
    assert demo_copy.rows(count) == before


def test_the_demo_leaves_a_database_with_other_data_alone(
    warehouse: Warehouse,
) -> None:
    own = warehouse.path.parent / "own.jsonl"
    own.write_text('{"problem_id": "a", "question": "1+1?", "gold_answer": "2", "response": "2"}\n')
    warehouse.load("outputs", own, model="mine", dataset="mine")
    assert "demo.duckdb demo" in warehouse.mathmart("demo", expect=2).stderr
    assert warehouse.value("select count(*) from raw.responses") == 1
