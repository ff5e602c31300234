"""GSM8K example model solutions: one problem a line, one field per system with its solution and verdict.

Source: openai/grade-school-math, example_model_solutions.jsonl.
Traps: wide (the field's name is the system); golds and solutions end in `A: 18`, not in `####`.
"""

from typing import Any

from ingest.formats import Format


def _has_systems(record: dict[str, Any]) -> bool:
    systems = [value for value in record.values() if isinstance(value, dict)]
    return bool(systems) and all("solution" in system for system in systems)


FORMAT = Format(
    name="gsm8k_solutions",
    kind="outputs",
    title="GSM8K example model solutions: one field per system",
    example={
        "question": "Ann has 3 apples and buys 4. How many?",
        "ground_truth": "3+4=7\nA: 7",
        "6b_finetuning": {"solution": "3+4=8\nA: 8", "is_correct": False},
    },
    fields={"question": "VARCHAR", "ground_truth": "VARCHAR"},
    requires=("question", "ground_truth"),
    check=lambda sample: sample.every(_has_systems),
    dataset_id="gsm8k",
    problems="""
        select
            record_id,
            r.question as question,
            coalesce(nullif(regexp_extract(r.ground_truth, '.*A:\\s*([^\\n]*)', 1, 's'), ''),
                r.ground_truth) as gold_answer,
            r.ground_truth as gold_solution,
            'number' as answer_type,
        from records
    """,
    responses="""
        with systems as (
            select record_id, extra, unnest(json_keys(extra)) as system from records
        ),
        opened as (
            select record_id, system, json_member(extra, system) as value from systems
        )
        select
            record_id,
            row_number() over (partition by record_id order by system) as item,
            system as model,
            system as run_key,
            value ->> 'solution' as response,
            value ->> 'is_correct' as reported_correct,
            nullif(json_merge_patch(value, '{"solution": null, "is_correct": null}'), '{}') as metadata,
        from opened
        where json_type(value) = 'OBJECT'
    """,
)
