"""Land files as records: one row per record in temporary tables that the formats' SQL reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pyarrow as pa

from ingest.errors import blame
from ingest.examining import File
from ingest.formats import Format
from ingest.quoting import literal
from ingest.reading import SCHEMA, record_batches, unpacked_batches, utf8_blocks
from ingest.sheets import sheet_rows
from ingest.tabular import QuotesAstray, csv_relation, parquet_relation

# record_id = file number << LINE_BITS | line; place = record_id << ITEM_BITS | item. 63 bits hold a
# batch of 2,000 files, 4 billion lines each, a million rows made of each line.
LINE_BITS = 32
ITEM_BITS = 20
# How many lists of field names are told apart quickly; files rarely mix more shapes of record.
USUAL_KEYS = 4
_TABLES = frozenset({"csv", "parquet"})  # layouts that DuckDB's own readers take
_STREAM_SCHEMA = pa.schema([("file_no", pa.int64()), *SCHEMA])


def land(
    connection: duckdb.DuckDBPyConnection,
    files: list[File],
    form: Format,
    dataset: str | None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Fill the temporary tables `files` and `landed` and the view `records` from `files`."""
    connection.execute("""
        create or replace temp table files (
            file_no bigint, file varchar, stem varchar, folder varchar, sha256 varchar,
            about json, given_dataset varchar, default_dataset varchar, load_id varchar,
            is_settled boolean,
        )
    """)
    listed = [
        {
            "file_no": number,
            "file": one.source.name,
            "stem": one.source.stem,
            "folder": one.source.path.parent.name,
            "sha256": one.sha256,
            "about": json.dumps(one.about, ensure_ascii=False),
            "given_dataset": dataset,
            "default_dataset": one.default_dataset,
            "load_id": one.load_id,
            "is_settled": one.is_settled,
        }
        for number, one in enumerate(files)
    ]
    connection.register("files_listed", pa.Table.from_pylist(listed))
    connection.execute("insert into files by name select * from files_listed")
    connection.unregister("files_listed")
    usual = _usual_keys(files)
    present = _present_fields(form, usual)
    connection.execute(f"""
        create or replace temp table landed (
            record_id bigint, r {_struct_type(present)}, extra json, reject varchar, raw_text varchar,
            late varchar,
        )
    """)
    tables = frozenset() if form.unpack else _TABLES
    texts = [(number, one) for number, one in enumerate(files) if one.layout not in tables]
    if texts:
        stream = pa.RecordBatchReader.from_batches(_STREAM_SCHEMA, _stream(texts, form, progress))
        _land_relation(connection, form, stream, "stream", usual)
    for number, one in enumerate(files):
        if one.layout in tables:
            _land_table(connection, form, number, one, usual)
    if _complete(connection, form, present):
        present = dict(form.fields)
    has_extra = connection.execute("from landed where extra is not null limit 1").fetchall()
    connection.execute(f"""
        create or replace temp view records as
        select
            landed.record_id,
            landed.record_id & {(1 << LINE_BITS) - 1} as line,
            {_whole_struct(form, present)} as r,
            {"landed.extra" if has_extra else "null::json as extra"},
            files.file,
            files.stem,
            files.folder,
            files.sha256,
            files.about,
        from landed
        inner join files on files.file_no = landed.record_id >> {LINE_BITS}
        where landed.reject is null
    """)


def raw_texts(
    files: list[File], form: Format, lines: dict[int, set[int]]
) -> Iterator[tuple[int, int, str]]:
    """(file number, line, text) of single lines, read again; CSV and Parquet rows have no text."""
    for number, wanted in lines.items():
        one = files[number]
        if one.layout in _TABLES and not form.unpack:
            continue
        for batch in _record_batches(one, form, None):
            first = batch.column(0)[0].as_py()
            last = first + batch.num_rows - 1
            for line in sorted(line for line in wanted if first <= line <= last):
                yield number, line, batch.column(1)[line - first].as_py().rstrip("\r\n")


def _record_batches(
    one: File, form: Format, progress: Callable[[int], None] | None
) -> Iterator[pa.RecordBatch]:
    if form.unpack is not None:
        return unpacked_batches(form.unpack(one.source, one.encoding), progress)
    if one.layout == "sheet":
        return unpacked_batches(sheet_rows(one.source), progress)
    return record_batches(utf8_blocks(one.source, one.encoding, progress), one.layout)


def _failing_aloud(
    one: File, form: Format, progress: Callable[[int], None] | None
) -> Iterator[pa.RecordBatch]:
    """The file's batches; why it cannot be read is noted, for DuckDB hands on no exception."""
    try:
        yield from _record_batches(one, form, progress)
    except Exception as error:
        one.failure = blame(one.source.name, f"reading this file as {form.name}", error)
        raise


def _stream(
    files: list[tuple[int, File]], form: Format, progress: Callable[[int], None] | None
) -> Iterator[pa.RecordBatch]:
    for number, one in files:
        one.failure = None
        try:
            for batch in _failing_aloud(one, form, progress):
                numbers = pa.array([number], pa.int64()).take(pa.array([0] * batch.num_rows))
                yield pa.record_batch([numbers, *batch.columns], schema=_STREAM_SCHEMA)
        except KeyboardInterrupt as error:
            one.failure = error
            raise


