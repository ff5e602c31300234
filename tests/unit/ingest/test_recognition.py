"""A file that fits no format is told the nearest one and how to mend it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.errors import UnknownFormat
from ingest.field_names import meant
from ingest.formats import Sample, recognise


def complaint(kind: str, record: dict[str, Any]) -> str:
    with pytest.raises(UnknownFormat) as caught:
        recognise(Sample(Path("x.jsonl"), "lines", [record]), kind)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "record", "near", "mends"),
    [
        ("outputs", {"question": "", "reply": ""}, "native", ['rename "reply" to "response"']),
        ("outputs", {"id": "", "response": ""}, "native", ['rename "id" to "problem_id"']),
        ("outputs", {"problem_id": "", "respnse": ""}, "native", ['"respnse" to "response"']),
        # a problems format fits it, but it was said to hold outputs, and names alone differ
        (
            "outputs",
            {"id": "", "problem": "", "output": "", "answer": ""},
            "native",
            ['"output" to "response"', '"id" to "problem_id"'],
        ),
        ("outputs", {"foo": "", "bar": ""}, "native", ['"response"', '"problem_id"']),
        ("problems", {"question": "", "gold": ""}, "native_problems", ['"gold" to "gold_answer"']),
        (
            "embeddings",
            {"text": "", "vector": []},
            "native_embeddings",
            ['"vector" to "embedding"'],
        ),
        # clearly a tool's file, of which one field was lost
        ("outputs", {"doc_id": 1, "doc": {}, "target": ""}, "lm_eval", ['"resps" is missing']),
    ],
)
def test_the_nearest_format_and_the_mend_are_named(
    kind: str, record: dict[str, Any], near: str, mends: list[str]
) -> None:
    said = complaint(kind, record)
    assert f"The closest is {near}," in said
    for mend in mends:
        assert mend in said


def test_one_field_is_not_renamed_twice() -> None:
    said = complaint("concepts", {"problemid": 1})
    assert said.count("rename") == 1 and '"concepts"' in said


def test_names_of_different_things_are_not_taken_for_each_other() -> None:
    assert meant("response", ["level", "label", "subject"]) is None
    assert meant("level", ["label"]) is None
    assert meant("problem", ["problem_id"]) is None
    assert meant("response", ["Model_Output"]) == "Model_Output"
