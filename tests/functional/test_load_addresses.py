"""Files behind addresses. `file://` takes the same way as `hf://`, but for the extension."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.errors import UnreadableFile, UsageError
from ingest.load import load
from ingest.remote import fetch


def test_a_parquet_file_behind_an_address_loads_and_leads_back_to_it(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    duckdb.sql(
        "select 'p1' as problem_id, '1+1?' as question, '2' as gold_answer, '2' as response"
    ).write_parquet(str(path))
    database = tmp_path / "test.duckdb"
    for expected in ((1, 0), (0, 1)):
        (report,) = load(database, "outputs", [f"file://{path}"], dataset="d", model="m")
        assert report.error is None
        assert (report.rows_loaded, report.rows_already_there) == expected
    with duckdb.connect(str(database), read_only=True) as connection:
        (stored,) = connection.execute("select source_file from raw.responses").fetchall()
    assert stored[0].endswith("/part.parquet") and "mathmart-" not in stored[0]


def test_nothing_behind_an_address_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="Check the address"):
        list(fetch(f"file://{tmp_path}/none.parquet"))


def test_without_the_extension_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, name: str) -> None:
        raise duckdb.IOException(f"Extension {name} not found")

    monkeypatch.setattr(duckdb.DuckDBPyConnection, "load_extension", refuse)
    with pytest.raises(UsageError, match="httpfs"):
        list(fetch("hf://datasets/someone/something/test.parquet"))
