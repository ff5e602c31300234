"""Bytes of any encoding and JSON layout to batches of (line, text, problem): one text per record.

Nothing here loops over records in Python: blocks of bytes are cut at line ends found by numpy and
handed to DuckDB as Arrow buffers, so that memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.errors import unreadable
from ingest.sources import Source
from ingest.splitting import split_values

# Large enough that per-block costs vanish, small enough that a few blocks in flight stay cheap.
BLOCK_BYTES = 1 << 20
# How much of a file is looked at to tell its encoding and layout. An ASCII head longer than this
# before the first GBK character makes the later lines rejects with a reason, not wrong text.
HEAD_BYTES = 4 << 20
SAMPLE_RECORDS = 20
# Stands for a carriage return within a CSV line while Python's reader, which refuses one, has it; no
# decoded text holds a lone surrogate.
_LONE_CR = "\udc0d"

SCHEMA = pa.schema([("line", pa.int64()), ("text", pa.large_string()), ("problem", pa.string())])
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_head(source: Source) -> bytes:
    """The first HEAD_BYTES of the content, decompressed."""
    try:
        with source.open() as stream:
            parts, size = [], 0
            while size < HEAD_BYTES and (part := stream.read(HEAD_BYTES - size)):
                parts.append(part)
                size += len(part)
            return b"".join(parts)
    except (OSError, EOFError, pa.ArrowException) as error:
        raise unreadable(source.name, error) from error


def detect_encoding(head: bytes) -> str:
    """utf-8, utf-8-sig, utf-16(-le, -be), utf-32 or gb18030 (of which GBK is a part)."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    start = head[:4096]
    if start[1::2].count(0) > len(start) // 4:
        return "utf-16-le"
    if start[0::2].count(0) > len(start) // 4:
        return "utf-16-be"
    for name in ("utf-8", "gb18030"):
        try:
            codecs.getincrementaldecoder(name)().decode(head, final=len(head) < HEAD_BYTES)
            return name
        except UnicodeDecodeError:
            continue
    return "utf-8"


def decode_head(head: bytes) -> str:
    """The head as text; what cannot be decoded is replaced."""
    decoder = codecs.getincrementaldecoder(detect_encoding(head))(errors="replace")
    return decoder.decode(head)


def detect_layout(source: Source, text: str) -> str:
    """lines | array | documents | csv | parquet | sheet | archive, from the name and first records."""
    suffix = source.inner_path.suffix.lower()
    if suffix in (".xlsx", ".xlsm"):
        return "sheet"
    if text.startswith("PK\x03\x04"):
        return "archive"
    if suffix == ".parquet" or text.startswith("PAR1"):
        return "parquet"
    if suffix in (".csv", ".tsv"):
        return "csv"
    body = text.lstrip("\ufeff \t\r\n")
    if body.startswith("["):
        return "array"
    if not body.startswith("{"):
        return "lines" if suffix in (".json", ".jsonl", ".ndjson") else "csv"
    lines = body.split("\n")
    whole = lines[:-1] if len(lines) > 1 else lines
    if any(_parse(line) is not None for line in whole[:SAMPLE_RECORDS] if line.startswith("{")):
        return "lines"
    return "documents" if len(lines) > 1 else "lines"


def sample_records(layout: str, text: str) -> list[dict[str, Any]]:
    """The first records of `text` for recognisers, parsed by Python's own readers."""
    if layout == "csv":
        header, delimiter = csv_header(text)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        next(rows, None)
        return [dict(zip(header, row, strict=False)) for row in islice(rows, SAMPLE_RECORDS)]
    if layout == "lines":
        values = (_parse(line) for line in text.lstrip("\ufeff").split("\n")[:SAMPLE_RECORDS])
    else:
        data = text.lstrip("\ufeff").encode("utf-8", "replace")
        batches = split_values(iter([data]), 1 if layout == "array" else 0)
        values = (_parse(value) for batch in batches for _, value, _ in batch[:SAMPLE_RECORDS])
    return [value for value in values if isinstance(value, dict)]


def csv_rows(text: str) -> tuple[tuple[str, ...], ...]:
    """The first rows of a CSV as they stand; one that the head may cut short is left out."""
    _, delimiter = csv_header(text)
    text = text.lstrip("\ufeff")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [tuple(row) for row in islice(filter(any, reader), SAMPLE_RECORDS + 1)]
    except csv.Error:
        return ()
    return tuple(rows[:SAMPLE_RECORDS])


def csv_rows_of(blocks: Iterator[bytes], delimiter: str) -> Iterator[tuple[int, list[str], str]]:
    """(line it begins at, cells, text) of every row that is not blank, as Python's reader has it.

    Lines end with LF or CRLF; with CR where the file has no LF at all.
    """
    taken: list[str] = []

    def lines() -> Iterator[str]:
        end = None
        for block in _whole_lines(blocks):
            text = b"".join(block).decode("utf-8", "replace")
            end = end or ("\n" if "\n" in text else "\r")
            for line in text.removesuffix(end).split(end):
                taken.append(line)
                if "\r" in line:
                    line = line[:-1].replace("\r", _LONE_CR) + line[-1]
                yield line + "\n"

    csv.field_size_limit(1 << 30)
    reader = csv.reader(lines(), delimiter=delimiter)
    begin = 1
    for cells in reader:
        text, begin_next = "\n".join(taken).rstrip("\r\n"), reader.line_num + 1
        if text.strip():
            yield begin, [cell.replace(_LONE_CR, "\r") for cell in cells], text
        taken.clear()
        begin = begin_next


