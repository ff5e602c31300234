"""CMATH: Chinese primary-school problems with their number of reasoning steps (1 to 5) and grade.

Sources: XiaoMi/cmath, the copies of QwenLM/Qwen2.5-Math (`answer`) and deepseek-ai (`golden`).
Traps: no ids.
"""

from ingest.formats import Format

FORMAT = Format(
    name="cmath",
    kind="problems",
    title="CMATH problem set: question, answer or golden, grade, reasoning_step",
    example={
        "grade": 1,
        "question": "3加4等于几？",
        "answer": "7",
        "reasoning_step": 1,
        "num_digits": 1,
    },
    fields={
        "question": "VARCHAR",
        "answer": "JSON",
        "golden": "JSON",
        "grade": "VARCHAR",
        "reasoning_step": "VARCHAR",
    },
    requires=("question", "reasoning_step", "grade"),
    problems="""
        select
            record_id,
            r.question as question,
            coalesce(r.answer, r.golden) ->> '$' as gold_answer,
            json_type(coalesce(r.answer, r.golden)) = 'VARCHAR' as gold_is_text,
            'number' as answer_type,
            r.grade as level,
            case when regexp_full_match(r.reasoning_step, '[0-9]{1,3}') then r.reasoning_step end
                as reasoning_steps,
            extra as metadata,
        from records
    """,
)
