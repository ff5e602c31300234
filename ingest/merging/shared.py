"""What every target of a mapping needs: its view, its keys, its metadata."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from ingest.contract import misfit, not_finite, padded, trimmed
from ingest.landing import ITEM_BITS, LINE_BITS

LINE_MASK = (1 << LINE_BITS) - 1
# Two spellings of one question: white space is no difference.
SAME_TEXT = r"trim(regexp_replace({0}, '\s+', ' ', 'g'))"

PROBLEM_ID = """
    case
        when starts_with(native_id, dataset_id || '/') then native_id
        else dataset_id || '/' || native_id
    end || case when turn is null then '' else '#' || turn end
"""


def mapped_view(
    connection: duckdb.DuckDBPyConnection,
    format_name: str,
    view: str,
    sql: str,
    columns: dict[str, str],
) -> set[str]:
    """Make the temporary view `view` of the columns `sql` maps, plus `place`, which tells rows apart.

    Records whose values cannot be typed, or that the mapping rejects, go to `rejected`. Returns the
    names of the columns that `sql` fills.
    """
    given = {row[0]: row[1] for row in connection.execute(f"describe {sql}").fetchall()}
    connection.execute(f"""
        create or replace temp view {view} as
        select record_id << {ITEM_BITS} | coalesce(try_cast(item as bigint), 0) as place, *
        from ({padded(sql, given, columns, format_name)})
    """)
    reasons = ["reject"] if "reject" in given else []
    for column, data_type in columns.items():
        is_open = given.get(column, "") in ("VARCHAR", "JSON") and column != "record_id"
        if is_open and given[column].lower() != data_type and (one := misfit(column, data_type)):
            reasons.append(one)
    if reasons:
        connection.execute(f"""
            insert into rejected
            select record_id, reason
            from (select record_id, concat_ws('; ', {", ".join(reasons)}) as reason from {view})
            where reason <> ''
        """)
    return set(given)


def placed(view: str, more: str) -> str:
    """SQL: the keys of a mapped view: record_id, place, dataset_id, native_id, turn, problem_id, `more`."""
    return f"""
        select record_id, place, dataset_id, native_id, turn, {PROBLEM_ID} as problem_id, {more}
        from (
            select
                mapped.* exclude (dataset_id, native_id, turn),
                coalesce(
                    files.given_dataset, {trimmed("mapped.dataset_id")}, files.default_dataset
                ) as dataset_id,
                coalesce(
                    {trimmed("mapped.native_id")},
                    left(files.sha256, 12) || ':' || (mapped.record_id & {LINE_MASK})
                ) as native_id,
                try_cast(mapped.turn as integer) as turn,
                files.sha256,
                files.load_id,
            from {view} as mapped
            inner join files on files.file_no = mapped.record_id >> {LINE_BITS}
        )
    """


def metadata_sql(columns: Mapping[str, str]) -> str:
    """SQL: the mapped metadata, and in it, as text, the numbers that are NaN or infinite."""
    doubles = [name for name, kind in columns.items() if kind == "double"]
    odd = " || ".join(
        f"case when {not_finite('mapped.' + name)} "
        f"then [struct_pack(k := '{name}', v := mapped.{name})] else [] end"
        for name in doubles
    )
    any_odd = " or ".join(f"coalesce({not_finite('mapped.' + name)}, false)" for name in doubles)
    return f"""
        case
            when {any_odd} then json_merge_patch(
                coalesce(try_cast(mapped.metadata as json), '{{}}'::json),
                to_json(map_from_entries({odd}))
            )
            else try_cast(mapped.metadata as json)
        end
    """


def count(connection: duckdb.DuckDBPyConnection, relation: str) -> int:
    """Number of rows of a relation."""
    ((number,),) = connection.execute(f"select count(*) from {relation}").fetchall()
    return int(number)
