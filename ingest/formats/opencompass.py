"""OpenCompass `predictions/<model>/<dataset>.json`: one object, its keys the positions.

Source: open-compass/opencompass, opencompass/openicl/icl_inferencer; a running task writes `tmp_*.json`.
Traps: model and data set stand in the path; big sets come in shards `<dataset>_<n>.json` that each count
from 0; a prediction may be a list (of k); prompts are texts or lists of HUMAN and BOT; LawBench calls the
gold `refr`; verdicts stand in `results/`, and only where details were dumped.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.documents import children, record, whole_text
from ingest.formats import Format, Sample
from ingest.json_sql import list_of, object_of, verdict_of
from ingest.sisters import sister_sha256, there
from ingest.sources import Source

_SHARD = re.compile(r"(?P<dataset>.+)_(?P<shard>\d+)")


def about(path: Path) -> Mapping[str, Any]:
    """Model, data set and shard from the path; the predictions of a result file by their hash."""
    kind = next((one for one in ("predictions", "results") if one in path.parts), None)
    if kind is None:
        return {}
    said: dict[str, Any] = {"model": path.parent.name, "dataset_id": path.stem}
    found = _SHARD.fullmatch(path.stem)
    if found and there(path.with_name(f"{found['dataset']}_0.json")).exists():
        whole = there(path.with_name(f"{found['dataset']}.json"))
        if not whole.exists():
            said |= {"dataset_id": found["dataset"], "shard": found["shard"]}
            first = path.with_name(f"{found['dataset']}_0.json")
            said["run_sha256"] = sister_sha256(first)
    if kind == "results":
        parts = ["predictions" if part == "results" else part for part in path.parts]
        said["predictions_sha256"] = sister_sha256(Path(*parts))
    return {name: value for name, value in said.items() if value is not None}


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """{"key": …, "item": …} for every member of the object."""
    for key, value, problem in children(whole_text(source, encoding)):
        if key is None:
            yield value, problem or "an item without its key"
        elif problem:
            yield value, problem
        else:
            yield record(key=key, item=value), None


def _fits(sample: Sample) -> bool:
    def fits(item: dict[str, Any]) -> bool:
        values = [value for value in item.values() if isinstance(value, dict) and value]
        return bool(values) and all(
            "prediction" in value and ("origin_prompt" in value or "gold" in value)
            for value in values
        )

    return sample.every(fits)


_NATIVE = "coalesce((about ->> 'shard') || ':', '') || r.key"
_GOLD = (
    "coalesce(r.item -> 'gold', r.item -> 'refr', r.item -> 'reference', r.item -> 'references', "
    "r.item -> 'answer')"
)

PREDICTIONS = Format(
    name="opencompass",
    kind="outputs",
    title="OpenCompass predictions/<model>/<dataset>.json: one object of numbered items",
    example={
        "0": {
            "origin_prompt": [{"role": "HUMAN", "prompt": "What is 3+4?"}],
            "prediction": "7",
            "gold": "7",
        }
    },
    fields={"key": "VARCHAR", "item": "JSON"},
    check=_fits,
    about=about,
    unpack=unpack,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            case
                when json_type(r.item -> 'origin_prompt') = 'ARRAY'
                then list_filter(from_json(r.item -> 'origin_prompt', '["JSON"]'),
                    lambda part: part ->> 'role' = 'HUMAN')[-1] ->> 'prompt'
                else r.item ->> 'origin_prompt'
            end as question,
            true as question_is_prompt,
            case when json_type({_GOLD}) = 'ARRAY' then {_GOLD} ->> '$[0]' else {_GOLD} ->> '$' end
                as gold_answer,
            case when json_type({_GOLD}) in ('ARRAY', 'OBJECT')
                then json_object('gold', {_GOLD}) end as metadata,
        from records
    """,
    responses=f"""
        with lists as (select *, {list_of("r.item -> 'prediction'")} as replies from records),
        rollouts as (
            select *, unnest(range(1, greatest(coalesce(len(replies), 0), 1) + 1)) as n from lists
        )
        select
            record_id,
            n as item,
            n as rollout_no,
            {_NATIVE} as native_id,
            coalesce(about ->> 'run_sha256', sha256) as shared_run_key,
            about ->> 'model' as model,
            'OpenCompass' as tool,
            nullif(replies[n] ->> '$', '') as response,
            r.item ->> 'res_length' as output_tokens,
            json_merge_patch(r.item, '{{"prediction": null, "gold": null, "refr": null}}') as metadata,
        from rollouts
    """,
)


