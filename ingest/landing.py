"""Land files as records: one row per record in temporary tables that the formats' SQL reads."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ingest.archives import archive_names
from ingest.documents import loose_object
from ingest.errors import FileError, UnreadableFile
from ingest.formats import Format, Sample
from ingest.reading import (
    SAMPLE_RECORDS,
    SCHEMA,
    csv_header,
    csv_rows,
    csv_rows_of,
    decode_head,
    detect_encoding,
    detect_layout,
    quotes_end,
    read_head,
    record_batches,
    sample_records,
    unpacked_batches,
    utf8_blocks,
)
from ingest.sheets import sheet_rows
from ingest.sources import Source
from ingest.splitting import csv_record_lines

# record_id = file number << LINE_BITS | line; place = record_id << ITEM_BITS | item. 63 bits hold a
# batch of 2,000 files, 4 billion lines each, a million rows made of each line.
LINE_BITS = 32
ITEM_BITS = 20
# The longest CSV record; DuckDB reserves a buffer of this size.
CSV_LINE_BYTES = 64 << 20
# How many lists of field names are told apart quickly; files rarely mix more shapes of record.
USUAL_KEYS = 4
# How much of a file's beginning recognisers see as text.
SAMPLE_CHARS = 4000
_STREAM_SCHEMA = pa.schema([("file_no", pa.int64()), *SCHEMA])


@dataclass
class File:
    """One file on its way into the warehouse."""

    source: Source
    sha256: str
    size: int
    encoding: str
    layout: str
    head: str
    sample: Sample
    about: dict[str, Any] = field(default_factory=dict)
    default_dataset: str = ""
    load_id: str = ""
    is_settled: bool = False  # an earlier load of the same content settled the dataset
    failure: FileError | None = None  # why reading it broke off
    quotes_astray: bool = False  # a CSV to be read row by row


def examine(source: Source, sha256: str, size: int) -> File:
    """Look at the head of a file: encoding, layout, first records."""
    head = read_head(source)
    text = decode_head(head)
    layout = detect_layout(source, text)
    if layout == "parquet":
        records = _parquet_sample(source)
    elif layout == "archive":
        records = [dict.fromkeys(archive_names(source))]
    elif layout == "sheet":
        records = [json.loads(row) for row, _ in islice(sheet_rows(source), SAMPLE_RECORDS)]
    else:
        records = sample_records(layout, text)
        if not records and text.lstrip("\ufeff \t\r\n[").startswith("{"):
            # a record longer than the head: what of it the head shows
            whole = text[text.index("{") :].encode("utf-8", "replace")
            records = [loose_object(whole)]
    rows = csv_rows(text) if layout == "csv" else ()
    sample = Sample(source.inner_path, layout, records, text[:SAMPLE_CHARS], rows)
    return File(source, sha256, size, detect_encoding(head), layout, text, sample)


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
    readers = {} if form.unpack else _READERS
    texts = [(number, one) for number, one in enumerate(files) if one.layout not in readers]
    if texts:
        stream = pa.RecordBatchReader.from_batches(_STREAM_SCHEMA, _stream(texts, form, progress))
        _land_relation(connection, form, stream, "stream", usual)
    for number, one in enumerate(files):
        if one.layout in readers:
            _READERS[one.layout](connection, form, number, one, usual)
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
        if one.layout in _READERS and not form.unpack:
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
    except FileError as error:
        one.failure = error
        raise


def _stream(
    files: list[tuple[int, File]], form: Format, progress: Callable[[int], None] | None
) -> Iterator[pa.RecordBatch]:
    for number, one in files:
        for batch in _failing_aloud(one, form, progress):
            numbers = pa.array([number], pa.int64()).take(pa.array([0] * batch.num_rows))
            yield pa.record_batch([numbers, *batch.columns], schema=_STREAM_SCHEMA)


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
    known = ", ".join(_literal(field) for field in form.fields)
    forget = _literal(json.dumps(dict.fromkeys(form.fields)))
    present = _present_fields(form, usual)
    absent = ", ".join(_literal(field) for field in form.fields if field not in present)
    shape = _literal(json.dumps(present))
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
        from (select *, from_json(late, {_literal(json.dumps(absent))}) as l from landed) as landed;
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
    return ", ".join("[" + ", ".join(_literal(key) for key in one) + "]" for one in keys)


def _land_csv(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    number: int,
    one: File,
    usual: list[list[str]],
) -> None:
    """Every cell as text, byte for byte; a row with too few or too many cells is a reject."""
    header, delimiter = csv_header(one.head)
    header = list(form.columns) or header
    if not header or len(set(header)) < len(header) or not all(header):
        raise UnreadableFile(
            f"{one.source.name}: the first line must name every column once; it reads "
            f"{', '.join(header)[:200]}. Add or mend the header line."
        )
    found = None
    if not one.quotes_astray:
        try:
            found = _csv_in_bulk(connection, form, number, one, header, delimiter)
        except duckdb.Error as error:
            # the transaction is lost with the statement: the loader begins again, and comes back here
            one.quotes_astray = True
            raise QuotesAstray(f"{one.source.name}: {error}") from error
    relation, broken = found or _csv_row_by_row(form, number, one, header, delimiter)
    _land_relation(connection, form, relation, "rows_of_csv", usual)
    for line, text, message in broken:
        connection.execute(
            "insert into landed values (?, null, null, ?, ?, null)",
            [number << LINE_BITS | line, message.splitlines()[0], text],
        )


class QuotesAstray(UnreadableFile):
    """Quotes stand within cells that are not quoted: DuckDB's reader does not get through."""


