"""Excel workbooks to records: one per row, every cell as text, the first row naming the columns.

Traps: Excel keeps every number as a float (18 is 18.0) and turns what looks like a date into one, so
the text that was typed cannot be had back; cells with formulas give the value last computed.
"""

from __future__ import annotations

import datetime
import json
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import openpyxl

from ingest.errors import UnreadableFile, unreadable
from ingest.sources import BROKEN, Source

# What the parser of the sheets raises besides.
_BROKEN: tuple[type[Exception], ...] = (*BROKEN, TypeError, SyntaxError)


def sheet_rows(source: Source) -> Iterator[tuple[bytes, str | None]]:
    """(JSON text of a row, what is wrong with it) of all sheets whose columns are those of the first.

    Blank rows are left out. Rows of sheets with other columns are records with a problem.
    """
    try:
        with source.open() as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions that the reader does not know
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            first: list[str] = []
            for sheet in book.worksheets:
                sheet.reset_dimensions()  # some writers state them wrongly
                header: list[str] | None = None
                for cells in sheet.iter_rows(values_only=True):
                    if all(cell is None for cell in cells):
                        continue
                    if header is None:
                        header = _header(source, cells)
                        first = first or header
                        continue
                    problem = None
                    if header != first:
                        problem = (
                            f"sheet {sheet.title}: its columns are not those of the first sheet"
                        )
                    yield _row(header, cells), problem
    except UnreadableFile:
        raise
    except _BROKEN as error:
        raise unreadable(source.name, error) from error


def _header(source: Source, cells: Sequence[Any]) -> list[str]:
    names = [_text(cell) or "" for cell in cells]
    while names and not names[-1]:
        names.pop()
    names = [name.strip() for name in names]
    if len(set(names)) < len(names) or not all(names):
        raise UnreadableFile(
            f"{source.name}: the first row must name every column once; it reads "
            f"{', '.join(names)[:200]}. Add or mend the header row."
        )
    return names


def _row(header: list[str], cells: Sequence[Any]) -> bytes:
    texts = [_text(cell) for cell in cells]
    named = dict(zip(header, [*texts, *[None] * len(header)], strict=False))
    beyond = [text for text in texts[len(header) :] if text is not None]
    if beyond:
        named["cells beyond the named columns"] = json.dumps(beyond, ensure_ascii=False)
    return json.dumps(named, ensure_ascii=True).encode()


def _text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
