"""Columns of answers, with or without golds, as people keep them in CSV files and Excel sheets.

Source: the example files of huggingface/Math-Verify (`answer`, `gold`; `original_answer`,
`extracted_answer`, `extraction_success`), and the names people give such columns.
Traps: without a gold column outcomes stay undecided; `extraction_success` is no verdict; every row is a
problem of its own unless there is a column `id`.
"""

from ingest.formats import Format, Sample
from ingest.json_sql import merged, object_of, verdict_of

ANSWERS = (
    "answer original_answer model_answer response prediction pred output model_output completion "
    "Answer Response Prediction Output"
).split()
GOLDS = (
    "gold gold_answer target reference reference_answer expected expected_answer ground_truth gt "
    "correct_answer Gold Target Reference Expected"
).split()
QUESTIONS = "question problem Question Problem".split()
_NAMES = [*ANSWERS, *GOLDS, *QUESTIONS]


def _coalesced(names: list[str]) -> str:
    return "coalesce(" + ", ".join(f'r."{name}"' for name in names) + ")"


def _fits(sample: Sample) -> bool:
    if sample.layout not in ("csv", "sheet") or not set(ANSWERS) & sample.fields:
        return False
    if set(GOLDS) & sample.fields:
        return True
    known = {*_NAMES, "extracted_answer", "extracted_feedback", "extraction_success", "id", "model"}
    return not set(QUESTIONS) & sample.fields and sample.fields <= known


FORMAT = Format(
    name="answer_csv",
    kind="outputs",
    title="Answers in columns (CSV, Excel): answer and gold, or answer alone",
    example={"answer": "So the result is $7$", "gold": "$7$"},
    # DuckDB's struct fields know no case: a second spelling is read from `extra`
    fields={
        name: "VARCHAR"
        for name in dict.fromkeys(
            [name for name in _NAMES if name.islower()]
            + ["id", "model", "extracted_answer", "correct", "is_correct"]
        )
    },
    check=_fits,
    problems=f"""
        select
            record_id,
            r.id as native_id,
            coalesce({_coalesced([name for name in QUESTIONS if name.islower()])},
                extra ->> 'Question', extra ->> 'Problem') as question,
            coalesce({_coalesced([name for name in GOLDS if name.islower()])},
                extra ->> 'Gold', extra ->> 'Target', extra ->> 'Reference', extra ->> 'Expected')
                as gold_answer,
        from records
    """,
    responses=f"""
        select
            record_id,
            r.id as native_id,
            r.model as model,
            nullif(coalesce({_coalesced([name for name in ANSWERS if name.islower()])},
                extra ->> 'Answer', extra ->> 'Response', extra ->> 'Prediction', extra ->> 'Output'), '')
                as response,
            r.extracted_answer as reported_answer,
            coalesce({verdict_of("to_json(r.is_correct)")}, {verdict_of("to_json(r.correct)")})
                as reported_correct,
            {merged("extra", object_of(correct="r.correct", is_correct="r.is_correct"))} as metadata,
        from records
    """,
)
