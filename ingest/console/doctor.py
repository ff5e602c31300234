"""How things stand with an installation and a warehouse: what `mathmart doctor` says."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import duckdb

from ingest.console import builds
from ingest.errors import WarehouseError
from ingest.warehouse import open_warehouse

PACKAGES = ("mathmart", "duckdb", "dbt-core", "dbt-duckdb", "sympy")
RAW_TABLES = (
    "problems",
    "runs",
    "responses",
    "reported_scores",
    "concepts",
    "embeddings",
    "model_verdicts",
    "loads",
    "rejects",
)


@dataclass
class Findings:
    """Rows of (check, state, what next), and whether the database can be used."""

    rows: list[tuple[str, str, str | None]] = field(default_factory=list)
    usable: bool = True

    def add(self, check: str, state: object, what_next: str | None = None) -> None:
        self.rows.append((check, str(state), what_next))


def examine(database: Path) -> Findings:
    """Looks at the installation, then at the warehouse; changes nothing, raises nothing
    expected.
    """
    found = Findings()
    found.add("Python", platform.python_version())
    for package in PACKAGES:
        try:
            found.add(package, metadata.version(package))
        except metadata.PackageNotFoundError:
            found.add(package, "missing", "make setup")
    if not (builds.PROJECT / "dbt_project.yml").exists():
        found.add(
            "dbt project", "missing", "run mathmart from its own checkout, set up by make setup"
        )
    found.add("database", database)
    try:
        connection = open_warehouse(database, read_only=True)
    except WarehouseError as error:
        found.usable = False
        found.add("state", type(error).__name__.removeprefix("Warehouse").lower(), str(error))
        return found
    with connection:
        _examine_file(connection, database, found)
        _examine_rows(connection, found)
    if found.usable:
        _examine_lock(database, found)
    return found


def _examine_file(connection: duckdb.DuckDBPyConnection, database: Path, found: Findings) -> None:
    found.add("size", f"{database.stat().st_size / 1e6:.1f} MB")
    row = connection.execute(
        "select tags['storage_version'] from duckdb_databases()"
        " where database_name = current_database()"
    ).fetchone()
    found.add("storage version", row[0] if row and row[0] else "unknown")
    schema = connection.execute(
        "select value from raw.warehouse_info where key = 'schema_version'"
    ).fetchone()
    found.add("raw schema version", schema[0] if schema else "unknown")


def _examine_rows(connection: duckdb.DuckDBPyConnection, found: Findings) -> None:
    counts = {table: _count(connection, "raw", table) for table in RAW_TABLES}
    for table, count in counts.items():
        found.add(f"raw.{table}", "missing" if count is None else f"{count} rows")
    if not counts["loads"]:
        found.add("loaded", "nothing yet", "mathmart load PATH, or mathmart demo")
        return
    marts = [
        name
        for (name,) in connection.execute(
            "select table_name from information_schema.tables"
            " where table_schema = 'marts' order by all"
        ).fetchall()
    ]
    if not marts:
        found.add("marts", "not built yet", "mathmart build")
        return
    for table in marts:
        found.add(f"marts.{table}", f"{_count(connection, 'marts', table)} rows")
    built, loaded = _count(connection, "marts", "loads"), counts["loads"]
    if built is None:
        found.add("marts", "incomplete", "mathmart build")
    elif built < loaded:
        found.add(
            "marts", f"{loaded - built} loads are newer than the last build", "mathmart build"
        )
    else:
        found.add("marts", "up to date with the loads")


def _examine_lock(database: Path, found: Findings) -> None:
    """A writer is kept out by any reader: try the lock a load or a build will need."""
    try:
        duckdb.connect(str(database)).close()
    except duckdb.Error:
        try:
            open_warehouse(database).close()
        except WarehouseError as error:
            found.add("lock", "readable, but held by another reader", str(error))
            return
    found.add("lock", "free")


def _count(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> int | None:
    try:
        row = connection.execute(f'select count(*) from {schema}."{table}"').fetchone()
    except duckdb.CatalogException:
        return None
    return row[0] if row else None
