"""Files that bring nothing or that mathmart itself fails on: each alone is left out, and says why."""

from __future__ import annotations

import bz2
import codecs
import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ingest.batching
import ingest.load
import ingest.tabular
from ingest.errors import EmptyFile, FormatFault, UnreadableFile
from ingest.examining import File
from ingest.formats import Sample, all_formats
from ingest.ledger import Ledger
from ingest.load import LoadReport, Progress, load
from ingest.sources import Source


def stored(db: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def write_outputs(folder: Path, names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        row = {"problem_id": "p", "response": name, "model": name}
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")


def failed(reports: list[LoadReport]) -> list[str]:
    for report in reports:
        assert report.error is None or isinstance(report.error, FormatFault)
        if report.error:
            assert (report.rows_read, report.rows_loaded, report.rows_rejected) == (0, 0, 0)
            assert "\n" not in str(report.error)
    return [Path(report.file).name for report in reports if report.error]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select record_id frm records", "Parser Error"),
        ("select record_id, r.nowhere as response from records", "Binder Error"),
        ("select record_id, r.response as response from no_such_table", "Catalog Error"),
    ],
)
def test_a_format_with_broken_sql_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str, said: str
) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "in"
    write_outputs(folder, "abc")
    problem = {"problem_id": "p", "question": "1 + 1?", "gold_answer": "2"}
    for name in ("0.jsonl", "z.jsonl"):
        (folder / name).write_text(json.dumps(problem) + "\n")
    formats = all_formats()
    monkeypatch.setitem(
        formats, "native", dataclasses.replace(formats["native"], responses=sql, problems=None)
    )
    reports = load(db, None, [folder], dataset="d")
    assert failed(reports) == ["a.jsonl", "b.jsonl", "c.jsonl"]
    for report in reports[1:4]:
        assert report.source_format == "native"
        assert "a fault of mathmart in reading this file as native" in str(report.error)
        assert said in str(report.error)
        assert "Nothing of it was loaded" in str(report.error)
    assert stored(db, "select problem_id from raw.problems") == [("d/p",)]
    assert stored(db, "select count(*) from raw.loads") == [(2,)]
    assert stored(db, "select count(*) from raw.responses") == [(0,)]


@pytest.mark.parametrize(
    "fault",
    [duckdb.BinderException, duckdb.InternalException, duckdb.FatalException, KeyError, ValueError],
)
def test_one_file_of_a_batch_that_fails_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "in"
    write_outputs(folder, "abcde")
    merge = ingest.load.merge

    def merging(connection: duckdb.DuckDBPyConnection, *given: object) -> None:
        merge(connection, *given)  # type: ignore[arg-type]
        if connection.execute("from files where stem = 'c'").fetchall():
            raise fault("what went wrong\nand where")

    monkeypatch.setattr(ingest.load, "merge", merging)
    (folder / "z.jsonl").write_text('{"problem_id": "p", "question": "?", "gold_answer": "2"}\n')
    reports = load(db, None, [folder], dataset="d")
    assert failed(reports) == ["c.jsonl"]
    assert f"({fault.__name__}: " in str(reports[2].error)
    assert "what went wrong" in str(reports[2].error)
    found = stored(
        db, "select model, response from raw.responses inner join raw.runs using (run_id)"
    )
    assert sorted(found) == [(name, name) for name in "abde"]
    assert stored(db, "select count(*) from raw.problems") == [(1,)]
    monkeypatch.undo()
    reports = load(db, None, [folder], dataset="d")
    assert [report.rows_loaded for report in reports] == [0, 0, 1, 0, 0, 0]


def test_a_file_that_cannot_be_recognised_for_a_fault_of_ours_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_outputs(tmp_path / "in", "abc")
    examine = ingest.batching.examine

    def examining(source: Source, *given: Any) -> File:
        if source.stem == "b":
            raise KeyError("never thought of")
        return examine(source, *given)

    monkeypatch.setattr(ingest.batching, "examine", examining)
    reports = load(tmp_path / "w.duckdb", None, [tmp_path / "in"], dataset="d")
    assert failed(reports) == ["b.jsonl"]
    assert "a fault of mathmart in recognising this file (KeyError: " in str(reports[1].error)


def test_a_load_that_is_interrupted_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_outputs(tmp_path / "in", "ab")

    def merging(*_: object) -> None:
        raise duckdb.InterruptException("interrupted")

    monkeypatch.setattr(ingest.load, "merge", merging)
    with pytest.raises(duckdb.InterruptException):
        load(tmp_path / "w.duckdb", None, [tmp_path / "in"])


