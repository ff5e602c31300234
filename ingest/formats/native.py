"""The project's own format: JSON lines, CSV or Parquet whose fields carry the names of the marts' columns.

Outputs need `response` and either `problem_id` or `question`; problems need `question`. Everything else
may be left out. An outputs file that carries questions and golds loads the problems as well.
Traps: rows without `problem_id` are problems of their own, one per line, even if questions repeat;
`concepts` is a list of texts (in CSV: a JSON list in the cell) and belongs to the response in an
outputs file, to the human solution in a problems file.
"""

from ingest.formats import Format

_PROBLEM_FIELDS = {
    "problem_id": "VARCHAR",
    "native_id": "VARCHAR",
    "dataset_id": "VARCHAR",
    "turn": "VARCHAR",
    "question": "VARCHAR",
    "gold_answer": "JSON",
    "gold_solution": "VARCHAR",
    "answer_type": "VARCHAR",
    "level": "VARCHAR",
    "subject": "VARCHAR",
    "reasoning_steps": "VARCHAR",
    "choices": "JSON",
    "unit": "VARCHAR",
    "tolerance": "VARCHAR",
}
_CONCEPT_FIELDS = {"concepts": "JSON", "extractor_id": "VARCHAR"}
_RUN_FIELDS = {
    "run_id": "VARCHAR",
    "model": "VARCHAR",
    "prompt": "VARCHAR",
    "settings": "JSON",
    "tool": "VARCHAR",
    "tool_version": "VARCHAR",
    "started_at": "VARCHAR",
}
_RESPONSE_FIELDS = {
    name: "VARCHAR"
    for name in (
        "rollout_no response reported_answer reported_correct reward_score finish_reason failure_kind "
        "failure_reason input_tokens cached_tokens output_tokens reasoning_tokens cost_usd "
        "latency_seconds system_fingerprint"
    ).split()
}

_SAME_NAMES = [
    name
    for name in _PROBLEM_FIELDS
    if name not in ("problem_id", "native_id", "gold_answer", "choices")
]


def _listed(names: list[str]) -> str:
    return ", ".join(f"r.{name} as {name}" for name in names)


_PROBLEM_COLUMNS = f"""
    record_id,
    coalesce(r.native_id, r.problem_id) as native_id,
    r.gold_answer ->> '$' as gold_answer,
    coalesce(json_type(r.gold_answer) = 'VARCHAR', true) as gold_is_text,
    -- a JSON list in a CSV cell comes as a text
    case when json_type(r.choices) = 'VARCHAR' then r.choices ->> '$' else r.choices::varchar end as choices,
    {_listed(_SAME_NAMES)}
"""
_CONCEPT_COLUMNS = """
    case when json_type(r.concepts) = 'VARCHAR' then r.concepts ->> '$' else r.concepts::varchar end
        as concepts,
    r.extractor_id as extractor_id
"""

PROBLEMS = Format(
    name="native_problems",
    kind="problems",
    title="Native problems: JSONL, CSV or Parquet with the marts' column names",
    example={
        "problem_id": "p1",
        "question": "Ann has 3 apples and buys 4. How many has she?",
        "gold_answer": "7",
        "gold_solution": "3 + 4 = 7",
        "level": "easy",
        "subject": "addition",
        "reasoning_steps": 1,
        "concepts": ["addition of whole numbers"],
        "extractor_id": "by hand",
    },
    fields={**_PROBLEM_FIELDS, **_CONCEPT_FIELDS},
    requires=("question", "gold_answer"),
    problems=f"select {_PROBLEM_COLUMNS}, {_CONCEPT_COLUMNS}, extra as metadata from records",
)

OUTPUTS = Format(
    name="native",
    kind="outputs",
    title="Native outputs: JSONL, CSV or Parquet with the marts' column names",
    example={
        "problem_id": "p1",
        "model": "my-model",
        "prompt": "step by step",
        "rollout_no": 1,
        "response": "3 + 4 = 7. The answer is 7.",
        "reward_score": 0.93,
        "output_tokens": 12,
        "finish_reason": "stop",
    },
    fields={**_PROBLEM_FIELDS, **_RUN_FIELDS, **_RESPONSE_FIELDS, **_CONCEPT_FIELDS},
    requires=("response",),
    one_of=("problem_id", "question", "native_id"),
    finds_dataset=True,
    problems=f"""
        select {_PROBLEM_COLUMNS}
        from records
        where r.question is not null or r.gold_answer is not null
    """,
    responses=f"""
        select
            record_id,
            coalesce(r.native_id, r.problem_id) as native_id,
            r.dataset_id as dataset_id,
            r.turn as turn,
            {_listed([*_RUN_FIELDS, *_RESPONSE_FIELDS])},
            {_CONCEPT_COLUMNS},
            extra as metadata,
            case
                when coalesce(r.native_id, r.problem_id, r.question) is null
                then 'field "problem_id" is missing, and there is no "question" either'
            end as reject,
        from records
    """,
)

FORMATS = (PROBLEMS, OUTPUTS)
