"""Outputs that name no dataset find the problems they answer."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from ingest.load import LoadReport, load

PROBLEMS = [{"problem_id": f"p{n}", "question": f"{n} + 1?", "gold_answer": n + 1} for n in (1, 2)]
OUTPUTS = [{"problem_id": f"p{n}", "response": f"It is {n + 1}.", "model": "m"} for n in (1, 2)]


def write(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    return write(tmp_path / "problems.jsonl", PROBLEMS)


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    return write(tmp_path / "outputs.jsonl", OUTPUTS)


def sound(reports: list[LoadReport]) -> list[LoadReport]:
    for report in reports:
        assert report.error is None, report.error
        assert report.rows_rejected == 0
    return reports


def datasets(db: Path) -> list[tuple]:
    """Datasets of the responses, and how many of them have a gold answer."""
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute("""
            select responses.dataset_id, count(problems.gold_answer)
            from raw.responses as responses left join raw.problems as problems using (problem_id)
            group by all order by all
        """).fetchall()


def test_outputs_join_the_dataset_that_has_their_ids(db, problems, outputs) -> None:
    sound(load(db, "problems", [problems]))
    (report,) = sound(load(db, "outputs", [outputs]))
    assert report.dataset_id == "problems"
    assert "all its problem ids are those of dataset problems" in (report.note or "")
    assert datasets(db) == [("problems", 2)]


def test_one_command_takes_both_in_any_order(db, problems, outputs) -> None:
    sound(load(db, None, [outputs, problems]))
    assert datasets(db) == [("problems", 2)]


def test_problems_given_the_name_of_the_outputs_dataset_settle_an_earlier_load(
    db, problems, outputs
) -> None:
    (report,) = sound(load(db, "outputs", [outputs]))
    assert "0 of 2 problem ids have a gold answer in dataset outputs" in (report.note or "")
    assert "mathmart load problems FILE --dataset outputs" in (report.note or "")
    (report,) = sound(load(db, "problems", [problems]))
    assert "load this file with --dataset outputs" in (report.note or "")
    (report,) = sound(load(db, "outputs", [outputs]))
    assert (report.rows_already_there, report.dataset_id) == (2, "outputs")
    sound(load(db, "problems", [problems], dataset="outputs"))
    assert datasets(db) == [("outputs", 2)]


def test_what_was_recorded_stands_when_a_later_version_loads_the_file_again(
    db, problems, outputs, monkeypatch
) -> None:
    sound(load(db, "outputs", [outputs]))
    sound(load(db, "problems", [problems]))
    monkeypatch.setattr("ingest.ledger.__version__", "99")
    (report,) = sound(load(db, "outputs", [outputs]))
    assert (report.rows_already_there, report.dataset_id) == (2, "outputs")


def test_two_candidates_unknown_ids_and_contradictions_leave_the_stem(
    db, tmp_path, problems, outputs
) -> None:
    sound(load(db, "problems", [problems]))
    extra = write(tmp_path / "more.jsonl", [*OUTPUTS, {"problem_id": "p3", "response": "4"}])
    (report,) = sound(load(db, "outputs", [extra]))
    assert report.dataset_id == "more"
    other = write(tmp_path / "own.jsonl", [{**row, "question": "What?"} for row in OUTPUTS])
    (report,) = sound(load(db, "outputs", [other]))
    assert report.dataset_id == "own"
    copy = write(tmp_path / "again.jsonl", [{**row, "level": "easy"} for row in PROBLEMS])
    sound(load(db, "problems", [copy]))
    (report,) = sound(load(db, "outputs", [outputs]))
    assert report.dataset_id == "outputs"
    assert "again (2), problems (2)" in (report.note or "")


def test_a_dataset_that_is_named_is_taken(db, tmp_path, problems, outputs) -> None:
    sound(load(db, "problems", [problems]))
    (report,) = sound(load(db, "outputs", [outputs], dataset="mine"))
    assert report.dataset_id == "mine"
    named = write(tmp_path / "n.jsonl", [{**row, "dataset_id": "theirs"} for row in OUTPUTS])
    (report,) = sound(load(db, "outputs", [named]))
    assert report.dataset_id == "theirs"
