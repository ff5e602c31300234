"""evalscope (ms-swift) predictions and reviews: two files of one run, joined by `index`.

Source: modelscope/evalscope, evalscope/api/evaluator/cache.py: `outputs/<time>/predictions|reviews/
<model>/<dataset>_<subset>.jsonl`.
Traps: rows come in order of completion; with repeats, `index` counts samples and the review's
`sample_score.group_id` says which belong together; the prediction's text is repeated in the review; a
review without its predictions is a run of its own. Before 1.0: `choices` at the top, reviews within.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format
from ingest.json_sql import (
    last_message,
    member,
    merged,
    numbers_of,
    object_of,
    text_of,
    verdict_of,
)
from ingest.sisters import first_line, groups_of, sister_sha256


def about(path: Path) -> Mapping[str, Any]:
    """Data set and model from the path, and the hash of the predictions, which is the run's key."""
    said: dict[str, Any] = {}
    kind = re.search(r"(predictions|reviews)(?!.*(predictions|reviews))", str(path))
    if not kind:
        return said
    tail = re.split(r"__|/", str(path)[kind.end() :].strip("_/"))
    name = tail[-1]
    while name.endswith((".jsonl", ".json")) or re.search(r"\.head\d+$", name):
        name = name.rpartition(".")[0]
    start, end = kind.span()
    others = {
        one: Path(str(path)[:start] + one + str(path)[end:]) for one in ("predictions", "reviews")
    }
    model = first_line(others["predictions"]).get("model")
    said["model"] = model or "/".join(tail[:-1])
    said["dataset_id"] = name
    if kind[1] == "reviews":
        said["predictions_sha256"] = sister_sha256(others["predictions"])
    said["groups"] = groups_of(others["reviews"])
    return {key: value for key, value in said.items() if value}


# With repeats, the reviews alone know which samples are rollouts of one problem.
_NATIVE = f"""
    coalesce(
        r.sample_score ->> '$.group_id',
        {member("(about -> 'groups')", "r.index")} ->> '$',
        r.index
    )
"""
_OUTPUT = "r.model_output"
_CONTENT = "json_extract(coalesce(r.model_output -> 'choices', r.choices), '$[0].message.content')"
_SCORES = "(r.sample_score -> '$.score.value')"
_MAIN_SCORE = member(
    _SCORES, f"coalesce(r.sample_score ->> '$.score.main_score_name', json_keys({_SCORES})[1])"
)
_QUESTION = last_message("r.messages", "user")
_EXAMPLE_MESSAGES = [{"role": "user", "content": "What is 3+4?"}]

PREDICTIONS = Format(
    name="evalscope",
    kind="outputs",
    title="evalscope predictions/<model>/<dataset>.jsonl, with its reviews",
    example={
        "index": 0,
        "model": "qwen-plus",
        "model_output": {
            "choices": [
                {"message": {"role": "assistant", "content": "ANSWER: 7"}, "stop_reason": "stop"}
            ],
            "usage": {"input_tokens": 20, "output_tokens": 4},
        },
        "messages": _EXAMPLE_MESSAGES,
    },
    fields={
        "index": "VARCHAR",
        "model": "VARCHAR",
        "model_output": "JSON",
        "messages": "JSON",
        "choices": "JSON",
        "sample_score": "JSON",
    },
    requires=("index", "model"),
    check=lambda sample: "model_output" in sample.fields or "choices" in sample.fields,
    about=about,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            {_QUESTION} as question,
            true as question_is_prompt,
        from records
        where r.index is not null
    """,
    responses=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            sha256 as shared_run_key,
            case
                when r.index is not null then row_number() over (
                    partition by sha256, {_NATIVE} order by try_cast(r.index as bigint), record_id
                )
            end as rollout_no,
            coalesce(nullif(r.model, ''), about ->> 'model') as model,
            'evalscope' as tool,
            {text_of(_CONTENT)}
                as response,
            coalesce(r.model_output ->> '$.choices[0].stop_reason', r.choices ->> '$[0].finish_reason')
                as finish_reason,
            {_OUTPUT} ->> 'error' as failure_reason,
            case when {_OUTPUT} ->> 'error' is not null then 'server_error' end as failure_kind,
            {_OUTPUT} ->> '$.usage.input_tokens' as input_tokens,
            {_OUTPUT} ->> '$.usage.input_tokens_cache_read' as cached_tokens,
            {_OUTPUT} ->> '$.usage.output_tokens' as output_tokens,
            {_OUTPUT} ->> '$.usage.reasoning_tokens' as reasoning_tokens,
            coalesce(r.model_output ->> 'time', r.model_output ->> '$.perf_metrics.latency')
                as latency_seconds,
            {
        merged(
            "extra",
            object_of(
                index="r.index",
                response_id="r.model_output -> 'id'",
                served_model="r.model_output -> 'model'",
                perf_metrics="r.model_output -> 'perf_metrics'",
                messages="r.messages",
            ),
        )
    } as metadata,
        from records
    """,
)

