"""Merging finished answers into the raw tables, so that doing it twice changes nothing."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pandas  # noqa: F401 - pyarrow and DuckDB import these two with the first batch, which would hold up the asking
import pyarrow as pa
import pyarrow.compute

from ingest.models.credentials import Scrubber

if TYPE_CHECKING:
    from ingest.models.journal import Load

# What makes an answer the same answer, per table; a table with a failure_kind lets a later answer
# replace a failed one.
KEYS = {
    "responses": ["response_id"],
    "concepts": ["problem_id", "response_id", "extractor_id"],
    "model_verdicts": ["response_id", "judge_model", "judge_prompt"],
    "embeddings": ["embedder_id", "text"],
}
MEMBER_COLUMNS = {"concepts": ["concept_no"]}  # an answer may be several rows

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
_ARROW_TYPES = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DOUBLE[]": pa.list_(pa.float64()),
}


def now() -> datetime:
    """UTC without a zone, as the raw layer stores moments."""
    return datetime.now(UTC).replace(tzinfo=None)


def merge(connection: duckdb.DuckDBPyConnection, entries: Sequence[dict[str, Any]]) -> None:
    """Write journal `entries` ({"table", "rows"}) in one transaction.

    An answer whose key has a failed row replaces it, one whose key has a good row is counted as
    already there. raw.loads is brought up to date for every load the rows belong to.
    """
    by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in entries:
        by_table[entry["table"]] += entry["rows"]
    connection.execute("begin")
    try:
        for table, rows in by_table.items():
            if table == "rejects":
                _merge_rejects(connection, rows)
            else:
                _merge_answers(connection, table, rows)
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _merge_answers(
    connection: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]]
) -> None:
    keys = KEYS[table]
    key_list = ", ".join(keys)
    same = " and ".join(f"old.{key} is not distinct from new.{key}" for key in keys)
    columns = _columns(connection, table)
    can_fail = "failure_kind" in columns
    order = "failure_kind is not null, arrival" if can_fail else "arrival"
    members = ", ".join(keys + MEMBER_COLUMNS.get(table, []))
    batch = _arrow(columns, rows)
    connection.register("arrived", batch)
    # Of one answer that arrived twice (a journal absorbed after a crash), one load's rows count.
    connection.execute(
        f"""
        create or replace temp table new_answers as
        select * exclude (arrival)
        from arrived
        qualify
            load_id = first_value(load_id) over (partition by {key_list} order by {order})
            and row_number() over (partition by {members}, load_id order by {order}) = 1
        """
    )
    connection.unregister("arrived")
    if can_fail:
        connection.execute(
            f"delete from raw.{table} as old using new_answers as new "
            f"where old.failure_kind is not null and {same}"
        )
    connection.execute(
        f"""
        create or replace temp table fresh_answers as
        select * from new_answers as new
        where not exists (select 1 from raw.{table} as old where {same})
        """
    )
    connection.execute(f"insert into raw.{table} by name select * from fresh_answers")
    _count(
        connection,
        f"""
        with n_read as (
            select load_id, count(distinct ({key_list})) as n from new_answers group by load_id
        ),
        n_loaded as (
            select load_id, count(distinct ({key_list})) as n from fresh_answers group by load_id
        )
        select
            n_read.load_id,
            n_read.n as n_read,
            coalesce(n_loaded.n, 0) as n_loaded,
            n_read.n - coalesce(n_loaded.n, 0) as n_there,
            0 as n_rejected
        from n_read
        left join n_loaded on n_read.load_id = n_loaded.load_id
        """,
    )


def _merge_rejects(connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]]) -> None:
    connection.register("arrived", _arrow(_columns(connection, "rejects"), rows))
    _count(
        connection,
        """
        select load_id, count(*) as n_read, 0 as n_loaded, 0 as n_there, count(*) as n_rejected
        from arrived
        group by load_id
        """,
    )
    connection.execute(
        """
        insert into raw.rejects by name
        select * exclude (arrival) from arrived as new
        where not exists (
            select 1 from raw.rejects as old
            where old.file_sha256 = new.file_sha256 and old.line = new.line
                and old.reason = new.reason
        )
        """
    )
    connection.unregister("arrived")


def _count(connection: duckdb.DuckDBPyConnection, counts: str) -> None:
    connection.execute(
        f"""
        update raw.loads set
            rows_read = rows_read + counts.n_read,
            rows_loaded = rows_loaded + counts.n_loaded,
            rows_already_there = rows_already_there + counts.n_there,
            rows_rejected = rows_rejected + counts.n_rejected,
            finished_at = ?
        from ({counts}) as counts
        where loads.load_id = counts.load_id
        """,
        [now()],
    )


def register_load(
    connection: duckdb.DuckDBPyConnection,
    load: Load,
    runs: Sequence[dict[str, Any]],
    tool_version: str,
    scrub: Scrubber,
) -> None:
    """Write the load, and those of `runs` (raw.runs rows without load_id) that are not there."""
    connection.execute("begin")
    connection.execute(
        """
        insert into raw.loads by name select
            ? as load_id, ? as kind, ? as source_format, ? as file, ? as file_sha256,
            0 as file_bytes, ? as dataset_id, ? as model, ? as prompt, 0 as rows_read,
            0 as rows_loaded, 0 as rows_already_there, 0 as rows_rejected,
            ?::timestamp as started_at, ?::timestamp as finished_at, ? as tool_version
        """,
        scrub.value(
            [
                load.load_id,
                load.kind,
                load.source_format,
                load.source,
                load.source_sha256,
                load.dataset_id,
                load.model,
                load.prompt,
                load.started_at,
                load.started_at,
                tool_version,
            ]
        ),
    )
    for run in runs:
        row = {**scrub.value(run), "load_id": load.load_id, "tool_version": tool_version}
        names = ", ".join(row)
        marks = ", ".join("?" for _ in row)
        values = [
            json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
            for value in row.values()
        ]
        connection.execute(
            f"insert into raw.runs ({names}) select {marks} "
            "where not exists (select 1 from raw.runs where run_id = ?)",
            [*values, run["run_id"]],
        )
    connection.execute("commit")


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    found = connection.execute(
        "select column_name, data_type from duckdb_columns() "
        "where schema_name = 'raw' and table_name = ? order by column_index",
        [table],
    ).fetchall()
    return {str(name): str(kind) for name, kind in found}


def _arrow(columns: dict[str, str], rows: list[dict[str, Any]]) -> pa.Table:
    unknown = set().union(*rows) - set(columns)
    if unknown:
        raise ValueError(f"no such columns: {sorted(unknown)}")
    texts = {name for name, kind in columns.items() if kind == "JSON"}
    for row in rows:
        for name in texts & row.keys():
            if row[name] is not None and not isinstance(row[name], str):
                row[name] = _encode(row[name])
    arrays = {
        name: pa.array([row.get(name) for row in rows], type=_ARROW_TYPES[kind])
        for name, kind in columns.items()
    }
    return pa.table({**arrays, "arrival": pa.array(range(len(rows)), type=pa.int64())})
