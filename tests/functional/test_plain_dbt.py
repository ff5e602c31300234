"""dbt run by hand, without the command line of the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb

from tests.support import ROOT


def test_a_database_without_a_warehouse_gets_one_plain_sentence(tmp_path: Path) -> None:
    database = tmp_path / "nothing.duckdb"
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt"), "run", "--select", "stg_loads"],
        cwd=ROOT / "dbt_project",
        env={
            **os.environ,
            "MATHMART_DB": str(database),
            "DBT_TARGET_PATH": str(tmp_path / "target"),
            "DBT_LOG_PATH": str(tmp_path / "logs"),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert f"{database} holds no mathmart warehouse. Load something first" in done.stdout
    # what dbt made on the way is a file that 1.x clients open
    with duckdb.connect(str(database), read_only=True) as connection:
        tags = connection.execute(
            "select tags['storage_version'] from duckdb_databases() where database_name = 'nothing'"
        ).fetchall()
    assert tags[0][0].startswith("v1.2")