_Broken = list[tuple[int, str, str]]  # line, text, what is wrong


def _csv_in_bulk(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    number: int,
    one: File,
    header: list[str],
    delimiter: str,
) -> tuple[Any, _Broken] | None:
    """Rows by DuckDB's reader, numbered by where RFC 4180 has records begin; None where they differ."""
    columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in header)
    lines, blanks, sound, cut = csv_record_lines(utf8_blocks(one.source, one.encoding))
    connection.execute("drop table if exists reject_errors; drop table if exists reject_scans")
    with _plain_copy(one, sound if cut else None) as path:
        connection.execute(f"""
            create or replace temp table csv_rows as
            select row_number() over () as place, to_json(cells)::varchar as text
            from read_csv(
                {_literal(str(path))}, columns = {{{columns}}},
                header = {str(not form.columns).lower()},
                auto_detect = false, delim = {_literal(delimiter)}, quote = '"', escape = '"',
                allow_quoted_nulls = false, store_rejects = true, parallel = false,
                max_line_size = {CSV_LINE_BYTES},
            ) as cells
        """)
    rejects = connection.execute("""
        select line, any_value(csv_line), string_agg(distinct error_message, '; ')
        from reject_errors group by line order by line
    """).fetchall()
    connection.execute("drop table reject_errors; drop table reject_scans")
    skipped = 0 if form.columns else 1
    bad = blanks | {place - 1 for place, _, _ in rejects}
    good = [line for place, line in enumerate(lines) if place >= skipped and place not in bad]
    ((count,),) = connection.execute("select count(*) from csv_rows").fetchall()
    astray = b"\n" in cut.rstrip()  # one quote that swallows the lines behind it
    if astray or count != len(good) or any(place > len(lines) for place, _, _ in rejects):
        return None
    places = pa.table({"place": pa.array(range(1, len(good) + 1), pa.int64()), "line": good})
    connection.register("places", places)
    broken = [(lines[place - 1], text, message) for place, text, message in rejects]
    if cut:
        line = (lines[-1] if lines else 0) + 1
        broken.append((line, cut.decode("utf-8", "replace"), "a quoted cell never ends"))
    relation = connection.sql(f"""
        select {number}::bigint as file_no, places.line, csv_rows.text, null::varchar as problem
        from csv_rows inner join places using (place)
    """)
    return relation, broken


