"""Rollouts of Qwen2.5-Math, math-evaluation-harness, ToRA and simpleRL: lists of k per problem.

Source: QwenLM/Qwen2.5-Math, evaluation/math_eval.py: `<model>/math_eval/<data>/
test_<prompt>_<n>_seed<s>_t<temperature>_s<start>_e<end>.jsonl`.
Traps: model, data set and settings stand in folders and file name only; `code` is the reply (`response`
repeats it); `pred_score` is a list of lists; `score` and `pred_score` may be missing; a single rollout
may come without its list.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format

_NAME = re.compile(
    r"(?:train|test)_(?P<prompt>.+)_(?P<n>-?\d+)_seed(?P<seed>\d+)_t(?P<temperature>[\d.]+)"
    r"(?:_s(?P<start>-?\d+)_e(?P<end>-?\d+))?"
)


def about(path: Path) -> Mapping[str, Any]:
    """What the path says: model, dataset_id, prompt, settings."""
    said: dict[str, Any] = {}
    if path.parent.parent.name == "math_eval":
        said = {"dataset_id": path.parent.name, "model": path.parent.parent.parent.name}
    if found := _NAME.fullmatch(path.name.removesuffix(".jsonl")):
        said["prompt"] = found["prompt"]
        said["settings"] = {
            "seed": int(found["seed"]),
            "temperature": float(found["temperature"]),
            "num_test_sample": int(found["n"]),
        }
        said.setdefault("dataset_id", path.parent.name)
    return said


def _list(name: str) -> str:
    """SQL: the field as a list of JSON values, a lone value as a list of one."""
    return (
        f"case when json_type(r.{name}) = 'ARRAY' then from_json(r.{name}, '[\"JSON\"]') "
        f"when r.{name} is not null then [r.{name}] end"
    )


FORMAT = Format(
    name="qwen25_math",
    kind="outputs",
    title="Qwen2.5-Math, math-evaluation-harness, ToRA rollouts: lists of code, pred, score",
    example={
        "idx": 0,
        "question": "What is $3+4$?",
        "gt": "7",
        "gt_cot": "We add: $3+4=\\boxed{7}$.",
        "level": "Level 1",
        "code": ["It is \\boxed{7}.", "It is \\boxed{8}."],
        "pred": ["7", "8"],
        "score": [True, False],
        "pred_score": [[1.5], [-0.2]],
    },
    fields={
        "idx": "VARCHAR",
        "question": "VARCHAR",
        "gt": "JSON",
        "gt_cot": "VARCHAR",
        "level": "VARCHAR",
        "type": "VARCHAR",
        "subject": "VARCHAR",
        "code": "JSON",
        "response": "JSON",
        "pred": "JSON",
        "score": "JSON",
        "pred_score": "JSON",
        "report": "JSON",
        "system": "VARCHAR",
    },
    requires=("idx", "question", "gt", "code", "pred"),
    about=about,
    problems="""
        select
            record_id,
            r.idx as native_id,
            r.question as question,
            r.gt ->> '$' as gold_answer,
            json_type(r.gt) = 'VARCHAR' as gold_is_text,
            r.gt_cot as gold_solution,
            r.level as level,
            coalesce(r.subject, r.type) as subject,
            extra as metadata,
        from records
    """,
    responses=f"""
        with lists as (
            select
                record_id,
                r.idx as native_id,
                r.system as system,
                about,
                {_list("code")} as code,
                {_list("response")} as response,
                {_list("pred")} as pred,
                {_list("score")} as score,
                {_list("pred_score")} as pred_score,
                {_list("report")} as report,
            from records
        ),
        rollouts as (
            select *, unnest(range(1, len(code) + 1)) as n from lists
        )
        select
            record_id,
            n as item,
            n as rollout_no,
            native_id,
            about ->> 'model' as model,
            about ->> 'prompt' as prompt,
            about -> 'settings' as settings,
            case when system is not null then json_object('system', system) end as run_metadata,
            code[n] ->> '$' as response,
            pred[n] ->> '$' as reported_answer,
            score[n] ->> '$' as reported_correct,
            case
                when json_type(pred_score[n]) = 'ARRAY' then pred_score[n] ->> '$[0]'
                else pred_score[n] ->> '$'
            end as reward_score,
            nullif(
                json_merge_patch(
                    '{{}}',
                    json_object(
                        'report', report[n],
                        'response', case when response[n]::varchar <> code[n]::varchar then response[n] end
                    )
                ),
                '{{}}'
            ) as metadata,
        from rollouts
    """,
)
