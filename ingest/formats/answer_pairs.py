"""OlympiadBench scoring examples: a gold and the answers that are, or are not, equal to it.

Source: OpenBMB/OlympiadBench, the examples of its judge.
Traps: no question and no model; a gold is a problem, each answer one reply, `equal` the verdict.
"""

from ingest.formats import Format, Sample
from ingest.json_sql import verdict_of


def _fits(sample: Sample) -> bool:
    return sample.every(
        lambda record: all(isinstance(one, dict) and "answer" in one for one in record["Ans"])
    )


FORMAT = Format(
    name="answer_pairs",
    kind="outputs",
    title="OlympiadBench scoring examples: GT, and answers with their verdict",
    example={
        "GT": "x=7",
        "Ans": [{"answer": "7", "equal": True}, {"answer": "x=8", "equal": False}],
    },
    fields={"GT": "JSON", "Ans": "JSON"},
    requires=("GT", "Ans"),
    check=_fits,
    problems="""
        select record_id, line::varchar as native_id, r.GT ->> '$' as gold_answer, extra as metadata
        from records
    """,
    responses=f"""
        with listed as (select *, from_json(r.Ans, '["JSON"]') as answers from records),
        rollouts as (select *, unnest(range(1, len(answers) + 1)) as n from listed)
        select
            record_id,
            n as item,
            n as rollout_no,
            line::varchar as native_id,
            answers[n] ->> 'answer' as response,
            answers[n] ->> 'answer' as reported_answer,
            {verdict_of("(answers[n] -> 'equal')")} as reported_correct,
            answers[n] as metadata,
        from rollouts
    """,
)
