"""What `mathmart sql` lets pass: queries, and nothing that writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.console import queries


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    path = str(tmp_path / "some.duckdb")
    with duckdb.connect(path) as writer:
        writer.execute("create table t as select 1 as x, 'a' as name")
    with duckdb.connect(path, read_only=True) as reader:
        queries.restrict(reader)
        yield reader


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        "from t",
        "with a as (select 1 as x) select * from a",
        "describe t",
        "summarize t",
        "show tables",
        "values (1)",
        "explain select 1",
        "explain analyze select count(*) from t",
        "pivot t on name using count(*)",
        "select * from (pivot t on name using count(*))",
        "-- a comment\nselect 1;",
    ],
)
def test_queries_pass_and_run(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    queries.check_query(connection, sql)
    columns, rows = queries.run(connection, sql)
    assert columns and list(rows)


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to 'stolen.csv'",
        "copy (pivot t on name using count(*)) to 'stolen.csv'",
        "explain analyze copy (select 1) to 'stolen.csv'",
        "explain /* a */ analyze copy (select 1) to 'stolen.csv'",
        "attach 'other.duckdb'",
        "create table u as select 1",
        "create temp table u as select 1",
        "insert into t values (2, 'b')",
        "delete from t",
        "drop table t",
        "export database 'folder'",
        "install httpfs",
        "load httpfs",
        "set threads = 1",
        "pragma database_size",
        "call force_checkpoint()",
        "select 1; select 2",
        "",
    ],
)
def test_what_is_no_query_is_refused_before_it_runs(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(queries.NotAQuery):
        queries.check_query(connection, sql)
    assert [path.name for path in tmp_path.iterdir()] == ["some.duckdb"]


def test_a_file_of_ones_own_can_be_read(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n")
    _, rows = queries.run(connection, f"select * from '{tmp_path / 'mine.csv'}'")
    assert list(rows) == [(1, 2)]


def test_settings_cannot_be_changed_and_python_is_out_of_reach(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    secret_frame = [1]  # a Python variable is no table
    with pytest.raises(duckdb.Error):
        connection.execute("set autoload_known_extensions = true")
    with pytest.raises(duckdb.CatalogException):
        connection.execute("select * from secret_frame")
    assert secret_frame


def test_every_shown_query_begins_with_what_it_shows() -> None:
    for name in queries.shown():
        assert queries.show_sql(name).startswith("-- ")
        assert ":" in queries.title(name)
