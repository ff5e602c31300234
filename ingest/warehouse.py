"""The warehouse: one DuckDB file that holds everything, created, opened and recognised here alone."""

from __future__ import annotations

import contextlib
import os
import re
from functools import cache
from importlib import resources
from pathlib import Path

import duckdb

from ingest.errors import (
    WarehouseDamaged,
    WarehouseError,
    WarehouseForeign,
    WarehouseLocked,
    WarehouseMissing,
    WarehouseTooNew,
)
from ingest.quoting import literal

# Raised when raw tables change in a way an older mathmart must not write to. New columns alone do not.
SCHEMA_VERSION = 1
# BI drivers carry DuckDB 1.x, which cannot open a file at the default storage version of 2.x.
STORAGE_VERSION = "v1.2.0"
# DuckDB calls a database as its file is called; in one called `raw`, `raw.loads` would be ambiguous.
SCHEMAS = frozenset({"raw", "staging", "intermediate", "marts"})

_RAW_COLUMNS = """
    select table_name, column_name, data_type
    from duckdb_columns()
    where schema_name = 'raw' and not internal and database_name = current_database()
    order by table_name, column_index
"""


def open_warehouse(
    path: str | Path, *, read_only: bool = False, create: bool = False
) -> duckdb.DuckDBPyConnection:
    """Open the warehouse at `path`, bring its raw schema up to date unless `read_only`.

    With `create`, a missing (or empty) file becomes a new warehouse. Raises one of the
    `WarehouseError`s; whatever was at `path` is then untouched.
    """
    path = Path(path)
    if path.is_dir():
        raise WarehouseError(f"{path}: is a folder. Name a database file with --db.")
    if path.name.split(".")[0].lower() in SCHEMAS:
        raise WarehouseError(
            f"{path}: a warehouse cannot be called as one of its schemas "
            f"({', '.join(sorted(SCHEMAS))}). Rename the file, or name another with --db."
        )
    if not path.exists() or path.stat().st_size == 0:
        if not create or read_only:
            raise WarehouseMissing(
                f"{path}: there is no warehouse here. Load files with `mathmart load`, "
                "run `mathmart demo`, or name another file with --db."
            )
        _create(path)
    connection = _connect(path, read_only)
    try:
        _check(connection, path)
        if not read_only:
            _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Write a complete empty warehouse beside `path`, then move it there in one step."""
    draft = path.with_name(f"{path.name}.creating-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        with duckdb.connect() as connection:
            connection.execute(
                f"attach {literal(draft)} as draft (storage_version '{STORAGE_VERSION}')"
            )
            connection.execute("use draft")
            connection.execute(_schema_sql())
            connection.execute(
                "insert into raw.warehouse_info values ('product', 'mathmart'), ('schema_version', ?)",
                [str(SCHEMA_VERSION)],
            )
            connection.execute("use memory")
            connection.execute("detach draft")
        if path.exists() and path.stat().st_size > 0:
            return  # another process was faster; its warehouse is as good as ours
        os.replace(draft, path)
    except (OSError, duckdb.Error) as error:
        raise WarehouseError(
            f"{path}: a warehouse cannot be created here ({_first_line(error)}). "
            "Choose a folder you may write to with --db."
        ) from error
    finally:
        with contextlib.suppress(OSError):  # the folder itself may be what is wrong
            draft.unlink(missing_ok=True)


def _connect(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(path), read_only=read_only)
    except duckdb.Error as error:
        raise _explain(path, error) from error


def _explain(path: Path, error: duckdb.Error) -> WarehouseError:
    text = str(error)
    if "lock" in text.lower():
        holder = re.search(r"\(PID (\d+)\)", text)
        if holder:
            return WarehouseLocked(
                f"{path}: process {holder[1]} holds the file open. Close that program (an editor "
                f"extension, a notebook, another mathmart) or wait for it; `ps -p {holder[1]}` "
                "shows what it is."
            )
        return WarehouseLocked(
            f"{path}: the file cannot be locked ({_first_line(error)}). Another program may hold "
            "it open, or the file lies on a network share without locks: copy it to a local disk."
        )
    if "newer version" in text or "version number" in text:
        return WarehouseTooNew(
            f"{path}: written by a later DuckDB than {duckdb.__version__} ({_first_line(error)}). "
            "Upgrade the duckdb package."
        )
    if "permission" in text.lower():
        return WarehouseError(
            f"{path}: not permitted ({_first_line(error)}). Check the file's owner."
        )
    return WarehouseDamaged(
        f"{path}: not a DuckDB file, or a damaged one ({_first_line(error)}). Nothing was changed. "
        "Name another file with --db, or restore this one from a copy."
    )


def _check(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Recognise a mathmart warehouse; an empty DuckDB file passes and is filled by `_migrate`."""
    tables = connection.execute(
        "select schema_name, table_name from duckdb_tables() "
        "where not internal and database_name = current_database()"
    ).fetchall()
    if not tables:
        return
    if ("raw", "warehouse_info") not in tables:
        raise WarehouseForeign(
            f"{path}: a DuckDB file, but no mathmart warehouse (it holds "
            f"{'.'.join(tables[0])}{' and more' if len(tables) > 1 else ''}). Nothing was changed. "
            "Name another file with --db."
        )
    rows = connection.execute("select key, value from raw.warehouse_info").fetchall()
    version = int(dict(rows).get("schema_version", 0))
    if version > SCHEMA_VERSION:
        raise WarehouseTooNew(
            f"{path}: its schema version is {version}, this mathmart knows {SCHEMA_VERSION}. "
            "Upgrade mathmart."
        )


def _migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the tables and columns that schema.sql has and the file does not."""
    wanted = _wanted_columns()
    there = set(connection.execute(_RAW_COLUMNS).fetchall())
    if there.issuperset(wanted):
        return
    present = {(table, column) for table, column, _ in there}
    tables = {table for table, _ in present}
    connection.execute("begin")
    connection.execute(_schema_sql())
    for table, column, data_type in wanted:
        if table in tables and (table, column) not in present:
            connection.execute(f'alter table raw.{table} add column "{column}" {data_type}')
    if not tables:
        connection.execute(
            "insert into raw.warehouse_info values ('product', 'mathmart'), ('schema_version', ?)",
            [str(SCHEMA_VERSION)],
        )
    connection.execute("commit")


@cache
def _wanted_columns() -> list[tuple[str, str, str]]:
    """What schema.sql has. Kept: running it takes longer than a second's answers need."""
    with duckdb.connect() as reference:
        reference.execute(_schema_sql())
        return reference.execute(_RAW_COLUMNS).fetchall()


def _schema_sql() -> str:
    return resources.files("ingest").joinpath("schema.sql").read_text(encoding="utf-8")


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
