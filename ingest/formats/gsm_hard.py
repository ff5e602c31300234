"""GSM-Hard problems: GSM8K with large numbers; `input`, `target` (a float), `code`.

Source: reasoning-machines/gsm-hard and the copies of evaluation harnesses, which add `idx`.
Traps: 303 of 1,319 golds are no whole numbers, 146 are negative, the largest is 9.28e12.
"""

from ingest.formats import Format

FORMAT = Format(
    name="gsm_hard",
    kind="problems",
    title="GSM-Hard problem set: input, target",
    example={"input": "Ann has 3 apples and buys 4933828. How many?", "target": 4933831.0},
    fields={"idx": "VARCHAR", "input": "VARCHAR", "target": "JSON", "code": "VARCHAR"},
    requires=("input", "target"),
    problems="""
        select
            record_id,
            r.idx as native_id,
            r.input as question,
            r.target ->> '$' as gold_answer,
            json_type(r.target) = 'VARCHAR' as gold_is_text,
            r.code as gold_solution,
            'number' as answer_type,
            extra as metadata,
        from records
    """,
)
