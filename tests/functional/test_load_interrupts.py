"""A load that the user, or the caller, ends: it ends, blames no file, and keeps what was finished."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import cli
import ingest.batching
import ingest.landing
import ingest.load
from ingest.load import Progress, load

# Takes a second or more: the signal comes while it runs.
LONG_QUERY = "select count(*) from range(20000) as a, range(3000) as b where a.range ^ b.range = 3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "ab":
        row = {"problem_id": "p", "response": name, "model": name}
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return folder


@contextmanager
def interrupt_soon() -> Iterator[None]:
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def responses(db: Path) -> int:
    with duckdb.connect(str(db), read_only=True) as connection:
        ((count,),) = connection.execute("select count(*) from raw.responses").fetchall()
        return count


def test_a_signal_ends_a_load_whose_query_runs(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB turns the KeyboardInterrupt into an error that looks like one of the file."""
    db = tmp_path / "w.duckdb"

    def merging(connection: duckdb.DuckDBPyConnection, *_: object) -> None:
        with interrupt_soon():
            connection.execute(LONG_QUERY).fetchall()

    with monkeypatch.context() as patched:
        patched.setattr(ingest.load, "merge", merging)
        with pytest.raises(KeyboardInterrupt):
            load(db, None, [folder], dataset="d")
    assert responses(db) == 0
    assert [report.rows_loaded for report in load(db, None, [folder], dataset="d")] == [1, 1]


def test_a_signal_ends_a_load_that_reads(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reading(*_: object) -> Iterator[Any]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(ingest.landing, "record_batches", reading)
    with pytest.raises(KeyboardInterrupt):
        load(tmp_path / "w.duckdb", None, [folder], dataset="d")


def test_a_signal_ends_a_load_that_recognises(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def examining(*_: object) -> None:
        with interrupt_soon(), duckdb.connect() as connection:
            connection.execute(LONG_QUERY).fetchall()

    monkeypatch.setattr(ingest.batching, "examine", examining)
    with pytest.raises(KeyboardInterrupt):
        load(tmp_path / "w.duckdb", None, [folder], dataset="d")


@pytest.mark.parametrize("stage", ["reading", "merging", "done"])
@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_a_caller_may_end_a_load(
    tmp_path: Path, folder: Path, stage: str, end: type[BaseException]
) -> None:
    def listening(progress: Progress) -> None:
        if progress.stage == stage:
            raise end

    with pytest.raises(end):
        load(tmp_path / "w.duckdb", None, [folder], dataset="d", progress=listening)
    assert responses(tmp_path / "w.duckdb") == (2 if stage == "done" else 0)


def test_the_command_line_says_that_a_query_was_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def asking(**_: object) -> None:
        with interrupt_soon(), duckdb.connect() as connection:
            connection.execute(LONG_QUERY).fetchall()

    monkeypatch.setattr(cli, "app", asking)
    assert cli.run([]) == cli.ExitCode.INTERRUPT
    assert "interrupted" in capsys.readouterr().err
