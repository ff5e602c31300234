"""OpenAI Batch API: results and error files of /v1/chat/completions and /v1/responses, and requests.

Source: OpenAI's API reference, "Batch" (the request input and output objects).
Traps: the order of results is any; failed requests stand in a file of their own, where `response` is
null or carries a status of 400 and more; the two APIs name tokens differently and cached tokens are
part of the input; with n > 1 the usage is of all choices together; questions stand in the file of
requests alone, which joins on `custom_id`, so load it too, under the same dataset. Requests that
`mathmart solve --batch` wrote say in their custom_id to which run, rollout and problem they belong.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format
from ingest.json_sql import failure_kind, last_message, list_of, object_of, text_of

# batch_abc_output.jsonl, batch_abc_error.jsonl and batch_abc_input.jsonl belong together.
_ROLE = re.compile(r"[-_.]?(?:input|requests?|tasks?|outputs?|results?|errors?)$", re.IGNORECASE)
# What `ingest.models.batch.custom_id` writes.
_OURS = r"^mathmart\|([0-9a-f]{16})\|([0-9]+)\|([0-9]*)\|([^|]*)\|(.*)$"


def about(path: Path) -> Mapping[str, Any]:
    """The dataset is the batch: the name of the file without what tells its role."""
    return {"dataset_id": _ROLE.sub("", path.stem) or path.stem}


def _ours(group: int) -> str:
    return f"nullif(regexp_extract(r.custom_id, '{_OURS}', {group}, 's'), '')"


_NATIVE_ID = f"coalesce({_ours(5)}, r.custom_id)"
_BODY = "(r.response -> '$.body')"


def _tokens(*paths: str) -> str:
    found = ", ".join(f"{_BODY} ->> '$.usage.{path}'" for path in paths)
    return f"case when n = 1 then coalesce({found}) else '0' end"


_REASONING = _tokens(
    "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens"
)
_METADATA = object_of(
    is_batch="true",
    batch_request_id="extra ->> '$.id'",
    reply_id=f"{_BODY} ->> '$.id'",
    served_model=f"{_BODY} ->> '$.model'",
    error_code=f"coalesce(r.error ->> '$.code', {_BODY} ->> '$.error.code')",
)

_RESPONSES = f"""
    with bodies as (
        select
            *,
            coalesce(json_type({_BODY}, '$.output') = 'ARRAY', false) as is_responses_api,
            coalesce(
                r.error ->> '$.message', {_BODY} ->> '$.error.message', {_BODY} ->> '$.error',
                case when try_cast(r.response ->> '$.status_code' as integer) >= 400
                    then 'HTTP ' || (r.response ->> '$.status_code') end,
                r.error ->> '$'
            ) as problem,
            {_BODY} -> '$.choices' as choices,
        from records
    ),
    replies as (
        select
            *,
            case
                when is_responses_api then nullif(array_to_string(list_transform(
                    list_filter(
                        flatten(list_transform(
                            list_filter(
                                {list_of(f"({_BODY} -> '$.output')")},
                                lambda one: one ->> '$.type' = 'message'
                            ),
                            lambda one: {list_of("(one -> '$.content')")}
                        )),
                        lambda part: part ->> '$.type' = 'output_text'
                    ),
                    lambda part: part ->> '$.text'
                ), ''), '')
            end as output_text,
            unnest(range(1, greatest(1, coalesce(json_array_length(choices), 1))::bigint + 1)) as n,
        from bodies
    ),
    chosen as (
        select
            *,
            json_extract(choices, '$[' || (n - 1) || ']') as choice,
        from replies
    ),
    texts as (
        select
            *,
            case
                when is_responses_api then output_text
                else {text_of("(choice -> '$.message.content')")}
            end as text,
            coalesce(
                choice ->> '$.message.refusal',
                json_extract_string({_BODY}, '$.output[0].content[0].refusal')
            ) as refusal,
        from chosen
    ),
    judged as (
        select
            *,
            nullif(trim(text), '') is null as is_empty,
            case
                when problem is not null and problem <> 'null' then problem
                when refusal is not null then refusal
                when nullif(trim(text), '') is null then 'the reply holds no text'
            end as failure,
        from texts
    )
"""

_RESULTS = Format(
    name="openai_batch",
    kind="outputs",
    title="OpenAI Batch API results and error files, chat completions and responses",
    example={
        "id": "batch_req_1",
        "custom_id": "request-1",
        "response": {
            "status_code": 200,
            "body": {
                "model": "gpt-4.1-nano-2025-04-14",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": "3+4 is 7."},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 12, "completion_tokens": 6},
            },
        },
        "error": None,
    },
    fields={"custom_id": "VARCHAR", "response": "JSON", "error": "JSON"},
    requires=("custom_id", "response"),
    check=lambda sample: sample.every(lambda record: "body" not in record),
    about=about,
    responses=f"""
        {_RESPONSES}
        select
            record_id,
            n as item,
            {_ours(1)} as run_id,
            {_ours(4)} as dataset_id,
            {_NATIVE_ID} as native_id,
            {_ours(3)} as turn,
            coalesce({_ours(2)}, n::varchar) as rollout_no,
            {_BODY} ->> '$.model' as model,
            'OpenAI Batch API' as tool,
            case when failure is null then text end as response,
            case
                when not is_responses_api then choice ->> '$.finish_reason'
                when {_BODY} ->> '$.incomplete_details.reason' = 'max_output_tokens' then 'length'
                when {_BODY} ->> '$.status' = 'completed' then 'stop'
                else coalesce(
                    {_BODY} ->> '$.incomplete_details.reason', {_BODY} ->> '$.status'
                )
            end as finish_reason,
            case
                when failure is null then null
                when problem is null and refusal is not null then 'refused'
                when problem is null and is_empty then 'empty'
                else {failure_kind("failure")}
            end as failure_kind,
            failure as failure_reason,
            {_tokens("prompt_tokens", "input_tokens")} as input_tokens,
            {_tokens("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens")}
                as cached_tokens,
            {_tokens("completion_tokens", "output_tokens")} as output_tokens,
            {_REASONING} as reasoning_tokens,
            {_BODY} ->> '$.system_fingerprint' as system_fingerprint,
            {_METADATA} as metadata,
        from judged
    """,
)

# The last user message, which is the question with what the prompt put around it.
_ASKED = f"""
    coalesce(
        {last_message("(r.body -> '$.messages')", "user")},
        case when json_type(r.body, '$.input') = 'VARCHAR' then r.body ->> '$.input' end,
        {last_message("(r.body -> '$.input')", "user")}
    )
"""


def _requests(name: str, kind: str) -> Format:
    return Format(
        name=name,
        kind=kind,
        title="OpenAI Batch API requests: what was asked, to join results to",
        example={
            "custom_id": "request-1",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {
                "model": "gpt-4.1-nano",
                "messages": [{"role": "user", "content": "What is 3+4?"}],
            },
        },
        fields={"custom_id": "VARCHAR", "body": "JSON", "url": "VARCHAR", "method": "VARCHAR"},
        requires=("custom_id", "url", "body"),
        about=about,
        # A request of ours asks a problem that is in the warehouse already, in its own words.
        problems=f"""
            select
                record_id,
                r.custom_id as native_id,
                {_ASKED} as question,
                case when {_ASKED} is null then 'the request''s body holds no user message' end
                    as reject,
                {object_of(request="r.body", url="r.url")} as metadata,
            from records
            where not regexp_matches(r.custom_id, '{_OURS}')
        """,
    )


FORMATS = (
    _RESULTS,
    _requests("openai_batch_requests", "outputs"),
    _requests("openai_batch_problems", "problems"),
)
