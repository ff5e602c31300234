"""inspect_ai logs: `.eval` archives and `.json` documents, one record per sample and epoch.

Source: UKGovernmentBEIS/inspect_ai, src/inspect_ai/log/_log.py and _recorders/eval.py.
Traps: members of an archive are packed by DEFLATE or Zstandard; a crashed run has no header.json but
`_journal/start.json`; texts may read `attachment://<hash>` (`tc://<hash>` before 0.3.60) and stand under
`attachments` or `transcript.content`; content is a text or a list of parts; score values are C, I, P, N,
numbers, booleans or objects; input tokens leave out cached ones; a log may hold no samples.
A sample's events (transcripts, often the most of a log) stay in the file: their number is kept.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.archives import BROKEN, open_archive
from ingest.documents import children, members, record, to_json, whole_text
from ingest.formats import Format, Sample
from ingest.json_sql import (
    failure_kind,
    last_message,
    member,
    merged,
    object_of,
    text_of,
    utc,
    verdict_of,
    without,
)
from ingest.sisters import parsed
from ingest.sources import Source

_REFERENCE = re.compile(r"(?:attachment|tc)://([0-9a-f]{32})")
_LEFT_OUT = ("events", "transcript", "attachments", "message_pool", "call_pool", "events_data")
_SAMPLE = re.compile(r"(?:.*/)?samples/[^/]+\.json")


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """{"log": …, "sample": …} for every sample, in one pass; without samples, the log alone."""
    with source.open() as stream:
        is_archive = stream.read(4) == b"PK\x03\x04"
    found = _of_archive(source) if is_archive else _of_document(source, encoding)
    count = 0
    for log, sample, problem in found:
        if sample is None:
            if not count:
                yield record(log=log), problem
            continue
        count += 1
        yield (sample, problem) if problem else (record(log=log, sample=_resolved(sample)), None)


def _of_archive(source: Source) -> Iterator[tuple[bytes, bytes | None, str | None]]:
    with open_archive(source) as archive:
        names = archive.namelist()
        log = b"{}"
        for name in ("header.json", "_journal/start.json"):
            if name in names:
                log = archive.read(name)
                break
        for name in dict.fromkeys(names):
            if not _SAMPLE.fullmatch(name):
                continue
            try:
                yield log, archive.read(name), None
            except BROKEN as error:
                yield log, to_json({"member": name}), f"{name} cannot be read ({error})"
        yield log, None, None


def _of_document(source: Source, encoding: str) -> Iterator[tuple[bytes, bytes | None, str | None]]:
    document = members(whole_text(source, encoding))
    samples = document.pop("samples", b"[]")
    document.pop("reductions", None)
    log = record(**document) if all(name.isidentifier() for name in document) else b"{}"
    for _, sample, problem in children(samples):
        yield log, sample, problem
    yield log, None, None


def _resolved(text: bytes) -> bytes:
    """A sample with its attachments put in their places and its events left out."""
    sample = parsed(text)
    if not isinstance(sample, dict):
        return text
    transcript = sample.get("transcript")
    attached: dict[str, Any] = {}
    if isinstance(transcript, dict) and isinstance(transcript.get("content"), dict):
        attached |= transcript["content"]
    if isinstance(sample.get("attachments"), dict):
        attached |= sample["attachments"]
    events = sample.get("events")
    kept = {name: value for name, value in sample.items() if name not in _LEFT_OUT}
    if isinstance(events, list):
        kept["n_events"] = len(events)
    return json.dumps(_with_attached(kept, attached) if attached else kept).encode()


def _with_attached(value: Any, attached: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        found = _REFERENCE.fullmatch(value)
        return attached.get(found[1], value) if found else value
    if isinstance(value, list):
        return [_with_attached(item, attached) for item in value]
    if isinstance(value, dict):
        return {name: _with_attached(item, attached) for name, item in value.items()}
    return value


def _fits(sample: Sample) -> bool:
    names = sample.fields
    if sample.layout == "archive":
        return "header.json" in names or "_journal/start.json" in names
    return {"eval", "version"} <= names and bool({"samples", "results", "plan", "status"} & names)


_READ = f"""
    scored as (
        select
            *,
            coalesce(
                nullif(split_part(r.log ->> '$.eval.task', '/', -1), ''),
                r.log ->> '$.eval.dataset.name'
            ) as task,
            r.sample -> 'choices' as choices,
            case when json_type(r.sample -> 'target') = 'ARRAY'
                then r.sample ->> '$.target[0]' else r.sample ->> '$.target' end as target,
            coalesce(
                r.log ->> '$.eval.scorers[0].name', r.log ->> '$.results.scores[0].name',
                json_keys(r.sample -> 'scores')[1]
            ) as scorer,
        from records
        where json_type(r.sample) = 'OBJECT'
    ),
    read as (
        select
            *,
            coalesce(
                {member("(r.sample -> 'scores')", "scorer")},
                {member("(r.sample -> 'scores')", "json_keys(r.sample -> 'scores')[1]")},
                r.sample -> 'score'
            ) as score,
            coalesce(
                {member("(r.sample -> 'model_usage')", "(r.log ->> '$.eval.model')")},
                r.sample -> '$.output.usage'
            ) as usage,
        from scored
    )
