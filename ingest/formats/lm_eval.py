"""lm-evaluation-harness `samples_<task>_<time>.jsonl`: one line per document and filter.

Source: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py.
Traps: every document comes once per filter with the same reply, so a filter is a run of its own; the
model, settings and seeds stand only in `results_<time>.json` beside it (or in the folder's name, `/`
written as `__`); `arguments` was a list of lists before 0.4.3 and `filter` was missing; `target` of
GSM8K is the whole solution; `resps` of multiple choice holds log-likelihoods of the continuations, of
which the likeliest is the reply; filtered replies may be fewer than replies.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.answers import after_hashes
from ingest.formats import Format
from ingest.json_sql import list_of, member, merged, numbers_of, object_of, verdict_of
from ingest.sisters import read_sister

_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")
_METRICS = "exact_match|math_verify|acc|acc_norm|mcq_acc|pass@1|score|em|prompt_level_strict_acc"


def about(path: Path) -> Mapping[str, Any]:
    """Task from the name; model, settings, versions from the results file of the same time."""
    found = _NAME.match(path.name)
    if not found:
        return {}
    said: dict[str, Any] = {"dataset_id": found["task"]}
    results = read_sister(path.with_name(f"results_{found['time'].rstrip('.')}.json"))
    if not results:
        stamp = path.stem.split("_")[-1]
        results = read_sister(path.with_name(f"results_{stamp}.json"))
    said |= results_about(results, found["task"])
    if "model" not in said and "__" in path.parent.name:
        said["model"] = path.parent.name.replace("__", "/")
    return said


def results_about(results: Mapping[str, Any], task: str | None) -> dict[str, Any]:
    """What a results file says of its run (of `task` in it)."""
    config = results.get("config")
    if not isinstance(config, dict):
        return {}
    named = re.search(r"(?:^|,)(?:model|pretrained)=([^,]+)", str(config.get("model_args") or ""))
    model_args = config.get("model_args")
    if isinstance(model_args, dict):
        named_model = model_args.get("model") or model_args.get("pretrained")
    else:
        named_model = named[1] if named else None
    model = results.get("model_name") or named_model or config.get("model")
    tasks = {name: value for name, value in (results.get("configs") or {}).items() if name == task}
    settings = dict(config)
    for one in tasks.values():
        settings |= {"generation_kwargs": one.get("generation_kwargs")} if one else {}
    shots = (results.get("n-shot") or {}).get(task) if task else None
    said: dict[str, Any] = {
        "model": model,
        "prompt": None if shots is None else f"{shots}-shot",
        "settings": settings,
        "tool_version": results.get("lm_eval_version"),
        "started_at": results.get("date"),
        "run": {
            name: results[name]
            for name in (
                "git_hash task_hashes versions n-samples chat_template_sha system_instruction "
                "total_evaluation_time_seconds transformers_version"
            ).split()
            if results.get(name) not in (None, "")
        },
    }
    return {name: value for name, value in said.items() if value is not None}


# The continuations of a multiple-choice document, of either age of the harness.
_CONTINUATIONS = """
    case
        when json_type(r.arguments) = 'OBJECT' then list_transform(
            json_keys(r.arguments),
            lambda key: json_member(r.arguments, key) ->> '$.arg_1'
        )
        when json_type(r.arguments) = 'ARRAY' then list_transform(
            from_json(r.arguments, '["JSON"]'), lambda pair: pair ->> '$[1]'
        )
    end
"""
_READ = f"""
    read as (
        select
            *,
            coalesce(
                json_type(r.resps, '$[0][0]') = 'ARRAY'
                    and json_type(r.resps, '$[0][0][0]') in ('VARCHAR', 'DOUBLE', 'BIGINT'),
                false
            ) as is_likelihood,
            {_CONTINUATIONS} as continuations,
            coalesce(
                r.arguments ->> '$.gen_args_0.arg_0[0]', r.arguments ->> '$.gen_args_0.arg_0',
                r.arguments ->> '$[0][0]'
            ) as asked,
        from records
    ),
    golds as (
        select
            *,
            case
                when is_likelihood and regexp_full_match(r.target ->> '$', '[0-9]{{1,2}}')
                    then trim(continuations[(r.target ->> '$')::integer + 1])
                when json_type(r.target) = 'ARRAY' then r.target ->> '$[0]'
                else r.target ->> '$'
            end as gold,
        from read
    )