def test_a_batch_that_failed_leaves_no_line_in_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "in"
    write_outputs(folder, "abc")
    account = Ledger.account
    failures = []

    def accounting(self: Ledger, *given: Any) -> list[LoadReport]:
        reports = account(self, *given)
        if len(reports) > 1:
            failures.append(len(reports))
            raise duckdb.ConversionException("after all was written")
        return reports

    monkeypatch.setattr(Ledger, "account", accounting)
    reports = load(db, None, [folder], dataset="d")
    assert failures == [3]
    assert [report.rows_loaded for report in reports] == [1, 1, 1]
    lines = stored(db, "select load_id, rows_loaded from raw.loads")
    assert sorted(lines) == sorted((report.load_id, 1) for report in reports)


def test_what_failed_is_not_taken_for_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same content lies in two files: that the first failed says nothing of the second."""
    db = tmp_path / "w.duckdb"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_outputs(tmp_path / folder, "a")
    merge = ingest.load.merge
    calls = []

    def merging(*given: Any) -> None:
        merge(*given)
        calls.append(given)
        if len(calls) == 1:
            raise KeyError("the first time")

    monkeypatch.setattr(ingest.load, "merge", merging)
    first, second = load(db, None, [tmp_path / "one", tmp_path / "two"], dataset="d")
    assert isinstance(first.error, FormatFault)
    assert (second.error, second.rows_loaded) == (None, 1)


@pytest.mark.parametrize("stage", ["reading", "merging", "done"])
@pytest.mark.parametrize("fault", [RuntimeError, BrokenPipeError])
def test_an_error_of_the_caller_is_no_fault_of_the_file(
    tmp_path: Path, stage: str, fault: type[Exception]
) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "in"
    write_outputs(folder, "ab")

    def listening(progress: Progress) -> None:
        if progress.stage == stage:
            raise fault("of the caller")

    with pytest.raises(fault, match="of the caller"):
        load(db, None, [folder], dataset="d", progress=listening)
    loaded = 2 if stage == "done" else 0
    assert stored(db, "select count(*) from raw.responses") == [(loaded,)]
    reports = load(db, None, [folder], dataset="d")
    assert [report.rows_loaded + report.rows_already_there for report in reports] == [1, 1]


@pytest.mark.parametrize(
    ("fault", "said"),
    [(MemoryError, "more memory than this machine gives"), (PermissionError, "cannot be read")],
)
def test_what_the_machine_refuses_is_no_fault_of_mathmart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[Exception], said: str
) -> None:
    db = tmp_path / "w.duckdb"
    write_outputs(tmp_path / "in", "a")

    def merging(*_: object) -> None:
        raise fault

    monkeypatch.setattr(ingest.load, "merge", merging)
    (report,) = load(db, None, [tmp_path / "in"], dataset="d")
    assert isinstance(report.error, UnreadableFile) and said in str(report.error)
    assert stored(db, "select count(*) from raw.responses") == [(0,)]


@pytest.mark.parametrize("fault", [duckdb.InternalException, duckdb.FatalException])
def test_a_reader_that_breaks_down_is_not_blamed_on_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    (tmp_path / "a.csv").write_text("problem_id,response,model\np,4,m\n")

    def reading(*_: object) -> None:
        raise fault("beyond repair")

    monkeypatch.setattr(ingest.tabular, "_csv_in_bulk", reading)
    (report,) = load(tmp_path / "w.duckdb", "outputs", [tmp_path / "a.csv"])
    assert isinstance(report.error, FormatFault) and "beyond repair" in str(report.error)


def test_a_fault_of_ours_is_told_of_documents_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_outputs(tmp_path / "in", "a")
    (tmp_path / "in" / "run.log").write_text("started\n")

    def examining(source: Source, *given: Any) -> File:
        raise KeyError("never thought of")

    monkeypatch.setattr(ingest.batching, "examine", examining)
    reports = load(tmp_path / "w.duckdb", None, [tmp_path / "in"], dataset="d")
    assert failed(reports) == ["a.jsonl", "run.log"]


@pytest.mark.parametrize("damage", ["cut", "locked"])
def test_a_damaged_member_stops_no_other(tmp_path: Path, damage: str) -> None:
    row = {"problem_id": "p", "response": "4" * 3000, "model": "m"}
    path = tmp_path / "in.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", json.dumps(row) + "\n")
        archive.writestr("b.jsonl", json.dumps(row | {"model": "n"}) + "\n")
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("a.jsonl").header_offset
        listed = archive.start_dir
    content = bytearray(path.read_bytes())
    if damage == "cut":
        start = at + 30 + len("a.jsonl")
        content[start : start + 8] = b"\xff" * 8
    else:  # the flag of an encrypted member, at both places
        content[at + 6] |= 1
        content[listed + 8] |= 1
    path.write_bytes(content)
    first, second = load(tmp_path / "w.duckdb", None, [path], dataset="d")
    assert isinstance(first.error, UnreadableFile) and "in.zip/a.jsonl" in str(first.error)
    assert (second.error, second.rows_loaded) == (None, 1)


def test_a_load_that_cannot_begin_lets_go_of_the_warehouse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "w.duckdb"
    write_outputs(tmp_path / "in", "a")

    def opening(*_: object) -> None:
        raise RuntimeError("no ledger")

    monkeypatch.setattr(Ledger, "__init__", opening)
    with pytest.raises(RuntimeError):
        load(db, None, [tmp_path / "in"], dataset="d")
    assert stored(db, "select count(*) from raw.loads") == [(0,)]  # else it is open for writing


def test_a_header_is_all_there_is_only_if_all_was_looked_at() -> None:
    rows = (("problem_id", "response"),)
    whole = Sample(Path("a.csv"), "csv", [], rows=rows)
    assert whole.is_header_only
    assert not dataclasses.replace(whole, is_whole=False).is_header_only


def parquet_of_no_rows(path: Path) -> None:
    columns = {name: pa.array([], pa.string()) for name in ("problem_id", "response")}
    pq.write_table(pa.table(columns), path)


def sheet_of_a_header(path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["problem_id", "response"])
    book.save(path)


def zip_of_none(path: Path) -> None:
    with zipfile.ZipFile(path, "w"):
        pass


def zip_of(*names: str) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"")

    return make


def of(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


EMPTY: list[tuple[str, Callable[[Path], object]]] = [
    *((f"nothing{suffix}", of(b"")) for suffix in (".jsonl", ".json", ".csv", ".parquet", ".xlsx")),
    *((f"nothing{suffix}", of(b"")) for suffix in ("", ".txt", ".jsonl.gz")),
    *((f"white{suffix}", of(b" \r\n\n \t\n")) for suffix in (".jsonl", ".json", ".csv", ".txt")),
    *((f"bom{suffix}", of(codecs.BOM_UTF8)) for suffix in (".jsonl", ".json", ".csv")),
    ("bom_and_line.json", of(codecs.BOM_UTF8 + b"\n")),
    ("bom16.jsonl", of(codecs.BOM_UTF16_LE)),
    ("bom16.csv", of(codecs.BOM_UTF16_BE)),
    ("packed.jsonl.bz2", of(bz2.compress(b"\n"))),
    ("header.csv", of(b"problem_id,response\n")),
    ("header_no_end.csv", of(b"problem_id,response")),
    ("header_and_blanks.csv", of(b"problem_id,response\n\n\r\n\n")),
    ("header.tsv", of(b"question\tanswer\n")),
    ("array.json", of(b"[]")),
    ("array_white.json", of(b" [ \n ]\n")),
    ("rows.parquet", parquet_of_no_rows),
    ("header.xlsx", sheet_of_a_header),
    ("none.zip", zip_of_none),
    ("folders.zip", zip_of("in/", "in/deeper/")),
    ("macos.zip", zip_of("in/", "__MACOSX/", "__MACOSX/._a.jsonl")),
]


@pytest.mark.parametrize("format", [None, "native"])
@pytest.mark.parametrize(("name", "make"), EMPTY, ids=[name for name, _ in EMPTY])
def test_a_file_without_a_record_is_an_error_that_guesses_nothing(
    tmp_path: Path, name: str, make: Callable[[Path], object], format: str | None
) -> None:
    make(tmp_path / name)
    kind = "outputs" if format else None
    (report,) = load(tmp_path / "w.duckdb", kind, [tmp_path / name], format=format)
    assert isinstance(report.error, EmptyFile)
    said = str(report.error)
    assert f"{name}: empty: no records in it" in said
    assert "closest" not in said and "native" not in said and "\n" not in said
    counts = (
        report.rows_read,
        report.rows_loaded,
        report.rows_already_there,
        report.rows_rejected,
    )
    assert counts == (0, 0, 0, 0)
    assert stored(tmp_path / "w.duckdb", "select count(*) from raw.loads") == [(0,)]


def test_an_empty_file_stops_no_other_and_loads_when_it_is_filled(tmp_path: Path) -> None:
    db, folder = tmp_path / "w.duckdb", tmp_path / "in"
    write_outputs(folder, "ac")
    (folder / "b.jsonl").write_bytes(b"")
    reports = load(db, None, [folder], dataset="d")
    assert [report.rows_loaded for report in reports] == [1, 0, 1]
    assert isinstance(reports[1].error, EmptyFile)
    write_outputs(folder, "b")
    reports = load(db, None, [folder], dataset="d")
    assert [report.rows_loaded for report in reports] == [0, 1, 0]


@pytest.mark.parametrize(
    "text", ["\n" * 40 + "p,r\n", "\n\n\n" + "p,r\n" * 2, "{}\n", "[1]", "null"]
)
def test_what_holds_something_is_not_called_empty(tmp_path: Path, text: str) -> None:
    name = "a.csv" if "," in text else "a.json"
    head = "problem_id,response\n" if "," in text else ""
    (tmp_path / name).write_text(head + text)
    (report,) = load(tmp_path / "w.duckdb", "outputs", [tmp_path / name])
    assert not isinstance(report.error, EmptyFile)
