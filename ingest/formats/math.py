"""MATH-style problems: `problem` with `solution`, `answer` or both; MATH, MATH500, AIME, AMC and their like.

Sources: hendrycks/math (a folder `<split>/<subject>/<n>.json` per problem), MATH500 of
openai/prm800k, the copies of QwenLM/Qwen2.5-Math, LIMO and evalchemy.
Traps: where there is no `answer`, the gold is the last \\boxed{} of the solution; golds have leading
zeros ("025") or are JSON numbers (27.0); level is "Level 3", "Level ?" or 3; some copies repeat the
problem as `question`.
"""

from collections.abc import Mapping
from pathlib import Path

from ingest.answers import last_boxed
from ingest.formats import Format


def about(path: Path) -> Mapping[str, str]:
    """The folder layout: dataset `math`, and the path from the split on as the problem's id."""
    split = path.parent.parent.name
    if path.suffix == ".json" and split in ("train", "test") and path.stem.isdigit():
        return {"dataset_id": "math", "native_id": f"{split}/{path.parent.name}/{path.name}"}
    return {}


FORMAT = Format(
    name="math",
    kind="problems",
    title="MATH, MATH500, AIME, AMC style problems: problem, solution and/or answer; MATH folders",
    example={
        "problem": "What is $3+4$?",
        "solution": "We add: $3+4=\\boxed{7}$.",
        "answer": "7",
        "level": "Level 1",
        "subject": "Prealgebra",
        "unique_id": "test/prealgebra/1.json",
    },
    fields={
        name: "JSON" if name in ("answer", "expected_answer") else "VARCHAR"
        for name in (
            "unique_id id idx problem question solution reference_solution answer expected_answer "
            "level type subject"
        ).split()
    },
    requires=("problem",),
    check=lambda sample: sample.every(
        lambda record: (
            bool({"answer", "expected_answer", "solution", "reference_solution"} & record.keys())
            and not {"response", "options", "rationale", "gt"} & record.keys()
        )
    ),
    about=about,
    problems=f"""
        with answered as (
            select *, coalesce(r.answer, r.expected_answer) as gold,
                coalesce(r.solution, r.reference_solution) as worked,
            from records
        )
        select
            record_id,
            coalesce(r.unique_id, r.id, r.idx, about ->> 'native_id') as native_id,
            r.problem as question,
            coalesce(gold ->> '$', {last_boxed("worked")}) as gold_answer,
            coalesce(json_type(gold) = 'VARCHAR', true) as gold_is_text,
            worked as gold_solution,
            r.level as level,
            coalesce(r.subject, r.type) as subject,
            extra as metadata,
        from answered
    """,
)
