"""SC-Math6 answer files: one JSON object a line, two turns each, whatever the suffix.

Source: CLUEbenchmark/SuperCLUE-Math6, scripts/evaluate.py and its sample answer file.
Traps: no ids, so every line is a pair of problems of its own and repeated lines count each; a reply
that is absent, null, '' or false in another way (0, false, [], {}) is no reply to the published scorer
while ' ' is one; a gold that is a JSON number never equals an extracted text there, hence
`gold_is_text`; steps are texts, "6" and more occur, and to that scorer a step that is a JSON number is
none of the five: it is kept as metadata.
"""

from ingest.formats import Format

# A JSON value other than a text that the published scorer takes for no reply.
_FALSE = r"null|false|-?0(\.0*)?([eE][-+]?[0-9]+)?|\[\s*\]|\{\s*\}"

_TURNS = """
    turns as (
        select
            *,
            unnest([
                struct_pack(turn := 1, reply := r.model_answer_turns_1, gold := r.answer,
                    step := r.reasoning_step_ref, question := r.question),
                struct_pack(turn := 2, reply := r.model_answer_turns_2, gold := r.answer_followup,
                    step := r.reasoning_step_followup_ref, question := r.follow_up_question)
            ]) as t,
        from records
    )
"""

FORMAT = Format(
    name="scmath6",
    kind="outputs",
    title="SC-Math6 answer file: two turns a line",
    example={
        "model_answer_turns_1": "3 + 4 = 7，最终答案:【7】",
        "answer": "7",
        "model_answer_turns_2": "7 - 2 = 5，最终答案:【5】",
        "answer_followup": "5",
        "reasoning_step_ref": "1",
        "reasoning_step_followup_ref": "2",
    },
    fields={
        "id": "VARCHAR",
        "question": "VARCHAR",
        "follow_up_question": "VARCHAR",
        "model_answer_turns_1": "JSON",
        "model_answer_turns_2": "JSON",
        "answer": "JSON",
        "answer_followup": "JSON",
        "reasoning_step_ref": "JSON",
        "reasoning_step_followup_ref": "JSON",
        "model": "VARCHAR",
    },
    requires=("answer", "answer_followup", "reasoning_step_ref", "reasoning_step_followup_ref"),
    check=lambda sample: bool({"model_answer_turns_1", "model_answer_turns_2"} & sample.fields),
    dataset_id="scmath6",
    problems=f"""
        with {_TURNS}
        select
            record_id,
            t.turn as item,
            t.turn as turn,
            r.id as native_id,
            t.question as question,
            t.gold ->> '$' as gold_answer,
            coalesce(json_type(t.gold) = 'VARCHAR', true) as gold_is_text,
            'number' as answer_type,
            case
                when json_type(t.step) = 'VARCHAR' and regexp_full_match(t.step ->> '$', '0|[1-9][0-9]{{0,2}}')
                    then t.step ->> '$'
            end as reasoning_steps,
            case when json_type(t.step) <> 'VARCHAR' then json_object('reasoning_step_ref', t.step) end as metadata,
        from turns
    """,
    responses=f"""
        with {_TURNS}
        select
            record_id,
            t.turn as item,
            t.turn as turn,
            r.id as native_id,
            r.model as model,
            case
                when json_type(t.reply) = 'VARCHAR' or not regexp_full_match(t.reply::varchar, '{_FALSE}')
                    then nullif(t.reply ->> '$', '')
            end as response,
            extra as metadata,
        from turns
    """,
)
