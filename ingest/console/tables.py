"""Query results as text: aligned tables for people, JSON and CSV for programs."""

from __future__ import annotations

import datetime
import itertools
import json
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size

TABLE_ROWS = 1000  # more does not help a reader; JSON and CSV have no limit
CELL_WIDTH = 80  # a whole reply in a cell would push every other column off the screen
WHOLE_CELL = 2000  # for the few tables whose texts are ours and must be read whole


class Style(StrEnum):
    """How a result is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def write(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    style: Style,
    out: TextIO,
    cell_width: int = CELL_WIDTH,
) -> int:
    """Writes rows to `out`; returns how many a table left out.

    JSON is one array of objects, NaN and infinities as null. CSV has a header, NULL as an empty
    field, the empty text as "", booleans as true and false (RFC 4180 with LF line ends).
    """
    rows = iter(rows)
    if style is Style.JSON:
        _write_json(columns, rows, out)
    elif style is Style.CSV:
        _write_csv(columns, rows, out)
    else:
        out.write(aligned(columns, list(itertools.islice(rows, TABLE_ROWS)), cell_width))
        return sum(1 for _ in rows)
    return 0


def aligned(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], cell_width: int = CELL_WIDTH
) -> str:
    """A table in columns of equal width, measured in terminal cells: a Chinese character takes two.

    Numbers stand to the right. No line ends in blanks, so that a pasted table stays as it is.
    """
    cells = [[_cell(value, cell_width) for value in row] for row in rows]
    for i in range(len(columns)):
        _align_decimals([row[i] for row in rows], cells, i)
    numeric = [
        any(row[i] is not None for row in rows)
        and all(row[i] is None or _is_number(row[i]) for row in rows)
        for i in range(len(columns))
    ]
    widths = [
        max([cell_len(column), *(cell_len(row[i]) for row in cells)])
        for i, column in enumerate(columns)
    ]
    ruler = ["-" * width for width in widths]
    lines = [_line(columns, widths, numeric), _line(ruler, widths, numeric)]
    lines += [_line(row, widths, numeric) for row in cells]
    return "".join(line + "\n" for line in lines)


def _align_decimals(values: Sequence[Any], cells: list[list[str]], column: int) -> None:
    """Gives all numbers of a column as many decimals as the longest needs, so that points align."""
    plain = [
        row
        for value, row in zip(values, cells, strict=True)
        if isinstance(value, float) and "." in row[column] and "e" not in row[column]
    ]
    decimals = max((len(row[column].split(".")[1]) for row in plain), default=0)
    for row in plain:
        row[column] = row[column].ljust(row[column].index(".") + 1 + decimals, "0")


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    parts = []
    for cell, width, is_right in zip(cells, widths, numeric, strict=True):
        blank = " " * (width - cell_len(cell))
        parts.append(blank + cell if is_right else cell + blank)
    return "  ".join(parts).rstrip()


def _cell(value: Any, width: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    text = value if isinstance(value, str) else _text(value)
    text = "".join("⏎" if c == "\n" else c if c.isprintable() else " " for c in text)
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    return text


def _number(value: float) -> str:
    """Up to six decimals, none that say nothing; tiny and huge numbers in scientific notation."""
    if not math.isfinite(value):
        return str(value)
    if value != 0 and not 1e-6 <= abs(value) < 1e15:
        return f"{value:.6g}"
    text = f"{value:.6f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def compact(value: Any) -> str:
    """JSON on one line, Chinese as it is."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    return compact(value) if isinstance(value, list | dict | tuple) else str(value)


def _write_json(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    separator = "[\n"
    columns = _unique(columns)
    for row in rows:
        record = {column: _json(value) for column, value in zip(columns, row, strict=True)}
        out.write(separator + "  " + json.dumps(record, ensure_ascii=False, default=str))
        separator = ",\n"
    out.write("[]\n" if separator == "[\n" else "\n]\n")


def _json(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    return value


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], out: TextIO) -> None:
    out.write(",".join(map(_csv, columns)) + "\n")
    for row in rows:
        out.write(",".join(map(_csv, row)) + "\n")


def _csv(value: Any) -> str:
    """One CSV field. The csv module cannot tell NULL from the empty text; an evaluation must."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    text = _text(value)
    if text == "" or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _unique(columns: Sequence[str]) -> list[str]:
    """Column names with `_1`, `_2` … added where a name comes again, as an object keeps only
    one.
    """
    names: list[str] = []
    for column in columns:
        name, n = column, 0
        while name in names:
            n += 1
            name = f"{column}_{n}"
        names.append(name)
    return names
