-- Steps: accuracy by the number of reasoning steps a question takes
with latest as (

    select
        values_of.run_id,
        values_of.dataset_id,
        values_of.slice_value,
        values_of.value,
        values_of.denominator
    from marts.metric_values as values_of
    inner join marts.metrics as metrics
        on
            values_of.metric_id = metrics.metric_id
            and values_of.metric_version = metrics.metric_version
            and metrics.is_latest
    where
        values_of.metric_id = 'step_accuracy'
        and values_of.verdict_source = 'judge'
        and values_of.slice_kind = 'reasoning_steps'

)

select
    latest.dataset_id as dataset,
    runs.model,
    runs.prompt,
    round(max(case when slice_value = '1' then value end), 4) as "1 step",
    round(max(case when slice_value = '2' then value end), 4) as "2 steps",
    round(max(case when slice_value = '3' then value end), 4) as "3 steps",
    round(max(case when slice_value = '4' then value end), 4) as "4 steps",
    round(max(case when slice_value = '5' then value end), 4) as "5 steps",
    cast(sum(denominator) as bigint) as replies
from latest
inner join marts.runs as runs on latest.run_id = runs.run_id
group by latest.run_id, latest.dataset_id, runs.model, runs.prompt
order by dataset, sum(value * denominator) / nullif(sum(denominator), 0) desc nulls last, model
