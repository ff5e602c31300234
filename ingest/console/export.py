"""The marts as files: Parquet, CSV, or one DuckDB file that BI tools open."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb

from ingest.quoting import identifier, literal

# What DuckDB 1.2 and every later client reads; BI drivers carry 1.x.
STORAGE_VERSION = "v1.2.0"
# A database is called as its file is: in one called `marts`, `marts.responses` would be ambiguous.
DUCKDB_FILE = "marts_copy.duckdb"


class Format(StrEnum):
    """What `mathmart export` writes."""

    PARQUET = "parquet"
    CSV = "csv"
    DUCKDB = "duckdb"


@dataclass(frozen=True)
class Exported:
    """One table, and where it went."""

    table: str
    rows: int
    path: Path


def export_marts(
    database: Path,
    folder: Path,
    file_format: Format,
    report: Callable[[str], None] = lambda message: None,
) -> list[Exported]:
    """Copies every table of the marts schema to `folder`.

    Everything is written beside its place first and then renamed into it: a reader sees the old
    files or the new ones, never half of one, and an open DuckDB copy stays readable for who has it
    open. Raises duckdb.Error or OSError; the old files are then still there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=".mathmart-", dir=folder) as scratch,
        duckdb.connect() as connection,
    ):
        connection.execute(f"attach {literal(database)} as warehouse (read_only)")
        tables = mart_tables(connection)
        if file_format is Format.DUCKDB:
            done = _one_file(connection, tables, Path(scratch), folder, report)
        else:
            done = _file_per_table(connection, tables, file_format, Path(scratch), folder, report)
        connection.close()  # lets go of the new file before it is renamed
        for written in {exported.path for exported in done}:
            os.replace(Path(scratch) / written.name, written)
    return done


def mart_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Names of the tables in the marts schema of the attached `warehouse`."""
    return [
        name
        for (name,) in connection.execute(
            "select table_name from information_schema.tables"
            " where table_catalog = 'warehouse' and table_schema = 'marts' order by table_name"
        ).fetchall()
    ]


def _file_per_table(
    connection: duckdb.DuckDBPyConnection,
    tables: list[str],
    file_format: Format,
    scratch: Path,
    folder: Path,
    report: Callable[[str], None],
) -> list[Exported]:
    options = {
        Format.PARQUET: "(format parquet, compression zstd)",
        Format.CSV: "(format csv, header)",
    }[file_format]
    done = []
    for table in tables:
        report(f"writing {table}")
        name = f"{table}.{file_format}"
        rows = connection.execute(
            f"copy warehouse.marts.{identifier(table)} to {literal(scratch / name)} {options}"
        ).fetchone()
        done.append(Exported(table, rows[0] if rows else 0, folder / name))
    return done


def _one_file(
    connection: duckdb.DuckDBPyConnection,
    tables: list[str],
    scratch: Path,
    folder: Path,
    report: Callable[[str], None],
) -> list[Exported]:
    connection.execute(
        f"attach {literal(scratch / DUCKDB_FILE)} as copy (storage_version '{STORAGE_VERSION}')"
    )
    connection.execute("create schema copy.marts")
    done = []
    for table in tables:
        report(f"writing {table}")
        rows = connection.execute(
            f"create table copy.marts.{identifier(table)} as from warehouse.marts.{identifier(table)}"
        ).fetchone()
        done.append(Exported(table, rows[0] if rows else 0, folder / DUCKDB_FILE))
    connection.execute("detach copy")
    return done
