"""CSV and Parquet files whose names or columns DuckDB would read as something else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.load import load
from ingest.quoting import literal

ROW = "select '{0}' as problem_id, '1+1?' as question, '2' as gold_answer, '{0}' as response"


def write(path: Path, sql: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = path.suffix.removeprefix(".")
    with duckdb.connect() as connection:
        connection.execute(f"copy ({sql}) to {literal(path)} (format {kind})")
    return path


def stored(database: Path, columns: str) -> list[tuple]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(f"select {columns} from raw.responses order by all").fetchall()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["run*", "run?", "run[ab]"])
def test_a_name_with_wildcards_is_one_file(tmp_path: Path, name: str, suffix: str) -> None:
    write(tmp_path / f"runa.{suffix}", ROW.format("other"))
    file = write(tmp_path / "new" / f"plain.{suffix}", ROW.format("this"))
    file = file.rename(tmp_path / f"{name}.{suffix}")
    database = tmp_path / "test.duckdb"
    (report,) = load(database, "outputs", [file], dataset="d", model="m")
    assert report.error is None and report.rows_loaded == 1
    assert stored(database, "response") == [("this",)]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_folder_named_like_a_partition_adds_no_column(tmp_path: Path, suffix: str) -> None:
    file = write(tmp_path / "level=9" / f"run.{suffix}", ROW.format("this"))
    database = tmp_path / "test.duckdb"
    (report,) = load(database, "outputs", [file], dataset="d", model="m")
    assert report.error is None and report.rows_loaded == 1
    assert stored(database, "metadata") == [(None,)]
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("select level from raw.problems").fetchall() == [(None,)]


def test_a_quote_in_a_parquet_column_is_a_part_of_its_name(tmp_path: Path) -> None:
    sql = ROW.format("this") + """, 7 as "said "" := 8 --" """
    file = write(tmp_path / "run.parquet", sql)
    database = tmp_path / "test.duckdb"
    (report,) = load(database, "outputs", [file], dataset="d", model="m")
    assert report.error is None and report.rows_loaded == 1
    ((metadata,),) = stored(database, "metadata")
    assert metadata == '{"said \\" := 8 --":7}'
