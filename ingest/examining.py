"""Look at a file before it is loaded: its encoding, its layout, its first records."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ingest.archives import archive_names
from ingest.documents import loose_object
from ingest.errors import MathmartError
from ingest.formats import Sample, nothing_in
from ingest.reading import (
    HEAD_BYTES,
    SAMPLE_RECORDS,
    csv_rows,
    decode_head,
    detect_encoding,
    detect_layout,
    read_head,
    sample_records,
)
from ingest.sheets import sheet_rows
from ingest.sources import Source
from ingest.tabular import parquet_sample

# How much of a file's beginning recognisers see as text.
SAMPLE_CHARS = 4000
# How much larger packed records become; model replies, full of repetition, pack well.
PACKED = 10
# White space or nothing, an array of no items.
_NOTHING = re.compile(r"[\ufeff\s]*(\[\s*\]\s*)?")
_ARCHIVE = b"PK\x03\x04"
_ARCHIVE_OF_NONE = b"PK\x05\x06"  # a zip archive begins with its end where it has no members
# Layouts whose readers find the first record wherever it stands.
_WHOLE = frozenset({"parquet", "archive", "sheet"})


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
    failure: MathmartError | KeyboardInterrupt | None = None  # why reading it broke off
    quotes_astray: bool = False  # a CSV to be read row by row

    def unpacked_bytes(self) -> int:
        """About how many bytes reading the file yields, beyond HEAD_BYTES a mere guess."""
        if self.layout in ("parquet", "archive", "sheet"):
            return self.size * PACKED
        if self.source.compression() is None:
            return self.size
        return (
            len(self.head) if len(self.head) < HEAD_BYTES // 4 else self.size * PACKED + HEAD_BYTES
        )


def _holds_folders_only(source: Source, head: bytes) -> bool:
    """Whether it is a zip archive that stands here itself, for it has no member that is a file."""
    is_zip = source.inner_path.suffix.lower() == ".zip" and head.startswith(_ARCHIVE)
    return is_zip and not archive_names(source)


def examine(source: Source, sha256: str, size: int) -> File:
    """Look at the head of a file: encoding, layout, first records.

    Raises EmptyFile where there is no record in it, whatever its name says it is.
    """
    head = read_head(source)
    text = decode_head(head)
    is_whole = len(head) < HEAD_BYTES
    if (
        (is_whole and _NOTHING.fullmatch(text))
        or head.startswith(_ARCHIVE_OF_NONE)
        or _holds_folders_only(source, head)
    ):
        raise nothing_in(Sample(source.inner_path, "lines", [], name=source.name))
    layout = detect_layout(source, text)
    if layout == "parquet":
        records = parquet_sample(source)
    elif layout == "archive":
        names = archive_names(source)
        records = [dict.fromkeys(names)] if names else []
    elif layout == "sheet":
        records = [json.loads(row) for row, _ in islice(sheet_rows(source), SAMPLE_RECORDS)]
    else:
        records = sample_records(layout, text)
        if not records and text.lstrip("\ufeff \t\r\n[").startswith("{"):
            # a record longer than the head: what of it the head shows
            whole = text[text.index("{") :].encode("utf-8", "replace")
            records = [loose_object(whole)]
    if layout in _WHOLE and not any(records):
        raise nothing_in(Sample(source.inner_path, layout, [], name=source.name))
    rows = csv_rows(text) if layout == "csv" else ()
    sample = Sample(
        source.inner_path, layout, records, text[:SAMPLE_CHARS], rows, source.name, is_whole
    )
    return File(source, sha256, size, detect_encoding(head), layout, text, sample)
