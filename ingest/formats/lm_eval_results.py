"""lm-evaluation-harness `results_<time>.json`: the summary figures of a run, no replies.

Source: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py.
Traps: keys read "metric,filter" and "metric_stderr,filter" (before 0.4: "metric", "metric_stderr");
a standard error may be the text "N/A"; groups stand beside their tasks.
"""

from collections.abc import Iterator
from typing import Any

from ingest.documents import to_json, whole_text
from ingest.formats import Format, Sample
from ingest.formats.lm_eval import results_about
from ingest.sisters import parsed
from ingest.sources import Source


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """One record per task: its figures and what the file says of the run."""
    document = parsed(whole_text(source, encoding))
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, dict):
        yield to_json(document), "no `results` object with figures in it"
        return
    for task, figures in results.items():
        record = {
            "task": task,
            "figures": figures if isinstance(figures, dict) else {"value": figures},
            "run": results_about(document, task),
            "n_samples": (document.get("n-samples") or {}).get(task),
        }
        yield to_json(record), None


def _fits(sample: Sample) -> bool:
    def fits(record: dict[str, Any]) -> bool:
        return isinstance(record["results"], dict) and isinstance(record["config"], dict)

    return sample.every(fits) and bool({"versions", "n-shot", "configs"} & sample.fields)


FORMAT = Format(
    name="lm_eval_results",
    kind="outputs",
    title="lm-evaluation-harness results_<time>.json: summary figures and settings",
    example={
        "results": {
            "gsm8k": {"exact_match,strict-match": 0.5, "exact_match_stderr,strict-match": 0.1}
        },
        "versions": {"gsm8k": 3},
        "config": {"model": "hf", "model_args": "pretrained=my/model"},
        "model_name": "my/model",
    },
    fields={"task": "VARCHAR", "figures": "JSON", "run": "JSON", "n_samples": "JSON"},
    requires=("results", "config"),
    check=_fits,
    unpack=unpack,
    metrics="""
        with keyed as (
            select *, unnest(json_keys(r.figures)) as key
            from records
        ),
        named as (
            select
                *,
                split_part(key, ',', 1) as metric,
                nullif(split_part(key, ',', 2), '') as variant,
                json_member(r.figures, key) as figure,
            from keyed
        )
        select
            record_id,
            row_number() over (partition by record_id order by key) as item,
            r.task as dataset_id,
            r.run ->> 'model' as model,
            r.run ->> 'prompt' as prompt,
            metric,
            variant,
            figure ->> '$' as value,
            try_cast(
                json_member(r.figures, metric || '_stderr' || coalesce(',' || variant, '')) ->> '$'
                as double
            ) as std_error,
            r.n_samples ->> 'effective' as n_questions,
            r.run as metadata,
        from named
        where json_type(figure) in ('DOUBLE', 'UBIGINT', 'BIGINT') and not contains(metric, '_stderr')
    """,
)
