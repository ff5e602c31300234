"""The MSU study's CSV: 450 MATH problems, one column per model and prompt, one MSU column per each.

Source: the published scoring output. Columns `gpt_<model>_<prompt>_solution` hold replies,
`<that>_notion_SCORE` the MSU value, `<that>_accurate`, where it exists, a model judge's verdict.
Traps: wide; cells span lines; the human solution is `solution`; no concepts are stored.
"""

from ingest.answers import last_boxed
from ingest.formats import Format

FORMAT = Format(
    name="msu_study",
    kind="outputs",
    title="MSU study CSV: wide, one solution and one MSU column per model and prompt",
    example={
        "problem": "What is $3+4$?",
        "level": "Level 1",
        "type": "Prealgebra",
        "solution": "$3+4=\\boxed{7}$",
        "gpt_chatgpt_zeroshot_solution": "The sum is 7.",
        "gpt_chatgpt_zeroshot_solution_notion_SCORE": 0.83,
    },
    fields={"problem": "VARCHAR", "level": "VARCHAR", "type": "VARCHAR", "solution": "VARCHAR"},
    requires=("problem", "level", "type", "solution"),
    check=lambda sample: any(name.endswith("_solution_notion_SCORE") for name in sample.fields),
    dataset_id="msu_study",
    problems=f"""
        select
            record_id,
            r.problem as question,
            {last_boxed("r.solution")} as gold_answer,
            r.solution as gold_solution,
            r.level as level,
            r.type as subject,
        from records
    """,
    responses="""
        with cells as (
            select record_id, extra, unnest(json_keys(extra)) as name from records
        ),
        solutions as (
            select *, '$."' || name as path from cells where regexp_matches(name, '^gpt_.+_solution$')
        )
        select
            record_id,
            row_number() over (partition by record_id order by name) as item,
            regexp_extract(name, '^gpt_(.+)_([^_]+)_solution$', 1) as model,
            regexp_extract(name, '^gpt_(.+)_([^_]+)_solution$', 2) as prompt,
            name as run_key,
            extra ->> (path || '"') as response,
            extra ->> (path || '_accurate"') as reported_correct,
            case
                when extra ->> (path || '_notion_SCORE"') <> ''
                then json_object('msu', extra ->> (path || '_notion_SCORE"'))
            end as scores,
        from solutions
    """,
)
