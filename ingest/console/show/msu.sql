-- MSU: how far the concepts of a run's solutions are those of the human solutions
with latest as (

    select
        values_of.run_id,
        values_of.dataset_id,
        values_of.metric_id,
        values_of.value,
        values_of.n_questions
    from marts.metric_values as values_of
    inner join marts.metrics as metrics
        on
            values_of.metric_id = metrics.metric_id
            and values_of.metric_version = metrics.metric_version
            and metrics.is_latest
    where
        values_of.slice_kind = 'all'
        and values_of.metric_id in (
            'msu', 'msu_coverage', 'msu_f1', 'msu_reported', 'concept_precision', 'concept_recall', 'concept_f1'
        )

)

select
    latest.dataset_id as dataset,
    runs.model,
    runs.prompt,
    max(n_questions) as questions,
    round(max(case when metric_id = 'msu' then value end), 4) as msu,
    round(max(case when metric_id = 'msu_coverage' then value end), 4) as msu_coverage,
    round(max(case when metric_id = 'msu_f1' then value end), 4) as msu_f1,
    round(max(case when metric_id = 'msu_reported' then value end), 4) as msu_reported,
    round(max(case when metric_id = 'concept_precision' then value end), 4) as concept_precision,
    round(max(case when metric_id = 'concept_recall' then value end), 4) as concept_recall,
    round(max(case when metric_id = 'concept_f1' then value end), 4) as concept_f1
from latest
inner join marts.runs as runs on latest.run_id = runs.run_id
group by latest.run_id, latest.dataset_id, runs.model, runs.prompt
order by dataset, msu desc nulls last, msu_reported desc nulls last, model, prompt
