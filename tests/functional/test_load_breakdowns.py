"""What breaks around a file: the database, its memory, the container; the next file finds all in order."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import openpyxl
import pytest

import ingest.landing
import ingest.load
import ingest.tabular
import ingest.warehouse
from ingest.errors import FormatFault, UnreadableFile
from ingest.examining import File
from ingest.ledger import Ledger
from ingest.load import load


def write(folder: Path, names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        row = {"problem_id": "p", "response": name, "model": name}
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def stored(db: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


class Brittle:
    """A connection on which one statement, the first time it is run, breaks the database down."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, statement: str) -> None:
        self.connection = connection
        self.statement: str | None = statement

    def execute(self, sql: str, *given: Any) -> Any:
        if sql == self.statement:
            self.statement = None
            raise duckdb.FatalException("the database has been invalidated")
        return self.connection.execute(sql, *given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)


@pytest.mark.parametrize("statement", ["rollback", "commit", "begin"])
def test_a_database_that_breaks_down_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    db = tmp_path / "w.duckdb"
    opened: list[Brittle] = []

    def opening(*given: Any, **options: Any) -> Any:
        connection = ingest.warehouse.open_warehouse(*given, **options)
        opened.append(Brittle(connection, statement if not opened else ""))
        return opened[-1]

    merge = ingest.load.merge
    calls = []

    def merging(*given: Any) -> None:
        calls.append(given)
        if statement == "rollback" and len(calls) == 1:
            raise ValueError("and the rollback fails")
        merge(*given)

    monkeypatch.setattr(ingest.load, "open_warehouse", opening)
    monkeypatch.setattr(ingest.load, "merge", merging)
    reports = load(db, None, [write(tmp_path / "in", "abc")], dataset="d")
    assert [(report.error, report.rows_loaded) for report in reports] == [(None, 1)] * 3
    assert len(opened) == 2
    assert stored(db, "select count(*), count(distinct load_id) from raw.loads") == [(3, 3)]


def test_a_connection_that_cannot_be_set_up_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "w.duckdb"
    monkeypatch.setattr(ingest.load, "MEMBER_MACRO", "no such statement")
    with pytest.raises(duckdb.ParserException) as caught:  # which keeps the frames
        load(db, None, [write(tmp_path / "in", "a")], dataset="d")
    assert caught.tb is not None
    assert stored(db, "select count(*) from raw.loads") == [(0,)]  # else it is open for writing


@pytest.mark.parametrize(
    ("owner", "method"), [(File, "unpacked_bytes"), (Ledger, "settled_dataset")]
)
def test_a_fault_before_the_batch_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, method: str
) -> None:
    calls = []

    def failing(*_: object) -> int | None:
        calls.append(method)
        if len(calls) == 2:
            raise KeyError("never thought of")
        return 1 if method == "unpacked_bytes" else None

    monkeypatch.setattr(owner, method, failing)
    reports = load(tmp_path / "w.duckdb", None, [write(tmp_path / "in", "abc")], dataset="d")
    assert [type(report.error) for report in reports] == [type(None), FormatFault, type(None)]


def test_the_reason_given_is_that_of_the_last_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_batches = ingest.landing.record_batches
    read = []

    def reading(*given: Any) -> Any:
        read.append(given)
        if len(read) == 1:
            raise KeyError("in the batch")
        return record_batches(*given)

    def merging(*_: object) -> None:
        raise ValueError("alone")

    monkeypatch.setattr(ingest.landing, "record_batches", reading)
    monkeypatch.setattr(ingest.load, "merge", merging)
    reports = load(tmp_path / "w.duckdb", None, [write(tmp_path / "in", "ab")], dataset="d")
    assert ["ValueError: alone" in str(report.error) for report in reports] == [True, True]


def test_a_file_that_no_memory_holds_is_said_to_be_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def merging(connection: duckdb.DuckDBPyConnection, *_: object) -> None:
        limits.extend(connection.execute("select current_setting('memory_limit')").fetchone() or ())
        raise duckdb.OutOfMemoryException("could not allocate")

    monkeypatch.setattr(ingest.load, "merge", merging)
    (report,) = load(tmp_path / "w.duckdb", None, [write(tmp_path / "in", "a")], dataset="d")
    assert isinstance(report.error, UnreadableFile)
    assert "more memory than this machine gives" in str(report.error)
    assert "--format" not in str(report.error)
    assert len(set(limits)) == 2  # it was tried with more


def test_a_workbook_cut_within_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in [("problem_id", "response", "model"), *((str(n), "4", "m") for n in range(500))]:
        sheet.append(row)
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    content = bytearray(path.read_bytes())
    start = info.header_offset + 30 + len(info.filename)
    content[start : start + 8] = b"\xff" * 8
    path.write_bytes(content)
    (report,) = load(tmp_path / "w.duckdb", None, [path])
    assert isinstance(report.error, UnreadableFile) and "a.xlsx" in str(report.error)


def test_an_archive_of_a_later_kind_stops_no_other(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", "b")
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jsonl", "{}\n")
        directory = archive.fp.tell() if archive.fp else 0
    content = bytearray(path.read_bytes())
    content[directory + 6] = 99  # the version that is needed to read the member
    path.write_bytes(content)
    first, second = load(tmp_path / "w.duckdb", None, [folder], dataset="d")
    assert isinstance(first.error, UnreadableFile) and "a.zip" in str(first.error)
    assert (second.error, second.rows_loaded) == (None, 1)


@pytest.mark.parametrize("fault", [duckdb.InternalException, duckdb.FatalException])
def test_a_breakdown_of_duckdb_is_not_blamed_on_a_parquet_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    class Broken:
        def sql(self, _: str) -> None:
            raise fault("beyond repair")

        def __enter__(self) -> Broken:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    path = tmp_path / "a.parquet"
    duckdb.sql("select 'p' as problem_id, '4' as response").write_parquet(str(path))
    broken = SimpleNamespace(**vars(duckdb) | {"connect": Broken})
    monkeypatch.setattr(ingest.tabular, "duckdb", broken)
    (report,) = load(tmp_path / "w.duckdb", None, [path])
    assert isinstance(report.error, FormatFault)
