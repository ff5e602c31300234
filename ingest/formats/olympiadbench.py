"""OlympiadBench problems: a list of final answers with type, unit and tolerance.

Source: OpenBMB/OlympiadBench and the JSON lines of QwenLM/Qwen2.5-Math.
Traps: `final_answer` is a list, mostly of one text that may itself hold several answers
(`is_multiple_answer`); `error` is the tolerance, as text; some questions need their `context`.
"""

from ingest.formats import Format

FORMAT = Format(
    name="olympiadbench",
    kind="problems",
    title="OlympiadBench problem set: question, final_answer list, unit, error",
    example={
        "id": 1,
        "question": "Find the length of a lap.",
        "final_answer": ["4.2"],
        "answer_type": "Numerical",
        "unit": "km",
        "error": "1e-1",
        "is_multiple_answer": False,
        "subfield": "Algebra",
    },
    fields={
        "id": "VARCHAR",
        "context": "VARCHAR",
        "question": "VARCHAR",
        "final_answer": "JSON",
        "solution": "JSON",
        "answer_type": "VARCHAR",
        "subfield": "VARCHAR",
        "unit": "VARCHAR",
        "error": "VARCHAR",
    },
    requires=("question", "final_answer", "answer_type"),
    problems="""
        select
            record_id,
            r.id as native_id,
            concat_ws(chr(10), r.context, r.question) as question,
            case
                when json_type(r.final_answer) = 'ARRAY'
                then array_to_string(from_json(r.final_answer, '["VARCHAR"]'), ', ')
                else r.final_answer ->> '$'
            end as gold_answer,
            case
                when json_type(r.solution) = 'ARRAY'
                then array_to_string(from_json(r.solution, '["VARCHAR"]'), chr(10))
                else r.solution ->> '$'
            end as gold_solution,
            r.answer_type as answer_type,
            r.subfield as subject,
            r.unit as unit,
            r.error as tolerance,
            extra as metadata,
        from records
    """,
)