def _csv_row_by_row(
    form: Format,
    number: int,
    one: File,
    header: list[str],
    delimiter: str,
) -> tuple[Any, _Broken]:
    """Rows by Python's reader, for which a quote counts only at a cell's beginning: slower."""
    good: list[tuple[int, str]] = []
    broken: _Broken = []
    rows = csv_rows_of(utf8_blocks(one.source, one.encoding), delimiter)
    for place, (line, cells, raw) in enumerate(rows):
        if place == 0 and not form.columns:
            continue
        if not quotes_end(raw, delimiter):
            broken.append((line, raw, "a quoted cell never ends"))
        elif len(cells) != len(header):
            broken.append((line, raw, f"{len(cells)} cells where there are {len(header)} columns"))
        else:
            good.append((line, json.dumps(dict(zip(header, cells, strict=True)))))
    table = pa.table(
        {
            "file_no": pa.array([number] * len(good), pa.int64()),
            "line": pa.array([line for line, _ in good], pa.int64()),
            "text": pa.array([text for _, text in good], pa.large_string()),
            "problem": pa.nulls(len(good), pa.string()),
        }
    )
    return table, broken


def _land_parquet(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    number: int,
    one: File,
    usual: list[list[str]],
) -> None:
    with _unpacked(one.source) as file:
        path = _literal(str(file))
        names = [row[0] for row in connection.sql(f"describe from read_parquet({path})").fetchall()]
        packed = ", ".join(f'"{name}" := "{name}"' for name in names)
        relation = connection.sql(f"""
            select
                {number}::bigint as file_no,
                file_row_number + 1 as line,
                to_json(struct_pack({packed}))::varchar as text,
                null::varchar as problem,
            from read_parquet({path}, file_row_number = true)
        """)
        _land_relation(connection, form, relation, "rows_of_parquet", usual)


@contextmanager
def _unpacked(source: Source) -> Iterator[Path]:
    """The path of the content: the file itself, or a temporary copy where it is packed."""
    if source.member is None and source.compression() is None:
        yield source.path
        return
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
        for block in utf8_blocks(source, "utf-8"):  # passes bytes on as they are
            copy.write(block)
        copy.flush()
        yield Path(copy.name)


def _parquet_sample(source: Source) -> list[dict[str, Any]]:
    with duckdb.connect() as connection, _unpacked(source) as path:
        try:
            return (
                connection.sql(f"select * from read_parquet({_literal(str(path))}) limit 20")
                .to_arrow_table()
                .to_pylist()
            )
        except duckdb.Error as error:
            raise UnreadableFile(f"{source.name}: {str(error).splitlines()[0]}") from error


_READERS: dict[
    str, Callable[[duckdb.DuckDBPyConnection, Format, int, File, list[list[str]]], None]
] = {
    "csv": _land_csv,
    "parquet": _land_parquet,
}


class _plain_copy:
    """The path of a file as plain UTF-8: the file itself, or a temporary copy of its first bytes."""

    def __init__(self, one: File, size: int | None) -> None:
        self.one = one
        self.size = size
        self.copy: Any = None

    def __enter__(self) -> Path:
        source = self.one.source
        plain = self.one.encoding.startswith("utf-8") and source.member is None
        if plain and source.compression() is None and self.size is None:
            return source.path
        self.copy = tempfile.NamedTemporaryFile(suffix=".csv")
        left = self.size
        for block in utf8_blocks(source, self.one.encoding):
            self.copy.write(block[:left])
            left = None if left is None else max(0, left - len(block))
        self.copy.flush()
        return Path(self.copy.name)

    def __exit__(self, *_: object) -> None:
        if self.copy is not None:
            self.copy.close()


def _struct_type(fields: dict[str, str]) -> str:
    if not fields:
        return "struct(none varchar)"
    listed = ", ".join(f'"{name}" {data_type}' for name, data_type in fields.items())
    return f"struct({listed})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
