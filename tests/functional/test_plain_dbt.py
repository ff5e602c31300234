"""dbt run by hand, without the command line of the project."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tests.support import dbt


def test_a_database_without_a_warehouse_gets_one_plain_sentence(tmp_path: Path) -> None:
    database = tmp_path / "nothing.duckdb"
    done = dbt("run", "--select", "stg_loads", database=database, folder=tmp_path)
    assert done.returncode != 0
    assert f"{database} holds no mathmart warehouse. Load something first" in done.stdout
    # what dbt made on the way is a file that 1.x clients open
    with duckdb.connect(str(database), read_only=True) as connection:
        tags = connection.execute(
            "select tags['storage_version'] from duckdb_databases() where database_name = 'nothing'"
        ).fetchall()
    assert tags[0][0].startswith("v1.2")
