"""SQL of the project's macros, compiled by dbt without a warehouse."""

from __future__ import annotations

from pathlib import Path

from tests.support import dbt


def compile_sql(jinja: str, folder: Path) -> str:
    """The SQL that dbt makes of `jinja`; `folder` keeps the parsed project for the next call."""
    done = dbt(
        *("--quiet", "compile", "--profiles-dir", ".", "--inline", jinja),
        database=folder / "empty.duckdb",
        folder=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
