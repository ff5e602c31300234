"""A file of every format, made of its example, in the container the tool writes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.formats import Format, all_formats

# Formats whose files are not JSON lines.
_ARRAYS = {"helm_stats"}
_NAMES = {
    "lm_eval": "samples_gsm8k_2025-09-09T13-31-53.431753.jsonl",
    "lm_eval_results": "results_2025-09-09T13-31-53.431753.json",
    "evalscope": "predictions/qwen-plus/gsm8k_main.jsonl",
    "evalscope_reviews": "reviews/qwen-plus/gsm8k_main.jsonl",
    "evalscope_report": "reports/qwen-plus/gsm8k.json",
    "nemo_skills": "eval-results/gsm8k/output-rs0.jsonl",
    "opencompass": "predictions/my-model/gsm8k.json",
    "opencompass_results": "results/my-model/gsm8k.json",
    "helm": "scenario_state.json",
    "helm_stats": "stats.json",
    "helm_run_spec": "run_spec.json",
    "matharena": "aime/my-model/1.json",
    "mctsr": "gsm8k-my-model-8/jsons/abc.json",
    "simple_evals": "math_my-model_20250101_101500_allresults.json",
    "ovm": "gsm8k_responses_n2_my-model.jsonl",
    "math_odyssey_outputs": "odyssey_my-model_raw.jsonl",
    "math_odyssey_graded": "result-my-model-solution-clean.jsonl",
    "mgsm": "mgsm_en.tsv",
    "mmlu_csv": "abstract_algebra_test.csv",
    "gpqa": "gpqa_diamond.csv",
    "answer_csv": "answers.csv",
    "lighteval": "details/my-org/my-model/2026-01-01T10-00-00/details_lighteval|add|0_2026-01-01T10-00-00.parquet",
}


def write_example(form: Format, folder: Path, records: list[Any] | None = None) -> Path:
    """Write `records` (default: the example) as a file of the format; returns its path."""
    path = folder / _NAMES.get(form.name, f"{form.name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    content = content_of(form, records if records is not None else [form.example])
    path.write_bytes(content)
    return path


def content_of(form: Format, records: list[Any]) -> bytes:
    """The bytes of a file of the format that holds the records."""
    if form.name == "lighteval":
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(records), buffer)
        return buffer.getvalue()
    if _NAMES.get(form.name, "").endswith((".csv", ".tsv")):
        text = io.StringIO()
        delimiter = "\t" if form.name == "mgsm" else ","
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        if not form.columns:
            writer.writerow(records[0].keys())
        writer.writerows(record.values() for record in records)
        return text.getvalue().encode()
    if form.name in _ARRAYS:
        return json.dumps(records).encode()
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def eval_archive(path: Path, log: dict[str, Any], compression: int, packer: Any = zipfile) -> Path:
    """An inspect_ai archive of a log document; without `status`, one of a crashed run."""
    head = {name: value for name, value in log.items() if name != "samples"}
    with packer.ZipFile(path, "w", compression) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log["eval"]}))
        for sample in log["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
        if "status" in log:
            archive.writestr("summaries.json", "[]")
            archive.writestr("header.json", json.dumps(head))
    return path


def every_format() -> list[str]:
    return list(all_formats())
