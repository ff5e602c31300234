"""Files that are tables (CSV, Parquet) as relations of records: file_no, line, text, problem."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ingest.errors import FormatFault, UnreadableFile
from ingest.quoting import identifier, literal
from ingest.reading import SAMPLE_RECORDS, csv_header, csv_rows_of, quotes_end, utf8_blocks
from ingest.sources import Source
from ingest.splitting import csv_record_lines

# The longest CSV record; DuckDB reserves a buffer of this size.
CSV_LINE_BYTES = 64 << 20
# Characters that make DuckDB take a path for a pattern, whether or not a file of that name exists.
_WILDCARDS = frozenset("*?[")

Broken = list[tuple[int, str, str]]  # line, text, what is wrong


class QuotesAstray(UnreadableFile):
    """Quotes stand within cells that are not quoted: DuckDB's reader does not get through."""


# How DuckDB's reader says so. Whatever else it raises is no word on the quotes.
READER_ERRORS = (
    duckdb.InvalidInputException,
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
)


def csv_columns(name: str, head: str, given: tuple[str, ...]) -> tuple[list[str], str]:
    """Column names (those `given`, for a file without a header) and delimiter of a CSV.

    Raises UnreadableFile where the first line does not name every column once.
    """
    header, delimiter = csv_header(head)
    header = list(given) or header
    if not header or len(set(header)) < len(header) or not all(header):
        raise UnreadableFile(
            f"{name}: the first line must name every column once; it reads "
            f"{', '.join(header)[:200]}. Add or mend the header line."
        )
    return header, delimiter


def csv_relation(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    source: Source,
    encoding: str,
    head: str,
    given: tuple[str, ...],
    by_row: bool,
) -> tuple[Any, Broken]:
    """Every cell as text, byte for byte, and the rows with too few or too many cells.

    `given` names the columns of a file without a header. Raises QuotesAstray where DuckDB's reader
    fails, which loses the transaction; `by_row` then reads by Python's.
    """
    header, delimiter = csv_columns(source.name, head, given)
    skipped = 0 if given else 1
    if not by_row:
        try:
            found = _csv_in_bulk(connection, number, source, encoding, header, delimiter, skipped)
        except READER_ERRORS as error:
            raise QuotesAstray(f"{source.name}: {error}") from error
        if found:
            return found
    return _csv_row_by_row(number, utf8_blocks(source, encoding), header, delimiter, skipped)


def _csv_in_bulk(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    source: Source,
    encoding: str,
    header: list[str],
    delimiter: str,
    skipped: int,
) -> tuple[Any, Broken] | None:
    """Rows by DuckDB's reader, numbered by where RFC 4180 has records begin; None where they differ."""
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in header)
    lines, blanks, _, cut = csv_record_lines(utf8_blocks(source, encoding))
    if cut:  # a cell that never ends, or quotes that count for nothing: Python's reader can tell
        return None
    connection.execute("drop table if exists reject_errors; drop table if exists reject_scans")
    with plain_path(source, encoding) as path:
        connection.execute(f"""
            create or replace temp table csv_rows as
            select row_number() over () as place, to_json(cells)::varchar as text
            from read_csv(
                {literal(path)}, columns = {{{columns}}}, header = {str(skipped > 0).lower()},
                auto_detect = false, delim = {literal(delimiter)}, quote = '"', escape = '"',
                allow_quoted_nulls = false, store_rejects = true, parallel = false,
                max_line_size = {CSV_LINE_BYTES}, hive_partitioning = false,
            ) as cells
        """)
    rejects = connection.execute("""
        select line, any_value(csv_line), string_agg(distinct error_message, '; ')
        from reject_errors group by line order by line
    """).fetchall()
    connection.execute("drop table reject_errors; drop table reject_scans")
    bad = blanks | {place - 1 for place, _, _ in rejects}
    good = [line for place, line in enumerate(lines) if place >= skipped and place not in bad]
    ((count,),) = connection.execute("select count(*) from csv_rows").fetchall()
    if count != len(good) or any(place > len(lines) for place, _, _ in rejects):
        return None
    places = pa.table({"place": pa.array(range(1, len(good) + 1), pa.int64()), "line": good})
    connection.register("places", places)
    broken = [(lines[place - 1], text, message) for place, text, message in rejects]
    relation = connection.sql(f"""
        select {number}::bigint as file_no, places.line, csv_rows.text, null::varchar as problem
        from csv_rows inner join places using (place)
    """)
    return relation, broken


def _csv_row_by_row(
    number: int, blocks: Iterator[bytes], header: list[str], delimiter: str, skipped: int
) -> tuple[pa.Table, Broken]:
    """Rows by Python's reader, for which a quote counts only at a cell's beginning: slower."""
    good: list[tuple[int, str]] = []
    broken: Broken = []
    for place, (line, cells, raw) in enumerate(csv_rows_of(blocks, delimiter)):
        if place < skipped:
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


@contextmanager
def parquet_relation(
    connection: duckdb.DuckDBPyConnection, number: int, source: Source
) -> Iterator[Any]:
    """Every row as a JSON object of its columns; to be read while the context lasts."""
    with plain_path(source) as path:
        rows = f"read_parquet({literal(path)}, hive_partitioning = false, file_row_number = true)"
        described = connection.sql(f"describe select * exclude file_row_number from {rows}")
        names = [identifier(row[0]) for row in described.fetchall()]
        packed = ", ".join(f"{name} := {name}" for name in names)
        yield connection.sql(f"""
            select
                {number}::bigint as file_no,
                file_row_number + 1 as line,
                to_json(struct_pack({packed}))::varchar as text,
                null::varchar as problem,
            from {rows}
        """)


def parquet_sample(source: Source) -> list[dict[str, Any]]:
    """The first rows; raises UnreadableFile where the file is none or is cut."""
    with duckdb.connect() as connection, plain_path(source) as path:
        rows = f"read_parquet({literal(path)}, hive_partitioning = false)"
        try:
            found = connection.sql(f"select * from {rows} limit {SAMPLE_RECORDS}")
            return found.to_arrow_table().to_pylist()
        except (duckdb.InternalException, duckdb.FatalException) as error:
            raise FormatFault(source.name, "reading its first rows", error) from error
        except duckdb.Error as error:
            raise UnreadableFile(f"{source.name}: {str(error).splitlines()[0]}") from error


@contextmanager
def plain_path(source: Source, encoding: str = "utf-8") -> Iterator[Path]:
    """Where DuckDB reads the content, unpacked and in UTF-8 (other bytes pass as they are).

    The file itself, or a temporary copy. A path with wildcards is handed on as a link, for DuckDB would
    read every file that matches it.
    """
    is_plain = source.member is None and source.compression() is None
    if is_plain and encoding.startswith("utf-8"):
        if not _WILDCARDS & set(str(source.path)):
            yield source.path
            return
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder, "content")
            link.symlink_to(source.path.absolute())
            yield link
        return
    with tempfile.NamedTemporaryFile() as copy:
        for block in utf8_blocks(source, encoding):
            copy.write(block)
        copy.flush()
        yield Path(copy.name)
