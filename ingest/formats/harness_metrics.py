"""Summary files of math-evaluation-harness, Qwen2.5-Math and ToRA: `<run>_metrics.json`, `<run>.metrics`.

Source: QwenLM/Qwen2.5-Math, evaluation/evaluate.py; microsoft/ToRA, src/eval/evaluate.py.
Traps: ToRA's is text, with lists and dictionaries as Python writes them; figures are percentages.
"""

import ast
from collections.abc import Iterator
from typing import Any

from ingest.documents import to_json, whole_text
from ingest.formats import Format, Sample
from ingest.sisters import parsed
from ingest.sources import Source

_COUNTS = ("num_samples", "num_scores", "timeout_samples", "empty_samples")


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """One record: {"metrics": {name: number}, "all": everything the file says}."""
    text = whole_text(source, encoding)
    document = parsed(text)
    said = document if isinstance(document, dict) else _of_text(text.decode("utf-8", "replace"))
    if not said:
        yield to_json({"text": text.decode("utf-8", "replace")[:1000]}), "no figures in it"
        return
    yield to_json({"all": said, "metrics": dict(_numbers(said))}), None


def _of_text(text: str) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            try:
                said[name.strip().lower().replace(" ", "_")] = ast.literal_eval(value.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                said[name.strip().lower().replace(" ", "_")] = value.strip()
    return said


def _numbers(said: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in said.items():
        values = value if isinstance(value, dict) else {None: value}
        for key, one in values.items():
            if isinstance(one, list) and len(one) == 1:
                one = one[0]
            if isinstance(one, int | float) and not isinstance(one, bool) and name not in _COUNTS:
                yield name if key is None else f"{name}: {key}", float(one)


def _fits(sample: Sample) -> bool:
    if sample.text.lstrip().startswith("Num samples:"):
        return True
    return {"num_samples", "num_scores"} <= sample.fields and len(sample.records) == 1


FORMAT = Format(
    name="harness_metrics",
    kind="outputs",
    title="math-evaluation-harness <run>_metrics.json and ToRA <run>.metrics: summary figures",
    example={"num_samples": 2, "num_scores": 2, "empty_samples": 0, "acc": 50.0},
    fields={"all": "JSON", "metrics": "JSON"},
    check=_fits,
    unpack=unpack,
    metrics="""
        with keyed as (
            select *, unnest(coalesce(nullif(json_keys(r.metrics), []), [null])) as metric from records
        )
        select
            record_id,
            row_number() over (partition by record_id order by metric) as item,
            metric,
            (json_member(r.metrics, metric) ->> '$') as value,
            r."all" ->> 'num_samples' as n_questions,
            r."all" as metadata,
        from keyed
    """,
)
