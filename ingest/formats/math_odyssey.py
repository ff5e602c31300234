"""MathOdyssey problems and model outputs: one object a line with one key, `Problem_12`.

Source: protagolabs/odyssey-math. A problem's value is an object (question, answer, reasoning, label,
level), a raw output's value is the reply, a cleaned one's an object with the `answer` alone, a graded
one's an object (true, prediction, is_correct, label, level); the model's name is in the file's name only.
Traps: LaTeX debris (`\\\\`, `\\noindent`, `\\end{problem}`) behind answers and questions; the answer as it
stood is kept in the metadata.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format, Sample

_GRADED = ("answer", "prediction", "is_correct")


def _one_key(
    value_type: type[dict[str, Any]] | type[str], *members: str
) -> Callable[[Sample], bool]:
    def fits(record: dict[str, Any]) -> bool:
        ((key, value),) = record.items()
        return (
            key.startswith("Problem_")
            and isinstance(value, value_type)
            and (not members or any(name in value for name in members))
            and (members != _GRADED or "question" not in value)
        )

    return lambda sample: sample.every(fits)


def about(path: Path) -> Mapping[str, str]:
    """`odyssey_<model>_raw`, `<model>-solution`, `result-<model>-solution-clean`: the model."""
    found = re.fullmatch(
        r"(?:odyssey_|result-)?(.+?)(?:_raw|_clean|_eval|-solution.*|-clean.*|-second.*)", path.stem
    )
    return {"model": found[1]} if found else {}


_KEYED = "keyed as (select *, json_keys(extra)[1] as key from records)"
_VALUE = "json_member(extra, key)"

PROBLEMS = Format(
    name="math_odyssey",
    kind="problems",
    title="MathOdyssey problem set: one key a line",
    example={"Problem_1": {"question": "What is $3+4$?", "answer": "7", "label": "Algebra"}},
    fields={},
    check=_one_key(dict, "question"),
    dataset_id="math_odyssey",
    problems=f"""
        with {_KEYED},
        opened as (
            select record_id, key, {_VALUE} as value, {_VALUE} ->> 'answer' as answer from keyed
        )
        select
            record_id,
            key as native_id,
            value ->> 'question' as question,
            regexp_replace(answer, '(\\s|\\\\\\\\|\\\\noindent|\\\\end\\{{problem\\}})+$', '')
                as gold_answer,
            value ->> 'reasoning' as gold_solution,
            value ->> 'label' as subject,
            value ->> 'level' as level,
            json_merge_patch(
                value, '{{"question": null, "reasoning": null, "label": null, "level": null}}'
            ) as metadata,
        from opened
    """,
)

OUTPUTS = Format(
    name="math_odyssey_outputs",
    kind="outputs",
    title="MathOdyssey raw outputs: one key a line, its value the reply",
    example={"Problem_1": "3 + 4 = 7. The answer is 7."},
    fields={},
    check=_one_key(str),
    dataset_id="math_odyssey",
    about=about,
    responses=f"""
        with {_KEYED}
        select
            record_id,
            key as native_id,
            about ->> 'model' as model,
            {_VALUE} ->> '$' as response,
        from keyed
    """,
)

GRADED = Format(
    name="math_odyssey_graded",
    kind="outputs",
    title="MathOdyssey cleaned and graded outputs: one key a line, its value answer or prediction",
    example={"Problem_1": {"true": "7\\\\\n\\noindent", "prediction": "7", "is_correct": "1"}},
    fields={},
    check=_one_key(dict, *_GRADED),
    dataset_id="math_odyssey",
    about=about,
    problems=f"""
        with {_KEYED}
        select
            record_id,
            key as native_id,
            regexp_replace({_VALUE} ->> 'true', '(\\s|\\\\\\\\|\\\\noindent|\\\\end\\{{problem\\}})+$', '')
                as gold_answer,
            {_VALUE} ->> 'label' as subject,
            {_VALUE} ->> 'level' as level,
        from keyed
    """,
    responses=f"""
        with {_KEYED}
        select
            record_id,
            key as native_id,
            about ->> 'model' as model,
            coalesce({_VALUE} ->> 'prediction', {_VALUE} ->> 'answer') as response,
            coalesce({_VALUE} ->> 'prediction', {_VALUE} ->> 'answer') as reported_answer,
            case {_VALUE} ->> 'is_correct' when '1' then 'true' when '0' then 'false' end
                as reported_correct,
            {_VALUE} as metadata,
        from keyed
    """,
)

FORMATS = (PROBLEMS, OUTPUTS, GRADED)
