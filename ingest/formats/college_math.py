"""College Math problems: `question`, `answer` (LaTeX, mostly in $…$), `question_number`, `data_topic`.

Source: the copy of QwenLM/Qwen2.5-Math (2,818 rows).
Traps: 36 questions repeat; a question number is unique only within its `data_source`.
"""

from ingest.formats import Format

FORMAT = Format(
    name="college_math",
    kind="problems",
    title="College Math problem set: question, answer, question_number, data_topic",
    example={
        "data_source": "college_math.Algebra",
        "question_number": "exercise.1.1",
        "question": "Simplify: $2x+x$",
        "answer": "$3x$",
        "data_topic": "college_math.algebra",
    },
    fields={
        "data_source": "VARCHAR",
        "question_number": "VARCHAR",
        "question": "VARCHAR",
        "answer": "JSON",
        "data_topic": "VARCHAR",
    },
    requires=("question", "answer", "question_number", "data_topic"),
    problems="""
        select
            record_id,
            concat_ws('/', r.data_source, r.question_number) as native_id,
            r.question as question,
            r.answer ->> '$' as gold_answer,
            json_type(r.answer) = 'VARCHAR' as gold_is_text,
            'expression' as answer_type,
            r.data_topic as subject,
            extra as metadata,
        from records
    """,
)