"""

FORMAT = Format(
    name="inspect_ai",
    kind="outputs",
    title="inspect_ai logs: .eval archives and .json documents",
    example={
        "version": 2,
        "status": "success",
        "eval": {"task": "addition", "model": "openai/gpt-4o-mini", "eval_id": "e1"},
        "samples": [
            {
                "id": 1,
                "epoch": 1,
                "input": "What is 3+4?",
                "target": "7",
                "output": {"choices": [{"message": {"content": "7"}, "stop_reason": "stop"}]},
                "scores": {"match": {"value": "C", "answer": "7"}},
            }
        ],
    },
    fields={"log": "JSON", "sample": "JSON"},
    check=_fits,
    unpack=unpack,
    problems=f"""
        with {_READ}
        select
            record_id,
            task as dataset_id,
            r.sample ->> 'id' as native_id,
            case
                when json_type(r.sample -> 'input') = 'ARRAY'
                then {last_message("(r.sample -> 'input')", "user")}
                else r.sample ->> 'input'
            end as question,
            trim(target) as gold_answer,
            json_type(r.sample, '$.target') is distinct from 'UBIGINT' as gold_is_text,
            case when json_type(choices) = 'ARRAY' then choices end as choices,
            case when json_type(choices) = 'ARRAY' then 'choice' end as answer_type,
            r.sample ->> '$.metadata.subject' as subject,
            r.sample ->> '$.metadata.level' as level,
            {
        object_of(
            metadata="r.sample -> 'metadata'",
            targets="case when json_type(r.sample -> 'target') = 'ARRAY' then r.sample -> 'target' end",
            input="case when json_type(r.sample -> 'input') = 'ARRAY' then r.sample -> 'input' end",
        )
    }
                as metadata,
        from read
    """,
    responses=f"""
        with {_READ}
        select
            record_id,
            task as dataset_id,
            r.sample ->> 'id' as native_id,
            r.sample ->> 'epoch' as rollout_no,
            coalesce(
                r.log ->> '$.eval.eval_id',
                (r.log ->> '$.eval.run_id') || '/' || (r.log ->> '$.eval.task_id')
            ) as shared_run_key,
            r.log ->> '$.eval.model' as model,
            {
        merged(
            "r.log -> '$.plan.config'",
            "r.log -> '$.eval.model_generate_config'",
            "r.log -> '$.eval.config'",
            object_of(model_args="r.log -> '$.eval.model_args'", plan="r.log -> '$.plan.steps'"),
        )
    } as settings,
            'inspect_ai' as tool,
            r.log ->> '$.eval.packages.inspect_ai' as tool_version,
            {
        utc("coalesce(r.log ->> '$.stats.started_at', r.log ->> '$.eval.created')")
    } as started_at,
            {
        object_of(
            status="r.log -> 'status'",
            error="r.log -> 'error'",
            version="r.log -> 'version'",
            eval=without("(r.log -> 'eval')", "config", "model_args"),
            stats="r.log -> 'stats'",
        )
    } as run_metadata,
            coalesce(
                {text_of("json_extract(r.sample, '$.output.choices[0].message.content')")},
                nullif(r.sample ->> '$.output.completion', ''),
                case
                    when json_array_length(r.sample -> '$.output.choices') > 0
                    then {last_message("(r.sample -> 'messages')", "assistant")}
                end
            ) as response,
            score ->> 'answer' as reported_answer,
            {verdict_of("json_extract(score, '$.value')")} as reported_correct,
            r.sample ->> '$.output.choices[0].stop_reason' as finish_reason,
            {
        failure_kind("coalesce(r.sample ->> '$.error.message', r.sample ->> '$.output.error')")
    }
                as failure_kind,
            coalesce(r.sample ->> '$.error.message', r.sample ->> '$.output.error') as failure_reason,
            greatest(
                try_cast(usage ->> 'input_tokens' as bigint),
                try_cast(usage ->> 'total_tokens' as bigint)
                    - try_cast(usage ->> 'output_tokens' as bigint)
            ) as input_tokens,
            usage ->> 'input_tokens_cache_read' as cached_tokens,
            usage ->> 'output_tokens' as output_tokens,
            usage ->> 'reasoning_tokens' as reasoning_tokens,
            coalesce(usage ->> 'total_cost', r.sample ->> 'total_cost') as cost_usd,
            coalesce(
                r.sample ->> 'working_time', r.sample ->> 'total_time', r.sample ->> '$.output.time'
            ) as latency_seconds,
            {without("r.sample", "id", "epoch", "input", "target", "choices")} as metadata,
        from read
    """,
    metrics="""
        with scorers as (
            -- a log without samples and figures counts as read: its NULL is no figure
            select *, unnest(coalesce(nullif(from_json(r.log -> '$.results.scores', '["JSON"]'), []),
                [null])) as scorer
            from records
            where line = 1
        ),
        figures as (
            select *, unnest(coalesce(nullif(json_keys(scorer -> 'metrics'), []), [null])) as metric
            from scorers
        )
        select
            record_id,
            row_number() over (partition by record_id order by scorer ->> 'name', metric) as item,
            nullif(split_part(r.log ->> '$.eval.task', '/', -1), '') as dataset_id,
            r.log ->> '$.eval.model' as model,
            metric,
            scorer ->> 'name' as variant,
            (json_member(scorer -> 'metrics', metric) ->> 'value') as value,
            case when metric in ('accuracy', 'mean')
                then scorer ->> '$.metrics.stderr.value' end as std_error,
            coalesce(scorer ->> 'scored_samples', r.log ->> '$.results.completed_samples') as n_questions,
            json_object('status', r.log -> 'status', 'eval', r.log -> 'eval') as metadata,
        from figures
    """,
)
