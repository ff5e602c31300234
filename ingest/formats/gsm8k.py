"""GSM8K problems: `question`, and `answer` with the worked solution and `#### n` behind it.

Source: openai/grade-school-math; copies of evaluation harnesses add `idx`.
Traps: golds have thousands separators; the official file names no ids.
"""

from ingest.answers import after_hashes
from ingest.formats import Format

FORMAT = Format(
    name="gsm8k",
    kind="problems",
    title="GSM8K problem set: question, answer ending in #### n",
    example={
        "question": "Ann has 3 apples and buys 4. How many?",
        "answer": "3+4=<<3+4=7>>7\n#### 7",
    },
    fields={"idx": "VARCHAR", "question": "VARCHAR", "answer": "VARCHAR"},
    requires=("question", "answer"),
    check=lambda sample: sample.every(lambda record: "####" in record["answer"]),
    problems=f"""
        select
            record_id,
            r.idx as native_id,
            r.question as question,
            {after_hashes("r.answer")} as gold_answer,
            r.answer as gold_solution,
            'number' as answer_type,
            extra as metadata,
        from records
    """,
)
