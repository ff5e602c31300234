"""SQL of the project's macros, compiled by dbt without a warehouse."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT


def compile_sql(jinja: str, folder: Path) -> str:
    """The SQL that dbt makes of `jinja`; `folder` takes what dbt writes on the way."""
    dbt = Path(sys.executable).with_name("dbt")
    done = subprocess.run(
        [dbt, "--quiet", "compile", "--profiles-dir", ".", "--inline", jinja],
        cwd=ROOT / "dbt_project",
        env={
            **os.environ,
            "MATHMART_DB": str(folder / "empty.duckdb"),
            "DBT_TARGET_PATH": str(folder / "target"),
            "DBT_LOG_PATH": str(folder / "logs"),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