REVIEWS = Format(
    name="evalscope_reviews",
    kind="outputs",
    title="evalscope reviews/<model>/<dataset>.jsonl: golds, extracted answers and verdicts",
    example={
        "index": 0,
        "target": "7",
        "messages": [*_EXAMPLE_MESSAGES, {"role": "assistant", "content": "ANSWER: 7"}],
        "sample_score": {
            "score": {
                "value": {"acc": 1.0},
                "extracted_prediction": "7",
                "prediction": "ANSWER: 7",
            },
            "sample_id": 0,
            "group_id": 0,
        },
    },
    fields={
        "index": "VARCHAR",
        "target": "JSON",
        "messages": "JSON",
        "sample_score": "JSON",
        "model": "VARCHAR",
    },
    requires=("index", "target", "sample_score"),
    about=about,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            {_QUESTION} as question,
            true as question_is_prompt,
            r.target ->> '$' as gold_answer,
            {object_of(sample_metadata="r.sample_score -> 'sample_metadata'")} as metadata,
        from records
        where r.index is not null
    """,
    responses=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            coalesce(about ->> 'predictions_sha256', sha256) as shared_run_key,
            case
                when r.index is not null then row_number() over (
                    partition by sha256, {_NATIVE} order by try_cast(r.index as bigint), record_id
                )
            end as rollout_no,
            coalesce(nullif(r.model, ''), about ->> 'model') as model,
            'evalscope' as tool,
            case
                -- the predictions hold the reply as it was given
                when about ->> 'predictions_sha256' is null then coalesce(
                    {last_message("r.messages", "assistant")},
                    r.sample_score ->> '$.score.prediction'
                )
            end as response,
            r.sample_score ->> '$.score.extracted_prediction' as reported_answer,
            {verdict_of(_MAIN_SCORE)}
                as reported_correct,
            {numbers_of("(r.sample_score -> '$.score.value')")} as scores,
            {merged("extra", object_of(review="r.sample_score"))} as metadata,
        from records
    """,
)

REPORT = Format(
    name="evalscope_report",
    kind="outputs",
    title="evalscope reports/<model>/<dataset>.json: summary figures",
    example={
        "name": "qwen-plus@gsm8k",
        "dataset_name": "gsm8k",
        "model_name": "qwen-plus",
        "score": 0.5,
        "metrics": [{"name": "mean_acc", "num": 2, "score": 0.5}],
    },
    fields={
        "dataset_name": "VARCHAR",
        "model_name": "VARCHAR",
        "score": "VARCHAR",
        "metrics": "JSON",
        "num": "VARCHAR",
    },
    requires=("dataset_name", "model_name", "metrics"),
    metrics="""
        with figures as (
            select *, unnest(from_json(r.metrics, '["JSON"]')) as figure from records
        )
        select
            record_id,
            row_number() over (partition by record_id order by figure ->> 'name') as item,
            r.dataset_name as dataset_id,
            r.model_name as model,
            figure ->> 'name' as metric,
            figure ->> 'score' as value,
            coalesce(figure ->> 'num', r.num) as n_questions,
            json_merge_patch(coalesce(extra, '{}'), figure) as metadata,
        from figures
    """,
)

FORMATS = (PREDICTIONS, REVIEWS, REPORT)
