"""Cutting JSON and CSV into records, whatever the blocks they come in."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.splitting import csv_record_lines, split_values

TEXT = st.text(st.sampled_from('ab"\\{}[],: \n\r\t答'), max_size=12)
VALUES = st.dictionaries(
    TEXT, st.recursive(TEXT, lambda one: st.lists(one, max_size=3)), max_size=3
)


def blocks(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@settings(max_examples=150, deadline=None)
@given(st.lists(VALUES, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_every_value_comes_whole(values, size, indent, as_array) -> None:
    texts = [json.dumps(value, indent=indent, ensure_ascii=False) for value in values]
    text = "[" + ", ".join(texts) + "]\n" if as_array else "\n".join(texts)
    found = [
        v for batch in split_values(iter(blocks(text.encode(), size)), int(as_array)) for v in batch
    ]
    assert [json.loads(text) for _, text, _ in found] == values
    assert [number for number, _, _ in found] == list(range(1, len(values) + 1))
    assert all(problem is None for _, _, problem in found)


def test_a_cut_array_gives_its_rest_with_a_problem() -> None:
    found = [v for batch in split_values(iter([b'[{"a": 1}, {"b": "x']), 1) for v in batch]
    assert found[0] == (1, b'{"a": 1}', None)
    assert found[1][:2] == (2, b'{"b": "x') and found[1][2]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(VALUES, st.none(), st.integers(), TEXT), max_size=6),
    st.integers(1, 40),
)
def test_items_that_are_no_objects_are_not_passed_over(values, size) -> None:
    text = json.dumps(values, ensure_ascii=False)
    found = [v for batch in split_values(iter(blocks(text.encode(), size)), 1) for v in batch]
    assert [json.loads(text) for _, text, _ in found] == values
    assert [number for number, _, _ in found] == list(range(1, len(values) + 1))


def test_text_between_and_behind_values_is_kept() -> None:
    documents = [v for b in split_values(iter([b'{"a": 1}\nstray\n{"b": 2}']), 0) for v in b]
    assert [text for _, text, _ in documents] == [b'{"a": 1}', b"stray", b'{"b": 2}']
    array = [v for batch in split_values(iter([b'[{"a": 1}]\n{"b": 2}']), 1) for v in batch]
    assert [text for _, text, _ in array] == [b'{"a": 1}', b'{"b": 2}']
    assert array[0][2] is None and array[1][2]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(TEXT, min_size=2, max_size=2), min_size=1, max_size=6), st.integers(1, 40))
def test_csv_records_begin_where_they_begin(rows, size) -> None:
    out, starts = io.StringIO(), []
    for row in rows:
        starts.append(out.getvalue().count("\n") + 1)
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(row)
    data = out.getvalue().encode()
    lines, blanks, sound, cut = csv_record_lines(iter(blocks(data, size)))
    assert (lines, blanks, sound, cut) == (starts, set(), len(data), b"")


def test_csv_blank_lines_and_an_open_quote() -> None:
    lines, blanks, sound, cut = csv_record_lines(iter([b'a,b\n\n1,"2\n3"\r\n\r\n4,"never\n5']))
    assert (lines, blanks, sound, cut) == ([1, 2, 3, 5], {1, 3}, 16, b'4,"never\n5')
