"""MathArena `outputs/<competition>/<solver>/<n>.json(.zst)`: one problem a file; and the hub's Parquet rows.

Source: eth-sri/matharena, src/matharena/runs.py; Hugging Face MathArena/*_outputs.
Traps: one run over the files of a folder, known by the content of the first; lists of N that may be
cut short while a run goes on; the model is the folder's name; a judge's or a person's verdict may
overwrite the parser's; the hub's rows carry the model and an `idx_answer` from 0.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format
from ingest.json_sql import last_message, list_of, merged, object_of, text_of, verdict_of
from ingest.sisters import first_sister, sister_sha256


def _number(name: str) -> int | None:
    stem = name.split(".")[0]
    return int(stem) if stem.isdigit() and ".json" in name else None


def about(path: Path) -> Mapping[str, Any]:
    """`<competition>/<solver>/<n>.json`: data set, model, and the run by its first file."""
    if _number(path.name) is None:
        return {}
    said: dict[str, Any] = {"model": path.parent.name, "dataset_id": path.parent.parent.name}
    if first := first_sister(path, _number):
        said["first_sha256"] = sister_sha256(first)
    return {name: value for name, value in said.items() if value}


_PROBLEM = """
    select
        record_id,
        coalesce(r.idx, r.problem_idx) as native_id,
        r.problem as question,
        r.gold_answer ->> '$' as gold_answer,
        coalesce(r.types ->> '$[0]', r.problem_type) as subject,
    from records
    where coalesce(r.idx, r.problem_idx) is not null
"""

SOLVED = Format(
    name="matharena",
    kind="outputs",
    title="MathArena outputs/<competition>/<solver>/<n>.json: N attempts at one problem",
    example={
        "idx": 1,
        "problem": "Find $3+4$.",
        "gold_answer": "7",
        "N": 2,
        "messages": [
            [{"role": "user", "content": "Find $3+4$."}, {"role": "assistant", "content": "7"}],
            [{"role": "user", "content": "Find $3+4$."}, {"role": "assistant", "content": "8"}],
        ],
        "answers": ["7", "8"],
        "correct": [True, False],
    },
    fields={
        "idx": "VARCHAR",
        "problem_idx": "VARCHAR",
        "problem": "VARCHAR",
        "problem_type": "VARCHAR",
        "gold_answer": "JSON",
        "types": "JSON",
        "messages": "JSON",
        "answers": "JSON",
        "correct": "JSON",
        "warnings": "JSON",
        "judgment": "JSON",
        "manual_overwrite": "JSON",
        "history": "JSON",
        "detailed_costs": "JSON",
    },
    requires=("messages", "answers", "correct", "gold_answer"),
    about=about,
    problems=_PROBLEM,
    responses=f"""
        with lists as (
            select
                *,
                {list_of("r.messages")} as conversations,
                {list_of("r.answers")} as answers,
                {list_of("r.correct")} as verdicts,
                {list_of("r.detailed_costs")} as costs,
                {list_of("r.warnings")} as warnings,
                {list_of("r.judgment")} as judgments,
                {list_of("r.manual_overwrite")} as overwrites,
                {list_of("r.history")} as histories,
            from records
        ),
        rollouts as (
            select
                *,
                unnest(range(1, greatest(
                    coalesce(len(conversations), 0), coalesce(len(answers), 0)
                ) + 1)) as n,
            from lists
        )
        select
            record_id,
            n as item,
            n as rollout_no,
            coalesce(r.idx, r.problem_idx) as native_id,
            coalesce(about ->> 'first_sha256', sha256) as shared_run_key,
            about ->> 'model' as model,
            'MathArena' as tool,
            {last_message("conversations[n]", "assistant")} as response,
            answers[n] ->> '$' as reported_answer,
            {verdict_of("verdicts[n]")} as reported_correct,
            costs[n] ->> 'input_tokens' as input_tokens,
            costs[n] ->> 'output_tokens' as output_tokens,
            costs[n] ->> 'cost' as cost_usd,
            costs[n] ->> 'time' as latency_seconds,
            {
        merged(
            "extra",
            object_of(
                warning="warnings[n]",
                judgment="judgments[n]",
                manual_overwrite="overwrites[n]",
                history="histories[n]",
                messages="conversations[n]",
            ),
        )
    }
                as metadata,
        from rollouts
    """,
)

HUB = Format(
    name="matharena_hub",
    kind="outputs",
    title="MathArena outputs as the Hugging Face hub serves them: one attempt a row",
    example={
        "problem_idx": 1,
        "problem": "Find $3+4$.",
        "model_name": "my-model",
        "model_config": "my/my-model",
        "idx_answer": 0,
        "answer": "It is 7.",
        "parsed_answer": "7",
        "gold_answer": "7",
        "correct": True,
    },
    fields={
        "idx": "VARCHAR",
        "problem_idx": "VARCHAR",
        "problem": "VARCHAR",
        "problem_type": "VARCHAR",
        "types": "JSON",
        "gold_answer": "JSON",
        "model_name": "VARCHAR",
        "model_config": "VARCHAR",
        "idx_answer": "VARCHAR",
        "answer": "VARCHAR",
        "all_messages": "JSON",
        "parsed_answer": "JSON",
        "correct": "JSON",
        "input_tokens": "VARCHAR",
        "output_tokens": "VARCHAR",
        "cost": "VARCHAR",
    },
    requires=("problem_idx", "model_name", "idx_answer", "gold_answer"),
    problems=_PROBLEM,
    responses=f"""
        select
            record_id,
            r.problem_idx as native_id,
            coalesce(r.model_config, r.model_name) as run_key,
            r.model_name as model,
            {object_of(model_config="r.model_config")} as settings,
            'MathArena' as tool,
            try_cast(r.idx_answer as integer) + 1 as rollout_no,
            coalesce(r.answer, {text_of("json_extract(r.all_messages, '$[#-1].content')")}) as response,
            r.parsed_answer ->> '$' as reported_answer,
            {verdict_of("r.correct")} as reported_correct,
            r.input_tokens as input_tokens,
            r.output_tokens as output_tokens,
            r.cost as cost_usd,
            extra as metadata,
        from records
    """,
)

FORMATS = (SOLVED, HUB)
