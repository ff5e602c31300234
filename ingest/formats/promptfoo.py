"""promptfoo results (`promptfoo eval -o results.json`, versions 2 and 3, and JSON lines).

Source: promptfoo/promptfoo, src/types/index.ts (EvaluateSummaryV3, EvaluateResult).
Traps: provider and prompt together are the system under test, so each pair is a run; repeats of one test
are rollouts; `error` also holds a failed assertion's reason, and only `failureReason` 2 is an error;
the gold is in the assertion, and only if it compares for equality or containment.
"""

from collections.abc import Iterator

from ingest.documents import children, members, record, whole_text
from ingest.formats import Format, Sample
from ingest.json_sql import failure_kind, merged, object_of, utc, verdict_of, without
from ingest.sources import Source


def unpack(source: Source, encoding: str) -> Iterator[tuple[bytes, str | None]]:
    """{"result": …, "eval": …} for every result."""
    text = whole_text(source, encoding)
    document = members(text)
    inner = members(document.get("results", b"{}"))
    eval_text = record(
        evalId=document.get("evalId", b"null"),
        timestamp=inner.get("timestamp", b"null"),
        config=document.get("config", b"null"),
        version=inner.get("version", b"null"),
        metadata=document.get("metadata", b"null"),
    )
    for _, result, problem in children(inner.get("results", b"[]")):
        yield (result, problem) if problem else (record(result=result, eval=eval_text), None)


def _fits(sample: Sample) -> bool:
    return sample.every(
        lambda one: (
            isinstance(one["results"], dict)
            and "results" in one["results"]
            and bool({"version", "stats", "prompts", "timestamp"} & one["results"].keys())
        )
    )


_EQUALITY = (
    "list_filter(from_json(coalesce(r.result -> '$.testCase.assert', '[]'), '[\"JSON\"]'), "
    "lambda one: one ->> 'type' in ('equals', 'contains', 'icontains', 'answer-equivalence') "
    "and json_type(one -> 'value') <> 'ARRAY')[1] ->> 'value'"
)
_NATIVE = "coalesce(r.result ->> 'testIdx', left(md5(r.result ->> 'vars'), 12))"
_VARS = "coalesce(r.result -> 'vars', r.result -> '$.testCase.vars')"
_PROVIDER = "coalesce(r.result ->> '$.provider.id', r.result ->> 'provider')"
_IS_ERROR = "(coalesce(r.result ->> 'failureReason', '') = '2' or r.result ->> '$.response.error' is not null)"

FORMAT = Format(
    name="promptfoo",
    kind="outputs",
    title="promptfoo results.json (versions 2 and 3)",
    example={
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "timestamp": "2026-04-22T15:48:05Z",
            "results": [
                {
                    "testIdx": 0,
                    "promptIdx": 0,
                    "provider": {"id": "openai:chat:gpt-4o-mini"},
                    "prompt": {"raw": "3+4?", "label": "{{question}}"},
                    "vars": {"question": "3+4?"},
                    "response": {"output": "7", "tokenUsage": {"prompt": 5, "completion": 1}},
                    "testCase": {"assert": [{"type": "equals", "value": "7"}]},
                    "success": True,
                    "failureReason": 0,
                }
            ],
        },
    },
    fields={"result": "JSON", "eval": "JSON"},
    requires=("results",),
    check=_fits,
    unpack=unpack,
    problems=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            coalesce({_VARS} ->> 'question', {_VARS} ->> 'problem', {_VARS} ->> 'input',
                r.result ->> '$.prompt.raw') as question,
            coalesce({_VARS} ->> 'question', {_VARS} ->> 'problem', {_VARS} ->> 'input') is null
                as question_is_prompt,
            coalesce(
                {_EQUALITY},
                {_VARS} ->> 'expected', {_VARS} ->> 'answer', {_VARS} ->> 'gold', {_VARS} ->> 'target'
            ) as gold_answer,
            {object_of(testCase="r.result -> 'testCase'")} as metadata,
        from records
        where {_NATIVE} is not null
    """,
    responses=f"""
        select
            record_id,
            {_NATIVE} as native_id,
            concat_ws('|', {
        _PROVIDER
    }, coalesce(r.result ->> 'promptIdx', r.result ->> '$.prompt.label'))
                as run_key,
            coalesce(nullif(r.result ->> '$.provider.label', ''), {_PROVIDER}) as model,
            coalesce(r.result ->> '$.prompt.label', r.result ->> '$.prompt.raw') as prompt,
            {
        object_of(provider="r.result -> 'provider'", providers="r.eval -> '$.config.providers'")
    }
                as settings,
            'promptfoo' as tool,
            r.eval ->> '$.metadata.promptfooVersion' as tool_version,
            {utc("(r.eval ->> 'timestamp')")} as started_at,
            {
        merged(
            object_of(
                evalId="r.eval -> 'evalId'",
                config="r.eval -> 'config'",
                results_version="r.eval -> 'version'",
            )
        )
    } as run_metadata,
            case
                when json_type(r.result -> '$.response.output') in ('OBJECT', 'ARRAY')
                then (r.result -> '$.response.output')::varchar
                else nullif(r.result ->> '$.response.output', '')
            end as response,
            {verdict_of("(r.result -> 'success')")} as reported_correct,
            r.result ->> '$.response.finishReason' as finish_reason,
            case when {_IS_ERROR} then coalesce({
        failure_kind("coalesce(r.result ->> '$.response.error', r.result ->> 'error')")
    }, 'server_error') end as failure_kind,
            case when {_IS_ERROR}
                then coalesce(r.result ->> '$.response.error', r.result ->> 'error') end as failure_reason,
            r.result ->> '$.response.tokenUsage.prompt' as input_tokens,
            r.result ->> '$.response.tokenUsage.cached' as cached_tokens,
            r.result ->> '$.response.tokenUsage.completion' as output_tokens,
            coalesce(r.result ->> 'cost', r.result ->> '$.response.cost') as cost_usd,
            try_cast(r.result ->> 'latencyMs' as double) / 1000 as latency_seconds,
            {without("r.result", "testCase", "vars", "provider")} as metadata,
        from records
    """,
)
