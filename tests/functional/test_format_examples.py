"""The example every format shows is recognised as that format and loads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.formats import all_formats
from ingest.load import load

PROJECT_FORMATS = (
    "cmath college_math gsm8k gsm8k_solutions gsm_hard math math_odyssey math_odyssey_outputs mmlu_stem "
    "msu_study native native_embeddings native_problems olympiadbench qwen25_math scmath6 scmath6_problems"
).split()


@pytest.mark.parametrize("name", PROJECT_FORMATS)
def test_example(tmp_path: Path, name: str) -> None:
    form = all_formats()[name]
    path = tmp_path / "example.jsonl"
    path.write_text(json.dumps(form.example, ensure_ascii=False) + "\n", encoding="utf-8")
    (report,) = load(tmp_path / "w.duckdb", form.kind, [path])
    assert report.error is None
    assert (report.source_format, report.rows_loaded) == (name, 1), report.rejects
