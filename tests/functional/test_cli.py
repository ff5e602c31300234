"""The command line as users and scripts meet it: messages, exit codes, streams."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from tests.support import ROOT, Warehouse, heed_interrupts

OUTPUTS = [
    {
        "problem_id": "a",
        "question": "What is 1/2 + 1/4?",
        "gold_answer": "3/4",
        "response": "The answer is \\boxed{0.75}.",
    },
    {
        "problem_id": "b",
        "question": "What is 2 + 2?",
        "gold_answer": "4",
        "response": "It is 5.",
    },
]


def write_lines(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@contextmanager
def another_process(code: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that has run `code` and holds what it opened until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}\nprint('ready', flush=True)\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def test_ones_own_native_file_loads_the_first_time_and_again_changes_nothing(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "my_set.jsonl", OUTPUTS)
    first = warehouse.mathmart("load", "outputs", path, "--model", "mine")
    assert first.stdout.splitlines()[2].split()[-4:] == ["2", "2", "0", "0"]
    again = warehouse.mathmart("load", "outputs", path, "--model", "mine")
    assert again.stdout.splitlines()[2].split()[-4:] == ["2", "0", "2", "0"]
    loads = json.loads(warehouse.mathmart("show", "loads", "--json").stdout)
    assert [load["rows_loaded"] for load in loads] == [2, 0]


def test_a_wrong_file_is_told_what_is_missing_from_it(warehouse: Warehouse, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "wrong.jsonl", [{"question": "1+1?", "reply": "2"}])
    done = warehouse.mathmart("load", "outputs", path, expect=1)
    for part in ("wrong.jsonl", '"response"', "mathmart formats"):
        assert part in done.stderr


def test_a_broken_line_is_kept_with_its_place_and_reason(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "some.jsonl", OUTPUTS)
    path.write_text(path.read_text() + '{"problem_id": "c", "resp\n')
    done = warehouse.mathmart("load", "outputs", path, "--model", "mine")
    assert "some.jsonl:3: rejected:" in done.stdout
    (reject,) = json.loads(warehouse.mathmart("show", "rejects", "--json").stdout)
    assert reject["line"] == 3 and reject["raw_text"] == '{"problem_id": "c", "resp'


def test_usage_errors_exit_with_2(warehouse: Warehouse) -> None:
    for words in (["shw"], ["show"], ["show", "nothing"], ["load", "x"], ["sql"], ["--nope"]):
        done = warehouse.mathmart(*words, expect=2)
        assert done.stderr and not done.stdout
        assert "Traceback" not in done.stderr


def test_an_export_onto_a_file_exits_with_2_and_keeps_it(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    assert "is a file" in warehouse.mathmart("export", taken, expect=2).stderr
    assert taken.read_text() == "mine"


def test_a_missing_database_exits_with_3_and_is_not_created(warehouse: Warehouse) -> None:
    for words in (["show", "loads"], ["sql", "select 1"], ["build"], ["export", "x"], ["docs"]):
        done = warehouse.mathmart(*words, expect=3)
        assert str(warehouse.path) in done.stderr and "mathmart load" in done.stderr
    assert not warehouse.path.exists()


@pytest.mark.parametrize("content", [b"these are notes, not a database", b"\0" * 5000])
def test_a_damaged_database_exits_with_3_and_keeps_its_bytes(
    warehouse: Warehouse, content: bytes
) -> None:
    warehouse.path.write_bytes(content)
    for words in (["show", "loads"], ["sql", "select 1"], ["build"], ["demo"]):
        done = warehouse.mathmart(*words, expect=3)
        assert str(warehouse.path) in done.stderr and "Traceback" not in done.stderr
    assert warehouse.path.read_bytes() == content


def test_a_foreign_database_exits_with_3_and_keeps_its_tables(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    with duckdb.connect(str(warehouse.path)) as connection:
        connection.execute("create table mine as select 42 as answer")
    path = write_lines(tmp_path / "my_set.jsonl", OUTPUTS)
    for words in (["load", "outputs", str(path)], ["build"], ["show", "loads"], ["demo"]):
        assert "mine" in warehouse.mathmart(*words, expect=3).stderr
    assert warehouse.rows("select table_schema, table_name from information_schema.tables") == [
        ("main", "mine")
    ]


def test_a_locked_database_exits_with_3_and_names_who_holds_it(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "my_set.jsonl", OUTPUTS)
    warehouse.load("outputs", path, model="mine")
    code = f"import duckdb; c = duckdb.connect({str(warehouse.path)!r})"
    with another_process(code) as holder:
        for words in (["show", "loads"], ["load", "outputs", str(path)], ["build"]):
            done = warehouse.mathmart(*words, expect=3)
            assert str(holder.pid) in done.stderr and str(warehouse.path) in done.stderr
        told = warehouse.mathmart("doctor", expect=3)
        assert str(holder.pid) in told.stdout
    assert warehouse.value("select count(*) from raw.responses") == 2


def test_two_readers_do_not_shut_each_other_out(warehouse: Warehouse, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "my_set.jsonl", OUTPUTS)
    warehouse.load("outputs", path, model="mine")
    code = f"import duckdb; c = duckdb.connect({str(warehouse.path)!r}, read_only=True)"
    with another_process(code):
        warehouse.mathmart("show", "loads")
        assert "held by another reader" in warehouse.mathmart("doctor").stdout


def test_showing_before_building_says_what_is_missing(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    assert "mathmart build" in warehouse.mathmart("show", "leaderboard", expect=1).stderr


def test_sql_has_the_judges_functions_and_refuses_to_write(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    done = warehouse.mathmart(
        "sql",
        "select problem_id, equivalent('3/4', extract_answer(response)) as same"
        " from raw.responses order by problem_id",
        "--json",
    )
    assert [row["same"] for row in json.loads(done.stdout)] == [True, False]
    warehouse.mathmart("sql", "delete from raw.responses", expect=2)
    warehouse.mathmart("sql", f"copy (select 1) to '{tmp_path / 'out.csv'}'", expect=2)
    warehouse.mathmart("sql", "select nonsense", expect=1)
    assert not (tmp_path / "out.csv").exists()
    assert warehouse.value("select count(*) from raw.responses") == 2


def test_all_styles_hold_the_same_rows(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    query = "select problem_id, response from raw.responses order by all"
    as_json = json.loads(warehouse.mathmart("sql", query, "--json").stdout)
    as_csv = csv.DictReader(io.StringIO(warehouse.mathmart("sql", query, "--csv").stdout))
    assert list(as_csv) == as_json
    assert len(warehouse.mathmart("sql", query).stdout.splitlines()) == 2 + len(as_json)
    warehouse.mathmart("sql", query, "--csv", "--json", expect=2)


def test_a_reader_who_has_seen_enough_is_no_error(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    done = subprocess.run(
        f"{{ {sys.executable} -m cli --db {warehouse.path} sql 'from range(300000)' --csv;"
        " echo exit code $? >&2; } | head -1",
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == "range\n" and done.stderr == "exit code 0\n"


def test_a_query_before_the_first_build_says_what_is_missing(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    done = warehouse.mathmart("sql", "from marts.leaderboard", expect=1)
    assert "was never built" in done.stderr and "Run mathmart build" in done.stderr


def test_an_interrupt_exits_with_130(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.load("outputs", write_lines(tmp_path / "my_set.jsonl", OUTPUTS), model="mine")
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "--db", str(warehouse.path), "build"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,  # as a terminal does: the signal reaches dbt as well
        preexec_fn=heed_interrupts,
    )
    assert process.stderr is not None
    process.stderr.readline()  # what is being done: the build is under way
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    warehouse.mathmart("show", "loads")