def _land_relation(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    relation: Any,
    name: str,
    usual: list[list[str]],
) -> None:
    """Shred the relation (file_no, line, text, problem) into `landed`; every column fixed in type.

    Fields that no sampled record has take no room: a record that has one is kept in `late` as well.
    """
    connection.register(name, relation)
    known = ", ".join(literal(field) for field in form.fields)
    forget = literal(json.dumps(dict.fromkeys(form.fields)))
    present = _present_fields(form, usual)
    absent = ", ".join(literal(field) for field in form.fields if field not in present)
    shape = literal(json.dumps(present))
    # The text is chosen, not the struct: a CASE over structs copies every field of every row.
    sound_text = "case when reject is null then text else '{}' end"
    shredded = f"from_json({sound_text}, {shape})" if form.fields else "null"
    # Lists of names are compared whole with the usual ones, once: looking into each is what costs.
    shapes = {
        "usual, without others": [keys for keys in usual if set(keys) <= set(form.fields)],
        "usual": [keys for keys in usual if not set(keys) <= set(form.fields)],
    }
    cases = [
        f"when keys in ({_lists(listed)}) then '{name}'"
        for name, listed in shapes.items()
        if listed
    ]
    shape_of_keys = f"case {' '.join(cases)} else 'other' end" if cases else "'other'"
    rest = f"""
        case
            when shape = 'usual, without others' then null
            when len(list_filter(keys, lambda key: key not in ({known}))) > 0
                then json_merge_patch(text, {forget})
        end
    """
    late = f"""
        case
            when shape <> 'other' or reject is not null then null
            when list_has_any(keys, [{absent}]) then text
        end
    """
    connection.execute(f"""
        insert into landed
        with keyed as (
            -- try: a text that is not JSON has no keys, and is rejected below
            select file_no, line, text, problem, try(json_keys(text)) as keys
            from {name}
            where case when strlen(text) < 100 then trim(text, ' \t\r\n') <> '' else true end
        ),
        shaped as (select *, {shape_of_keys} as shape from keyed),
        judged as (
            select
                *,
                case
                    when problem is not null then problem
                    when shape <> 'other' then null
                    when keys is null and contains(text, chr(0)) then 'a NUL byte stands in the text'
                    when keys is null then 'not valid JSON (cut short, or written by hand?)'
                    when len(keys) = 0 and not starts_with(ltrim(text, ' \t\r\n'), '{{')
                        then 'not a JSON object with named fields'
                    when len(keys) > len(list_distinct(keys)) then 'a field stands twice in the object'
                end as reject,
            from shaped
        )
        select
            file_no << {LINE_BITS} | line,
            {shredded},
            case when reject is null then {rest if form.fields else "text::json"} end,
            reject,
            case when reject is not null then rtrim(text, '\r\n') end,
            {late if absent else "null"},
        from judged
    """)
    connection.unregister(name)


def _land_table(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    number: int,
    one: File,
    usual: list[list[str]],
) -> None:
    """Land a CSV or Parquet file; a row of a CSV with too few or too many cells is a reject."""
    if one.layout == "parquet":
        with parquet_relation(connection, number, one.source) as relation:
            _land_relation(connection, form, relation, "rows_of_parquet", usual)
        return
    try:
        relation, broken = csv_relation(
            connection,
            number,
            one.source,
            one.encoding,
            one.head,
            form.columns,
            by_row=one.quotes_astray,
        )
    except QuotesAstray:
        # the transaction is lost with the statement: the loader begins again, and comes back here
        one.quotes_astray = True
        raise
    _land_relation(connection, form, relation, "rows_of_csv", usual)
    for line, text, message in broken:
        connection.execute(
            "insert into landed values (?, null, null, ?, ?, null)",
            [number << LINE_BITS | line, message.splitlines()[0], text],
        )


def _complete(connection: duckdb.DuckDBPyConnection, form: Format, present: dict[str, str]) -> bool:
    """Give `landed` all fields of the format where a record has one that the samples had not."""
    if not connection.execute("from landed where late is not null limit 1").fetchall():
        return False
    absent = {name: kind for name, kind in form.fields.items() if name not in present}
    found = ", ".join(f'"{name}" := landed.r."{name}"' for name in present)
    later = ", ".join(f'"{name}" := l."{name}"' for name in absent)
    connection.execute(f"""
        create or replace temp table whole as
        select record_id, struct_pack({found}, {later}) as r, extra, reject, raw_text
        from (select *, from_json(late, {literal(json.dumps(absent))}) as l from landed) as landed;
        drop table landed;
        alter table whole rename to landed
    """)
    return True


def _usual_keys(files: list[File]) -> list[list[str]]:
    """The commonest lists of field names in the samples, in their order in the file."""
    counted = Counter(tuple(record) for one in files for record in one.sample.records)
    return [list(keys) for keys, _ in counted.most_common(USUAL_KEYS) if keys]


def _present_fields(form: Format, usual: list[list[str]]) -> dict[str, str]:
    """The format's fields that records usually have, all where they have none."""
    names = {name for keys in usual for name in keys}
    present = {name: kind for name, kind in form.fields.items() if name in names}
    return present or dict(form.fields)


def _whole_struct(form: Format, present: dict[str, str]) -> str:
    """SQL: `landed.r` with all fields of the format; constants stand for those that are not there."""
    if list(present) == list(form.fields):
        return "landed.r"
    return "struct_pack({})".format(
        ", ".join(
            f'"{name}" := landed.r."{name}"' if name in present else f'"{name}" := null::{kind}'
            for name, kind in form.fields.items()
        )
    )


def _lists(keys: list[list[str]]) -> str:
    return ", ".join("[" + ", ".join(literal(key) for key in one) + "]" for one in keys)


def _struct_type(fields: dict[str, str]) -> str:
    if not fields:
        return "struct(none varchar)"
    listed = ", ".join(f'"{name}" {data_type}' for name, data_type in fields.items())
    return f"struct({listed})"
