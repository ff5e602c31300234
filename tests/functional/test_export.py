"""Exports: whole files, swapped in, that other programs open."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import duckdb
import pytest

from tests.support import Warehouse

OLD_CLIENT = "1.5.5"  # a DuckDB as BI drivers carry it


def marts(warehouse: Warehouse) -> dict[str, int]:
    names = warehouse.rows(
        "select table_name from information_schema.tables where table_schema = 'marts'"
    )
    return {
        name: int(str(warehouse.value(f'select count(*) from marts."{name}"'))) for (name,) in names
    }


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_each_mart_becomes_one_file_with_all_its_rows(
    demo: Warehouse, tmp_path: Path, file_format: str
) -> None:
    demo.mathmart("export", tmp_path / "out", "--format", file_format)
    written = {
        path.stem: duckdb.sql(f"select count(*) from '{path}'").fetchall()[0][0]
        for path in (tmp_path / "out").iterdir()
    }
    assert written == marts(demo)


def test_parquet_has_scalar_columns_only(demo: Warehouse, tmp_path: Path) -> None:
    demo.mathmart("export", tmp_path)
    for path in tmp_path.glob("*.parquet"):
        for column in duckdb.sql(f"describe select * from '{path}'").fetchall():
            assert "[" not in column[1] and "STRUCT" not in column[1], (path.name, column)


def test_csv_keeps_latex_quotes_and_line_breaks(demo: Warehouse, tmp_path: Path) -> None:
    demo.mathmart("export", tmp_path, "--format", "csv")
    read = duckdb.sql(
        f"select problem_id, gold_answer from read_csv('{tmp_path / 'problems.csv'}', all_varchar=true)"
    ).fetchall()
    assert sorted(read) == sorted(demo.rows("select problem_id, gold_answer from marts.problems"))


def test_a_data_frame_has_the_rows_of_the_mart(demo: Warehouse, tmp_path: Path) -> None:
    demo.mathmart("export", tmp_path, "--format", "duckdb")
    with duckdb.connect(str(tmp_path / "marts_copy.duckdb"), read_only=True) as connection:
        frame = connection.sql("from marts.leaderboard").df()
    assert len(frame) == marts(demo)["leaderboard"]
    assert set(frame["model"]) == {
        model for (model,) in demo.rows("select model from marts.leaderboard")
    }


def test_a_reader_keeps_the_old_copy_while_a_new_one_is_published(
    demo: Warehouse, tmp_path: Path
) -> None:
    demo.mathmart("export", tmp_path, "--format", "duckdb")
    with duckdb.connect(str(tmp_path / "marts_copy.duckdb"), read_only=True) as dashboard:
        demo.mathmart("export", tmp_path, "--format", "duckdb")
        assert dashboard.execute("select count(*) from marts.runs").fetchone() != (0,)
    assert [path.name for path in tmp_path.iterdir()] == ["marts_copy.duckdb"]


def test_a_failed_export_leaves_the_old_files(demo: Warehouse, tmp_path: Path) -> None:
    demo.mathmart("export", tmp_path, "--format", "duckdb")
    before = (tmp_path / "marts_copy.duckdb").read_bytes()
    (tmp_path / "file").write_text("in the way")
    demo.mathmart("export", tmp_path / "file", "--format", "duckdb", expect=2)
    assert (tmp_path / "marts_copy.duckdb").read_bytes() == before


@pytest.fixture(scope="module")
def old_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with an older DuckDB and nothing else."""
    folder = tmp_path_factory.mktemp("old-client")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", f"duckdb=={OLD_CLIENT}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PIP_NO_INPUT": "1"},
    )
    if done.returncode != 0:
        pytest.skip(
            f"duckdb {OLD_CLIENT} could not be installed; is the package registry reachable?"
        )
    return python


@pytest.mark.registry
def test_an_older_client_reads_every_mart_without_python_functions(
    demo: Warehouse, tmp_path: Path, old_client: Path
) -> None:
    demo.mathmart("export", tmp_path, "--format", "duckdb")
    code = """if True:
        import sys, duckdb
        for path in sys.argv[1:]:
            connection = duckdb.connect(path, read_only=True)
            tables = connection.execute(
                "select table_name from information_schema.tables where table_schema = 'marts'"
            ).fetchall()
            for (table,) in sorted(tables):
                rows = connection.execute(f'from marts."{table}"').fetchall()
                print(table, len(rows))
    """
    assert Path(sys.executable) != old_client
    for path in (demo.path, tmp_path / "marts_copy.duckdb"):
        done = subprocess.run([old_client, "-c", code, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        read = dict(line.split() for line in done.stdout.splitlines())
        assert {name: int(rows) for name, rows in read.items()} == marts(demo)
