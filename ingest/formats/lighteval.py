"""lighteval `details_<task>_<time>.parquet`: one row per document, its samples in a list.

Source: huggingface/lighteval, src/lighteval/logging/info_loggers.py and evaluation_tracker.py.
Traps: the model stands in the folders (`details/<org>/<model>/<time>/`) or in `results_<time>.json`; the
metric is for the whole document (pass@k), no verdict of a sample, unless there is one sample; before
0.10 the columns were flat (`full_prompt`, `predictions`, `gold`), lists sometimes written as text;
names of files and tasks hold `|`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.answers import after_hashes, last_boxed
from ingest.formats import Format
from ingest.json_sql import list_of, member, merged, numbers_of, object_of, texts_of, verdict_of
from ingest.sisters import read_sister

_NAME = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)")


def about(path: Path) -> Mapping[str, Any]:
    """Task and time from the name; model and settings from the results file or the folders."""
    said: dict[str, Any] = {}
    found = _NAME.search(path.stem)
    if found:
        said["dataset_id"] = task_name(found["task"])
        time = found["time"].rstrip(".")
        results: dict[str, Any] = {}
        folders = [path.parent, *path.parents]
        for folder in folders[:5]:
            results = read_sister(folder / f"results_{time}.json")
            if not results and "details" in path.parts:
                parts = [("results" if part == "details" else part) for part in folder.parts]
                results = read_sister(Path(*parts) / f"results_{time}.json")
            if results:
                break
        general = results.get("config_general")
        if isinstance(general, dict):
            config = general.get("model_config")
            model = config.get("model_name") if isinstance(config, dict) else None
            said["model"] = model or general.get("model_name")
            said["settings"] = config if isinstance(config, dict) else None
            said["tool_version"] = general.get("lighteval_sha")
    parts = list(path.parts)
    if not said.get("model") and "details" in parts:
        between = parts[parts.index("details") + 1 : -1]
        if between and re.match(r"\d{4}-\d\d-\d\dT", between[-1]):
            between = between[:-1]
        if between:
            said["model"] = "/".join(between)
    return {name: value for name, value in said.items() if value is not None}


def task_name(task: str) -> str:
    """`lighteval|gsm8k|5|0` and `gsm8k|5` are the task gsm8k."""
    parts = [part for part in task.split("|") if not part.isdigit()]
    return parts[-1] if parts else task


_READ = f"""
    raw_read as (
        select
            *,
            coalesce(r.doc ->> 'query', r.full_prompt ->> '$', r.example ->> '$') as question,
            coalesce(r.doc -> 'choices', r.choices) as choices,
            coalesce(r.doc -> 'gold_index', r.gold_index) as gold_index,
            {list_of("coalesce(r.model_response -> 'text', r.predictions)")} as replies,
            {list_of("coalesce(r.model_response -> 'text_post_processed', r.parsed_predictions)")}
                as parsed,
            {list_of("r.model_response -> 'output_tokens'")} as tokens,
            {list_of("r.model_response -> 'reasonings'")} as reasonings,
            coalesce(r.metric, r.metrics) as figures,
        from records
    ),
    read as (
        select
            *,
            coalesce(
                {texts_of("choices")}[
                    coalesce(try_cast(coalesce(gold_index ->> '$[0]', gold_index ->> '$') as integer), 0) + 1
                ],
                case when json_type(r.gold) = 'ARRAY' then r.gold ->> '$[0]' else r.gold ->> '$' end
            ) as gold,
        from raw_read
    )
"""

FORMAT = Format(
    name="lighteval",
    kind="outputs",
    title="lighteval details_<task>_<time>.parquet, with its results_<time>.json",
    example={
        "doc": {"id": "1", "query": "What is 3+4?", "choices": ["7"], "gold_index": [0]},
        "model_response": {"input": "What is 3+4?", "text": ["It is \\boxed{7}."]},
        "metric": {"pass@k:k=1": 1.0},
    },
    fields={
        name: "JSON"
        for name in (
            "doc model_response metric full_prompt example predictions parsed_predictions gold "
            "gold_index choices metrics"
        ).split()
    },
    check=lambda sample: (
        {"doc", "model_response"} <= sample.fields
        or ({"predictions"} <= sample.fields and bool({"full_prompt", "gold"} & sample.fields))
    ),
    about=about,
    problems=f"""
        with {_READ}
        select
            record_id,
            r.doc ->> 'id' as native_id,
            question,
            true as question_is_prompt,
            coalesce({after_hashes("gold")}, {last_boxed("gold")}, gold) as gold_answer,
            case when contains(gold, '####') or contains(gold, '\\boxed') then gold end as gold_solution,
            case when json_array_length(choices) > 1 then choices end as choices,
            {merged(object_of(doc="r.doc"), "extra")} as metadata,
        from read
    """,
    responses=f"""
        with {_READ},
        rollouts as (
            select *, unnest(range(1, len(replies) + 1)) as n, len(replies) as k from read
        )
        select
            record_id,
            n as item,
            n as rollout_no,
            r.doc ->> 'id' as native_id,
            about ->> 'model' as model,
            coalesce(about -> 'settings', {object_of(generation_size="r.doc -> 'generation_size'")})
                as settings,
            'lighteval' as tool,
            about ->> 'tool_version' as tool_version,
            replies[n] ->> '$' as response,
            case when (parsed[n] ->> '$') <> (replies[n] ->> '$') then parsed[n] ->> '$' end
                as reported_answer,
            case when k = 1 then {verdict_of(member("figures", "json_keys(figures)[1]"))}
                end as reported_correct,
            case when k = 1 then {numbers_of("figures")} end as scores,
            case when json_type(tokens[n]) = 'ARRAY' then json_array_length(tokens[n]) end
                as output_tokens,
            {
        object_of(
            metric="figures",
            reasoning="reasonings[n]",
            input="r.model_response -> 'input'",
            truncated_tokens_count="r.model_response -> 'truncated_tokens_count'",
        )
    } as metadata,
        from rollouts
    """,
)