"""

FORMAT = Format(
    name="lm_eval",
    kind="outputs",
    title="lm-evaluation-harness samples_<task>_<time>.jsonl, with its results_<time>.json",
    example={
        "doc_id": 0,
        "doc": {"question": "What is 3+4?", "answer": "3+4=7 #### 7"},
        "target": "3+4=7 #### 7",
        "arguments": {"gen_args_0": {"arg_0": ["What is 3+4?"], "arg_1": {"until": ["\n\n"]}}},
        "resps": [["3+4=7. The answer is 7."]],
        "filtered_resps": ["7"],
        "filter": "strict-match",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    },
    fields={
        "doc_id": "VARCHAR",
        "doc": "JSON",
        "target": "JSON",
        "arguments": "JSON",
        "resps": "JSON",
        "filtered_resps": "JSON",
        "filter": "VARCHAR",
        "metrics": "JSON",
    },
    requires=("doc_id", "doc", "target", "resps"),
    about=about,
    problems=f"""
        with {_READ}
        select
            record_id,
            r.doc_id as native_id,
            coalesce(
                r.doc ->> 'question', r.doc ->> 'problem', r.doc ->> 'query', r.doc ->> 'input', asked
            ) as question,
            coalesce(r.doc ->> 'question', r.doc ->> 'problem', r.doc ->> 'query', r.doc ->> 'input')
                is null as question_is_prompt,
            coalesce({after_hashes("gold")}, gold) as gold_answer,
            case when contains(gold, '####') then gold else r.doc ->> 'solution' end as gold_solution,
            case when is_likelihood then to_json(continuations)
                when json_type(r.doc -> 'choices') = 'ARRAY' then r.doc -> 'choices' end as choices,
            case when is_likelihood then 'choice' end as answer_type,
            r.doc ->> 'level' as level,
            coalesce(r.doc ->> 'subject', r.doc ->> 'type', r.doc ->> 'category') as subject,
            {object_of(doc="r.doc", doc_hash="extra -> 'doc_hash'")} as metadata,
        from golds
        where gold is not null or r.doc is not null
    """,
    responses=f"""
        with {_READ},
        replies as (
            select
                *,
                case
                    when is_likelihood then [to_json(trim(continuations[list_position(
                        list_transform(from_json(r.resps, '["JSON"]'),
                            lambda one: try_cast(one ->> '$[0][0]' as double)),
                        list_max(list_transform(from_json(r.resps, '["JSON"]'),
                            lambda one: try_cast(one ->> '$[0][0]' as double)))
                    )]))]
                    else {list_of("(r.resps -> '$[0]')")}
                end as replies,
                r.filtered_resps -> '$[0]' as kept,
                coalesce(
                    list_filter(
                        coalesce(from_json(r.metrics, '["VARCHAR"]'), json_keys(extra)),
                        lambda name: regexp_full_match(name, '{_METRICS}')
                    )[1],
                    from_json(r.metrics, '["VARCHAR"]')[1]
                ) as metric,
            from golds
        ),
        rollouts as (
            select *, unnest(range(1, len(replies) + 1)) as n, len(replies) as k from replies
        )
        select
            record_id,
            n as item,
            n as rollout_no,
            r.doc_id as native_id,
            r.filter as run_key,
            about ->> 'model' as model,
            about ->> 'prompt' as prompt,
            {merged("about -> 'settings'", object_of(filter="r.filter"))} as settings,
            'lm-evaluation-harness' as tool,
            about ->> 'tool_version' as tool_version,
            case
                when json_type(about, '$.started_at') in ('DOUBLE', 'UBIGINT', 'BIGINT')
                then make_timestamp((try_cast(about ->> 'started_at' as double) * 1e6)::bigint)::varchar
            end as started_at,
            about -> 'run' as run_metadata,
            replies[n] ->> '$' as response,
            nullif(
                case
                    when is_likelihood then replies[n] ->> '$'
                    when json_type(kept) = 'ARRAY' then kept ->> ('$[' || (n - 1) || ']')
                    when k = 1 then kept ->> '$'
                end,
                '[invalid]'
            ) as reported_answer,
            case when k = 1 then {verdict_of(member("extra", "metric"))} end
                as reported_correct,
            case when k = 1 then {numbers_of("extra")} end as scores,
            {
        merged(
            "extra",
            object_of(
                arguments="r.arguments",
                filtered_resps="r.filtered_resps",
                metrics="r.metrics",
                resps="case when is_likelihood then r.resps end",
            ),
        )
    } as metadata,
        from rollouts
    """,
)
