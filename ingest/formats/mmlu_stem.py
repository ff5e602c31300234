"""MMLU STEM questions: `question`, a list of choices, and the right one as index from 0 or as letter.

Sources: the copies of QwenLM/Qwen2.5-Math (`choices`, `type`, integer answer) and of
deepseek-ai/DeepSeek-Math (`options`, `topic`, letter).
Traps: no ids in the first, 46 questions repeat; the order of choices is part of the problem.
"""

from ingest.formats import Format

FORMAT = Format(
    name="mmlu_stem",
    kind="problems",
    title="MMLU STEM problem set: question, choices or options, answer",
    example={
        "question": "3 + 4 = ?",
        "choices": ["6", "7", "8", "9"],
        "answer": 1,
        "type": "algebra",
    },
    fields={
        "id": "VARCHAR",
        "question": "VARCHAR",
        "choices": "JSON",
        "options": "JSON",
        "answer": "VARCHAR",
        "type": "VARCHAR",
        "topic": "VARCHAR",
    },
    requires=("question", "answer"),
    check=lambda sample: sample.every(
        lambda record: (
            isinstance(record.get("choices", record.get("options")), list)
            and str(record["answer"]) in "0123456789ABCDEFGHIJ"
        )
    ),
    problems="""
        select
            record_id,
            case when r.topic is null then r.id else concat_ws('/', r.topic, r.id) end as native_id,
            r.question as question,
            case
                when regexp_full_match(r.answer, '[0-9]') then chr(65 + r.answer::integer)
                else r.answer
            end as gold_answer,
            'choice' as answer_type,
            coalesce(r.type, r.topic) as subject,
            coalesce(r.choices, r.options) as choices,
            extra as metadata,
        from records
    """,
)
