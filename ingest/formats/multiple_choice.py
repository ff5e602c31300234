"""Multiple-choice problems: MMLU's CSV without a header, GPQA's CSV, options within one text (SAT, MathQA, AQuA).

Sources: hendrycks/test `<subject>_test.csv`; idavidrein/gpqa `gpqa_diamond.csv`; the copies of
math-evaluation-harness; deepmind/AQuA.
Traps: MMLU's six columns have no names; GPQA gives the right answer apart, so that the order of choices is
made here: by the hash of record and choice, the same at every load and on every machine; cells span
lines; options may be one text ("a ) 12 , b ) 16") or a list of "A)12".
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.formats import Format, Sample


def about(path: Path) -> Mapping[str, str]:
    """`<subject>_<split>.csv`: the subject; its rows belong to the data set `mmlu`."""
    found = re.fullmatch(r"(.+)_(test|val|dev)", path.stem)
    if not found:
        return {}
    return {"dataset_id": "mmlu", "subject": found[1], "split": found[2]}


def _is_mmlu(sample: Sample) -> bool:
    return bool(sample.rows) and all(
        len(row) == 6 and row[5].strip() in "ABCD" for row in sample.rows
    )


MMLU = Format(
    name="mmlu_csv",
    kind="problems",
    title="MMLU <subject>_test.csv: question, four choices, letter; no header",
    example={"question": "3+4?", "A": "6", "B": "7", "C": "8", "D": "9", "answer": "B"},
    fields={name: "VARCHAR" for name in ("question", "A", "B", "C", "D", "answer")},
    columns=("question", "A", "B", "C", "D", "answer"),
    check=_is_mmlu,
    about=about,
    problems="""
        select
            record_id,
            case
                when about ->> 'subject' is not null
                then concat_ws('/', about ->> 'subject', about ->> 'split', line)
            end as native_id,
            r.question as question,
            trim(r.answer) as gold_answer,
            'choice' as answer_type,
            about ->> 'subject' as subject,
            json_array(r.A, r.B, r.C, r.D) as choices,
        from records
    """,
)

GPQA = Format(
    name="gpqa",
    kind="problems",
    title="GPQA gpqa_<set>.csv: Question, Correct Answer, Incorrect Answer 1 to 3",
    example={
        "Record ID": "rec1",
        "Question": "3+4?",
        "Correct Answer": "7",
        "Incorrect Answer 1": "6",
        "Incorrect Answer 2": "8",
        "Incorrect Answer 3": "9",
    },
    fields={
        name: "VARCHAR"
        for name in (
            "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,"
            "Incorrect Answer 3,Explanation,High-level domain,Subdomain"
        ).split(",")
    },
    requires=("Question", "Correct Answer", "Incorrect Answer 1"),
    problems="""
        with offered as (
            select
                *,
                list_filter(
                    [
                        trim(r."Correct Answer"), trim(r."Incorrect Answer 1"),
                        trim(r."Incorrect Answer 2"), trim(r."Incorrect Answer 3")
                    ],
                    lambda choice: choice is not null and choice <> ''
                ) as offers,
                coalesce(nullif(trim(r."Record ID"), ''), md5(trim(r."Question"))) as record_key,
            from records
        ),
        ordered as (
            select
                *,
                list_transform(
                    list_sort(list_transform(
                        offers, lambda choice: struct_pack(place := md5(record_key || choice), choice := choice)
                    )),
                    lambda one: one.choice
                ) as choices,
            from offered
        )
        select
            record_id,
            nullif(trim(r."Record ID"), '') as native_id,
            trim(r."Question") as question,
            chr(64 + list_position(choices, trim(r."Correct Answer"))::integer) as gold_answer,
            r."Explanation" as gold_solution,
            'choice' as answer_type,
            r."Subdomain" as level,
            r."High-level domain" as subject,
            to_json(choices) as choices,
            extra as metadata,
            case when list_position(choices, trim(r."Correct Answer")) is null
                then 'field "Correct Answer" is empty' end as reject,
        from ordered
    """,
)


def _has_lettered_options(sample: Sample) -> bool:
    def fits(record: dict[str, Any]) -> bool:
        options = record["options"]
        first = options[0] if isinstance(options, list) and options else options
        answer = next(
            (record[name] for name in ("correct", "Answer", "answer", "label") if record.get(name)),
            "",
        )
        return (
            isinstance(first, str)
            and bool(re.match(r"\s*\(?[Aa]\s?[).:]", first))
            and str(answer).strip().upper() in "ABCDEFGHIJ"
        )

    return sample.every(fits)


OPTIONS = Format(
    name="lettered_options",
    kind="problems",
    title="Problems with lettered options in one text or a list: SAT, MathQA, AQuA, AGIEval",
    example={"question": "3+4?", "options": "A) 6 B) 7 C) 8 D) 9", "Answer": "B"},
    # `Answer` and `answer` are one name to a DuckDB struct: the capital one is read from `extra`
    fields={
        "id": "VARCHAR",
        "question": "VARCHAR",
        "problem": "VARCHAR",
        "options": "JSON",
        "correct": "VARCHAR",
        "answer": "VARCHAR",
        "label": "VARCHAR",
        "rationale": "VARCHAR",
        "type": "VARCHAR",
    },
    requires=("options",),
    check=_has_lettered_options,
    problems="""
        with split as (
            select
                *,
                case
                    when json_type(r.options) = 'ARRAY' then list_transform(
                        from_json(r.options, '["VARCHAR"]'),
                        lambda one: regexp_replace(one, '^\\s*\\(?[A-Ja-j]\\s?[).:]\\s*', '')
                    )
                    else list_filter(
                        list_transform(
                            regexp_split_to_array(
                                r.options ->> '$', '(^|[\\s,])\\(?[A-Ja-j]\\s?\\)\\s*'
                            ),
                            lambda one: regexp_replace(trim(one), '\\s*,$', '')
                        ),
                        lambda one: one <> ''
                    )
                end as choices,
                upper(trim(coalesce(r.correct, r.answer, extra ->> 'Answer', r.label))) as letter,
            from records
        )
        select
            record_id,
            r.id as native_id,
            coalesce(r.question, r.problem) as question,
            letter as gold_answer,
            r.rationale as gold_solution,
            'choice' as answer_type,
            r.type as subject,
            to_json(choices) as choices,
            json_merge_patch(coalesce(extra, '{}'), json_object('options', r.options)) as metadata,
        from split
    """,
)

FORMATS = (MMLU, GPQA, OPTIONS)
