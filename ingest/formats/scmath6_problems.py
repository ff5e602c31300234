"""SC-Math6 problem files: two questions a line, with solutions, golds and reasoning steps.

Source: the fields as CLUEbenchmark/SuperCLUE-Math6 lists them; the file itself is given on request.
Traps: field names with spaces; steps and golds are texts; the follow-up is a problem of its own.
"""

from ingest.formats import Format

FORMAT = Format(
    name="scmath6_problems",
    kind="problems",
    title="SC-Math6 problem file: a question and its follow-up a line",
    example={
        "id": "1",
        "question": "小明有3个苹果，又买了4个，一共有几个？",
        "follow_up_question": "他吃了2个，还剩几个？",
        "language solution": "3 + 4 = 7",
        "language solution_followup": "7 - 2 = 5",
        "reasoning_step_ref": "1",
        "reasoning_step_followup_ref": "2",
        "answer": "7",
        "answer_followup": "5",
    },
    fields={
        "id": "VARCHAR",
        "question": "VARCHAR",
        "follow_up_question": "VARCHAR",
        "language solution": "VARCHAR",
        "language solution_followup": "VARCHAR",
        "reasoning_step_ref": "VARCHAR",
        "reasoning_step_followup_ref": "VARCHAR",
        "answer": "JSON",
        "answer_followup": "JSON",
    },
    requires=("question", "follow_up_question", "answer", "answer_followup"),
    dataset_id="scmath6",
    problems="""
        with turns as (
            select
                *,
                unnest([
                    struct_pack(turn := 1, question := r.question, gold := r.answer,
                        step := r.reasoning_step_ref, solution := r."language solution"),
                    struct_pack(turn := 2, question := r.follow_up_question, gold := r.answer_followup,
                        step := r.reasoning_step_followup_ref,
                        solution := r."language solution_followup")
                ]) as t,
            from records
        )
        select
            record_id,
            t.turn as item,
            t.turn as turn,
            r.id as native_id,
            t.question as question,
            t.gold ->> '$' as gold_answer,
            coalesce(json_type(t.gold) = 'VARCHAR', true) as gold_is_text,
            t.solution as gold_solution,
            'number' as answer_type,
            case when regexp_full_match(t.step, '[0-9]{1,3}') then t.step end as reasoning_steps,
            extra as metadata,
        from turns
    """,
)
