"""DeepSeek-Math `outputs/<model>/<task>/…/predictions.json`, and its summaries.

Source: deepseek-ai/DeepSeek-Math, evaluation/infer/run_cot_eval.py, run_pal_eval.py, summarize_results.py.
Traps: one JSON array, or lines; `prediction`, `answer` and `model_output` may be lists; the model stands in
the folder; the summary holds tasks with `n_samples` 0 and placeholder accuracies (miniF2F 1.0), so a
figure without samples is none.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.documents import to_json, whole_text
from ingest.formats import Format, Sample
from ingest.json_sql import last_message, list_of, merged, object_of, verdict_of
from ingest.sisters import parsed
from ingest.sources import Source


def about(path: Path) -> Mapping[str, Any]:
    """`outputs/<model>/<task>/…`: model and data set."""
    parts = list(path.parts)
    if "outputs" in parts[:-2]:
        rest = parts[len(parts) - parts[::-1].index("outputs") : -1]
        if len(rest) >= 2:
            return {"model": rest[0], "dataset_id": rest[1]}
    return {}


_ANSWER = (
    "case when json_type(r.answer) = 'ARRAY' then r.answer ->> '$[0]' else r.answer ->> '$' end"
)

PREDICTIONS = Format(
    name="deepseek_math",
    kind="outputs",
    title="DeepSeek-Math predictions.json: messages, model_output, prediction, answer",
    example={
        "id": "0",
        "messages": [{"role": "user", "content": "What is $3+4$?"}],
        "model_output": "It is $\\boxed{7}$.",
        "prediction": "7",
        "answer": "7",
        "accuracy": True,
    },
    fields={
        "id": "VARCHAR",
        "dataset": "VARCHAR",
        "messages": "JSON",
        "question": "VARCHAR",
        "model_output": "JSON",
        "prediction": "JSON",
        "answer": "JSON",
        "accuracy": "JSON",
        "program_accuracy": "JSON",
    },
    requires=("model_output", "prediction", "answer"),
    about=about,
    problems=f"""
        select
            record_id,
            coalesce(r.id, line::varchar) as native_id,
            nullif(r.dataset, '') as dataset_id,
            coalesce({last_message("r.messages", "user")}, r.question) as question,
            r.question is null as question_is_prompt,
            {_ANSWER} as gold_answer,
            case when json_type(r.answer) = 'ARRAY' then json_object('answers', r.answer) end as metadata,
        from records
    """,
    responses=f"""
        with lists as (
            select
                *,
                {list_of("r.model_output")} as replies,
                {list_of("r.prediction")} as predicted,
                {list_of("r.accuracy")} as verdicts,
            from records
        ),
        rollouts as (select *, unnest(range(1, len(replies) + 1)) as n from lists)
        select
            record_id,
            n as item,
            n as rollout_no,
            coalesce(r.id, line::varchar) as native_id,
            nullif(r.dataset, '') as dataset_id,
            about ->> 'model' as model,
            'DeepSeek-Math' as tool,
            replies[n] ->> '$' as response,
            -- one reply may have several predicted answers
            case when len(replies) = 1 and len(predicted) > 1 then r.prediction ->> '$'
                else predicted[n] ->> '$' end as reported_answer,
            {verdict_of("verdicts[n]")} as reported_correct,
            {merged("extra", object_of(program_accuracy="r.program_accuracy", messages="r.messages"))}
                as metadata,
        from rollouts
    """,
)


def _figures(value: Any, path: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    if not isinstance(value, dict):
        return
    numbers = {
        name: one
        for name, one in value.items()
        if isinstance(one, int | float) and not isinstance(one, bool)
    }
    if "n_samples" in numbers:
        names = [*path, *[""] * 3][:3]
        figures = {name: one for name, one in numbers.items() if name != "n_samples"}
        yield {
            "path": list(path),
            "model": names[0],
            "task": names[1],
            "mode": names[2],
            "n_samples": value["n_samples"],
            "figures": figures if numbers["n_samples"] else {},
        }
        return
    for name, one in value.items():
        yield from _figures(one, (*path, name))


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """One record per model, task and mode."""
    document = parsed(whole_text(source, encoding))
    found = False
    for figure in _figures(document):
        found = True
        yield to_json(figure), None
    if not found:
        yield to_json(document), "no figures with n_samples in it"


def _is_summary(sample: Sample) -> bool:
    return len(sample.records) == 1 and any(True for _ in _figures(sample.records[0]))


SUMMARY = Format(
    name="deepseek_math_results",
    kind="outputs",
    title="DeepSeek-Math evaluation_results.json and metrics.json: summary figures",
    example={"my-model": {"gsm8k-test": {"cot": {"accuracy": 0.5, "n_samples": 1319}}}},
    fields={
        "model": "VARCHAR",
        "task": "VARCHAR",
        "mode": "VARCHAR",
        "n_samples": "VARCHAR",
        "figures": "JSON",
    },
    check=_is_summary,
    about=about,
    unpack=unpack,
    metrics="""
        with keyed as (
            select *, unnest(coalesce(nullif(json_keys(r.figures), []), [null])) as metric from records
        )
        select
            record_id,
            row_number() over (partition by record_id order by metric) as item,
            coalesce(nullif(r.task, ''), about ->> 'dataset_id') as dataset_id,
            coalesce(nullif(r.model, ''), about ->> 'model') as model,
            metric,
            nullif(r.mode, '') as variant,
            (json_member(r.figures, metric) ->> '$') as value,
            r.n_samples as n_questions,
        from keyed
    """,
)

FORMATS = (PREDICTIONS, SUMMARY)
