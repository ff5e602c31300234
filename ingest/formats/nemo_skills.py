"""NeMo-Skills `output-rs<seed>.jsonl`: one file per rollout, one run over all of them; greedy apart.

Source: NVIDIA/NeMo-Skills, nemo_skills/inference/generate.py: `eval-results/<benchmark>/output*.jsonl`.
Traps: the rollout's number stands in the file's name only; the greedy `output.jsonl` is a run of its own
even where its content equals a rollout's; without `id` the line is the problem; `is_correct` became
`symbolic_correct`; a judge's word is a text. The run is known by the content of its first rollout, so
that it may be moved and grow.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format
from ingest.json_sql import merged, object_of, verdict_of
from ingest.sisters import first_sister, sister_sha256

_NAME = re.compile(
    r"output(?:-rs(?P<seed>\d+))?(?:_chunk_(?P<chunk>\d+))?\.jsonl(?:-async)?(?:\.\w+)?"
)


def _seed(name: str) -> int | None:
    found = _NAME.fullmatch(name)
    return int(found["seed"]) if found and found["seed"] and not found["chunk"] else None


def about(path: Path) -> Mapping[str, Any]:
    """Rollout from the name, data set from the folder, run from the first rollout beside it."""
    found = _NAME.fullmatch(path.name)
    if not found:
        return {}
    said: dict[str, Any] = {"role": "greedy"}
    if path.parent.name:
        said["dataset_id"] = path.parent.name
    if found["seed"]:
        said |= {"role": f"rs{found['seed']}", "seed": int(found["seed"])}
        said["rollout_no"] = int(found["seed"]) + 1
        if first := first_sister(path, _seed):
            said["first_sha256"] = sister_sha256(first)
    if path.parent.parent.name == "eval-results":
        said["model"] = path.parent.parent.parent.name
    return {name: value for name, value in said.items() if value is not None}


FORMAT = Format(
    name="nemo_skills",
    kind="outputs",
    title="NeMo-Skills output-rs<seed>.jsonl (one file per rollout) and output.jsonl",
    example={
        "problem": "What is $3+4$?",
        "generation": "It is $\\boxed{7}$.",
        "expected_answer": "7",
        "predicted_answer": "7",
        "symbolic_correct": True,
    },
    fields={
        "id": "VARCHAR",
        "problem": "VARCHAR",
        "question": "VARCHAR",
        "reference_solution": "VARCHAR",
        "solution": "VARCHAR",
        "expected_answer": "JSON",
        "generation": "VARCHAR",
        "predicted_answer": "JSON",
        "symbolic_correct": "JSON",
        "is_correct": "JSON",
        "judgement": "VARCHAR",
        "level": "VARCHAR",
        "type": "VARCHAR",
        "subject": "VARCHAR",
        "num_generated_tokens": "VARCHAR",
        "num_input_tokens": "VARCHAR",
        "generation_time": "VARCHAR",
        "finish_reason": "VARCHAR",
    },
    requires=("generation",),
    check=lambda sample: bool(
        {"expected_answer", "predicted_answer", "symbolic_correct", "is_correct"} & sample.fields
        and {"problem", "question"} & sample.fields
    ),
    about=about,
    problems="""
        select
            record_id,
            coalesce(r.id, line::varchar) as native_id,
            coalesce(r.problem, r.question) as question,
            r.expected_answer ->> '$' as gold_answer,
            coalesce(r.reference_solution, r.solution) as gold_solution,
            r.level as level,
            coalesce(r.subject, r.type) as subject,
        from records
        where coalesce(r.problem, r.question) is not null or r.expected_answer is not null
    """,
    responses=f"""
        select
            record_id,
            coalesce(r.id, line::varchar) as native_id,
            case
                when about ->> 'first_sha256' is not null then 'rs|' || (about ->> 'first_sha256')
                else coalesce(about ->> 'role', 'output') || '|' || sha256
            end as shared_run_key,
            coalesce(about ->> 'rollout_no', '1') as rollout_no,
            about ->> 'model' as model,
            case when about ->> 'role' = 'greedy' then '{{"decoding": "greedy"}}'
                when about ->> 'seed' is not null then '{{"decoding": "sampling"}}' end as settings,
            'NeMo-Skills' as tool,
            r.generation as response,
            r.predicted_answer ->> '$' as reported_answer,
            coalesce({verdict_of("r.symbolic_correct")}, {verdict_of("r.is_correct")}) as reported_correct,
            r.finish_reason as finish_reason,
            r.num_input_tokens as input_tokens,
            r.num_generated_tokens as output_tokens,
            r.generation_time as latency_seconds,
            {merged("extra", object_of(judgement="r.judgement", seed="about -> 'seed'"))} as metadata,
        from records
    """,
)