def unpack_results(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """The figures first, then every item of `details`, where there are any."""
    figures: dict[bytes, bytes] = {}
    details = b"{}"
    for key, value, problem in children(whole_text(source, encoding)):
        if key == b'"details"':
            details = value
        elif key is not None and not problem:
            figures[key] = value
    inner = b",".join(key + b":" + value for key, value in figures.items())
    yield record(figures=b"{" + inner + b"}"), None
    for position, (key, value, problem) in enumerate(children(details)):
        if key == b'"type"':
            continue
        name = key if key is not None else json.dumps(str(position)).encode()
        yield (value, problem) if problem else (record(key=name, item=value), None)


RESULTS = Format(
    name="opencompass_results",
    kind="outputs",
    title="OpenCompass results/<model>/<dataset>.json: summary figures, and details where dumped",
    example={
        "accuracy": 50.0,
        "details": {"0": {"pred": "7", "answer": "7", "correct": True}},
    },
    fields={"key": "VARCHAR", "item": "JSON", "figures": "JSON"},
    check=lambda sample: (
        sample.layout in ("documents", "lines")
        and len(sample.records) == 1
        and (
            ("details" in sample.fields and bool({"accuracy", "score"} & sample.fields))
            or (
                "results" in sample.path.parts
                and all(isinstance(value, int | float) for value in sample.records[0].values())
            )
        )
    ),
    about=about,
    unpack=unpack_results,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            coalesce(r.item ->> 'gold', r.item ->> 'answer', r.item ->> 'references',
                r.item ->> '$.references[0]') as gold_answer,
        from records
        where r.item is not null and about ->> 'predictions_sha256' is null
    """,
    responses=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            coalesce(about ->> 'predictions_sha256', sha256) as shared_run_key,
            about ->> 'model' as model,
            1 as rollout_no,
            'OpenCompass' as tool,
            case
                -- the predictions hold the reply as it was given; without them this is all there is
                when about ->> 'predictions_sha256' is null then coalesce(
                    r.item ->> 'origin_prediction', r.item ->> 'prediction', r.item ->> 'predictions',
                    r.item ->> '$.pred[0]', r.item ->> 'pred'
                )
            end as response,
            coalesce(r.item ->> '$.pred[0]', r.item ->> 'pred') as reported_answer,
            {verdict_of("coalesce(r.item -> '$.correct[0]', r.item -> 'correct')")} as reported_correct,
            {object_of(details="r.item")} as metadata,
        from records
        where r.item is not null
    """,
    metrics="""
        with keyed as (
            -- a file without figures counts as read: its NULL is no figure
            select *, unnest(coalesce(nullif(json_keys(r.figures), []), [null])) as metric from records
        )
        select
            record_id,
            row_number() over (partition by record_id order by metric) as item,
            about ->> 'model' as model,
            case when json_type(json_member(r.figures, metric))
                in ('DOUBLE', 'UBIGINT', 'BIGINT') then metric end as metric,
            (json_member(r.figures, metric) ->> '$') as value,
        from keyed
        where r.item is null
            and (
                metric is null
                or json_type(json_member(r.figures, metric)) in ('DOUBLE', 'UBIGINT', 'BIGINT')
            )
    """,
)

FORMATS = (PREDICTIONS, RESULTS)