def quotes_end(row: str, delimiter: str) -> bool:
    """Whether every quoted cell of a row ends within it."""
    try:
        list(csv.reader(io.StringIO(row, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" not in str(error)
    return True


def csv_header(text: str) -> tuple[list[str], str]:
    """Column names and delimiter of a CSV; the delimiter is the one that the first line has most of."""
    text = text.lstrip("\ufeff")
    first = text.split("\n", 1)[0]
    delimiter = max(",\t;|", key=first.count)
    csv.field_size_limit(1 << 30)
    header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    return [name.strip() for name in header], delimiter


def utf8_blocks(
    source: Source, encoding: str, progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """The content as UTF-8 without BOM, block by block. `progress` hears the bytes read so far.

    Bytes that are no UTF-8 are passed on when the encoding is UTF-8: the line they stand in is
    rejected later, not the file.
    """
    decoder = None
    if encoding not in ("utf-8", "utf-8-sig"):
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    done, first = 0, True
    try:
        with source.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                done += len(block)
                if first and encoding == "utf-8-sig":
                    block = block.removeprefix(codecs.BOM_UTF8)
                first = False
                yield block if decoder is None else decoder.decode(block).encode("utf-8", "replace")
                if progress:
                    progress(done)
            if decoder is not None and (tail := decoder.decode(b"", final=True)):
                yield tail.encode("utf-8", "replace")
    except (OSError, EOFError, pa.ArrowException) as error:
        raise unreadable(source.name, error) from error


def record_batches(blocks: Iterator[bytes], layout: str) -> Iterator[pa.RecordBatch]:
    """Batches of SCHEMA: line number (lines) or ordinal (array items, documents), text, problem."""
    if layout == "lines":
        yield from _line_batches(blocks)
        return
    for values in split_values(blocks, 1 if layout == "array" else 0):
        lines, texts, problems = zip(*values, strict=True)
        decoded = [text.decode("utf-8", "replace") for text in texts]
        yield pa.record_batch([lines, decoded, problems], schema=SCHEMA)


def unpacked_batches(
    records: Iterator[tuple[bytes, str | None]], progress: Callable[[int], None] | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of SCHEMA of some BLOCK_BYTES each from records that a format unpacked."""
    texts: list[str] = []
    problems: list[str | None] = []
    line, size, done = 1, 0, 0
    for text, problem in chain(records, [(b"", "end")]):
        at_end = not text and problem == "end"
        if texts and (at_end or size + len(text) > BLOCK_BYTES):
            numbers = list(range(line, line + len(texts)))
            yield pa.record_batch([numbers, texts, problems], schema=SCHEMA)
            line, done, size = line + len(texts), done + size, 0
            texts, problems = [], []
            if progress:
                progress(done)
        if not at_end:
            texts.append(text.decode("utf-8", "replace"))
            problems.append(problem)
            size += len(text)


def _line_batches(blocks: Iterator[bytes]) -> Iterator[pa.RecordBatch]:
    """One batch per block that ends a line, its bytes in memory of Arrow's own.

    Arrow's allocator keeps what it is given back. Python's returns every block to the system, and
    having each page of the file anew costs more than parsing it.
    """
    line = 1
    marks = np.empty(0, np.bool_)
    for text in _whole_lines(blocks):
        size = sum(map(len, text))
        buffer = pa.allocate_buffer(size)
        view, filled = memoryview(buffer).cast("B"), 0
        for part in text:
            view[filled : filled + len(part)] = part
            filled += len(part)
        if len(marks) < size:
            marks = np.empty(size, np.bool_)
        ends = np.flatnonzero(np.equal(np.frombuffer(buffer, np.uint8), 0x0A, out=marks[:size])) + 1
        if not len(ends) or ends[-1] != size:
            ends = np.append(ends, size)
        offsets = np.zeros(len(ends) + 1, np.int64)
        offsets[1:] = ends
        texts = pa.Array.from_buffers(
            pa.large_string(), len(ends), [None, pa.py_buffer(offsets), buffer]
        )
        problems = pa.nulls(len(ends), pa.string())
        try:
            texts.validate(full=True)
        except pa.ArrowInvalid:
            texts, problems = _replace_bad_bytes(bytes(view))
        numbers = pa.array(np.arange(line, line + len(ends)))
        yield pa.record_batch([numbers, texts, problems], schema=SCHEMA)
        line += len(ends)


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[list[bytes | memoryview]]:
    """The same bytes in pieces that, joined, end with a line; a line longer than a block comes whole."""
    held: list[bytes | memoryview] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if not cut:
            held.append(block)
            continue
        if cut == len(block):
            yield [*held, block]
            held = []
        else:
            whole = memoryview(block)
            yield [*held, whole[:cut]]
            held = [block[cut:]]
    if held:
        yield held


def _replace_bad_bytes(block: bytes) -> tuple[pa.Array, pa.Array]:
    """The lines of a block that holds bytes that are no UTF-8, and what is wrong with which."""
    lines = block.splitlines(keepends=True) if b"\r" not in block else block.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    texts = [line.decode("utf-8", "replace") for line in lines]
    problems = [
        "bytes that are not UTF-8" if text.encode("utf-8", "replace") != line else None
        for text, line in zip(texts, lines, strict=True)
    ]
    return pa.array(texts, pa.large_string()), pa.array(problems, pa.string())


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
