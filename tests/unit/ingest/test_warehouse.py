"""The warehouse file: created, recognised, refused with a message that says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.errors import (
    WarehouseDamaged,
    WarehouseError,
    WarehouseForeign,
    WarehouseLocked,
    WarehouseMissing,
    WarehouseTooNew,
)
from ingest.warehouse import open_warehouse


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "w.duckdb"
    open_warehouse(path, create=True).close()
    return path


def test_new_warehouse_has_the_raw_schema_at_a_storage_version_1x_opens(db: Path) -> None:
    with open_warehouse(db, read_only=True) as connection:
        assert connection.execute("from raw.responses").fetchall() == []
        tags = connection.execute(
            "select tags['storage_version'] from duckdb_databases() where not internal"
        ).fetchall()
    assert "v1.2.0" in str(tags)
    assert [path.name for path in db.parent.iterdir()] == ["w.duckdb"]


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(WarehouseMissing, match="mathmart load") as caught:
        open_warehouse(tmp_path / "none.duckdb")
    assert caught.value.exit_code == 3
    assert not (tmp_path / "none.duckdb").exists()


def test_a_folder_and_an_impossible_place(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="is a folder"):
        open_warehouse(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(WarehouseError, match="cannot be created"):
        open_warehouse(tmp_path / "file" / "w.duckdb", create=True)


def test_foreign_is_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table mine (x int)")
    before = path.read_bytes()
    with pytest.raises(WarehouseForeign, match=r"main\.mine"):
        open_warehouse(path, create=True)
    assert path.read_bytes() == before


def test_an_empty_duckdb_file_becomes_a_warehouse(tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    duckdb.connect(str(path)).close()
    with open_warehouse(path) as connection:
        assert connection.execute("select count(*) from raw.warehouse_info").fetchall() == [(2,)]


@pytest.mark.parametrize("content", [b"hello, I am a text\n" * 500, b"\x00" * 20000, b"x"])
def test_damaged_is_left_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.duckdb"
    path.write_bytes(content)
    with pytest.raises(WarehouseDamaged, match="not a DuckDB file"):
        open_warehouse(path, create=True)
    assert path.read_bytes() == content


def test_locked_names_the_process(db: Path) -> None:
    code = f"import duckdb; c = duckdb.connect({str(db)!r}); print('open', flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "open\n"
        with pytest.raises(WarehouseLocked, match=f"process {holder.pid} ") as caught:
            open_warehouse(db)
        assert str(db) in str(caught.value) and caught.value.exit_code == 3
    finally:
        holder.communicate("\n")


def test_a_later_schema_version_is_refused(db: Path) -> None:
    with duckdb.connect(str(db)) as connection:
        connection.execute(
            "update raw.warehouse_info set value = '99' where key = 'schema_version'"
        )
    with pytest.raises(WarehouseTooNew, match="99"):
        open_warehouse(db)


def test_missing_columns_and_tables_are_added_and_rows_kept(db: Path) -> None:
    with duckdb.connect(str(db)) as connection:
        connection.execute(
            "insert into raw.embeddings (embedder_id, text, embedding, load_id) values ('e', 't', [1.0], 'l')"
        )
        connection.execute("alter table raw.responses drop column latency_seconds")
        connection.execute("drop table raw.reported_scores")
    with open_warehouse(db) as connection:
        assert connection.execute("select latency_seconds from raw.responses").fetchall() == []
        assert connection.execute("from raw.reported_scores").fetchall() == []
        assert connection.execute("select text from raw.embeddings").fetchall() == [("t",)]


@pytest.mark.parametrize("name", ["raw.duckdb", "Marts.db", "staging.v2.duckdb"])
def test_a_name_that_is_a_schema_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(WarehouseError, match="one of its schemas"):
        open_warehouse(tmp_path / name, create=True)
    assert list(tmp_path.iterdir()) == []
