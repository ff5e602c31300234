"""Results as text: what people paste and what programs parse."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from rich.cells import cell_len

from ingest.console import tables
from ingest.console.tables import Style


def written(columns: list[str], rows: list[tuple], style: Style) -> str:
    out = io.StringIO()
    tables.write(columns, rows, style, out)
    return out.getvalue()


def test_columns_align_by_terminal_cells_not_by_characters() -> None:
    lines = tables.aligned(["model", "n"], [("文心一言", 1), ("gpt", 20)]).splitlines()
    assert {cell_len(line) for line in lines} == {len("文心一言") * 2 + 2 + 2}


def test_numbers_stand_right_and_their_points_align() -> None:
    text = tables.aligned(["x"], [(0.5,), (10.25,), (None,)])
    assert text.splitlines() == ["    x", "-----", " 0.50", "10.25", ""]


def test_no_line_ends_in_blanks() -> None:
    text = tables.aligned(["a", "b"], [("x", None), ("longer", "y")])
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_cell_is_one_line_without_control_characters() -> None:
    text = tables.aligned(["reply"], [("one\ntwo\x1b[31m\x00",)])
    assert text.splitlines()[2] == "one⏎two [31m"


def test_a_long_cell_is_cut_with_a_sign() -> None:
    line = tables.aligned(["reply"], [("数" * 200,)]).splitlines()[2]
    assert line.endswith("…") and cell_len(line) <= tables.CELL_WIDTH


def test_a_table_says_how_many_rows_it_leaves_out() -> None:
    rows = [(i,) for i in range(tables.TABLE_ROWS + 7)]
    assert tables.write(["i"], rows, Style.TABLE, io.StringIO()) == 7


@pytest.mark.parametrize(
    ("value", "read_back"),
    [
        (None, None),
        ("", ""),
        (True, True),
        (1.5, 1.5),
        (math.nan, None),
        (math.inf, None),
        (Decimal("3.25"), 3.25),
        ('数 "x"\n', '数 "x"\n'),
        ([1, math.nan], [1, None]),
        ({"a": None}, {"a": None}),
    ],
)
def test_json_is_json_whatever_the_value(value: Any, read_back: Any) -> None:
    assert json.loads(written(["v"], [(value,)], Style.JSON)) == [{"v": read_back}]


def test_json_of_nothing_is_an_empty_array() -> None:
    assert json.loads(written(["v"], [], Style.JSON)) == []


def test_json_keeps_columns_of_one_name_apart() -> None:
    assert json.loads(written(["a", "a"], [(1, 2)], Style.JSON)) == [{"a": 1, "a_1": 2}]


def test_csv_tells_null_from_the_empty_text_and_keeps_every_character() -> None:
    text = written(["a", "b", "c"], [(None, "", 'x,"y"\n\\frac12')], Style.CSV)
    assert text.splitlines()[1].startswith(',"",')
    assert list(csv.reader(io.StringIO(text)))[1] == ["", "", 'x,"y"\n\\frac12']


def test_csv_writes_numbers_that_read_back_the_same() -> None:
    assert written(["x"], [(0.1 + 0.2,)], Style.CSV) == "x\n0.30000000000000004\n"
