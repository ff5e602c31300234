-- At k: how the first k rollouts vote, and what k random ones would do (expected)
with latest as (

    select
        values_of.run_id,
        values_of.dataset_id,
        values_of.metric_id,
        values_of.k,
        values_of.value,
        values_of.n_questions
    from marts.metric_values as values_of
    inner join marts.metrics as metrics
        on
            values_of.metric_id = metrics.metric_id
            and values_of.metric_version = metrics.metric_version
            and metrics.is_latest
    inner join marts.runs as runs on values_of.run_id = runs.run_id
    where
        values_of.k is not null
        and values_of.verdict_source = 'judge'
        and values_of.slice_kind = 'all'
        and runs.n_rollouts > runs.n_problems

)

select
    latest.dataset_id as dataset,
    runs.model,
    runs.prompt,
    latest.k,
    max(n_questions) as questions,
    round(max(case when metric_id = 'rm_at_k' then value end), 4) as rm_at_k,
    round(max(case when metric_id = 'rm_at_k_expected' then value end), 4) as rm_expected,
    round(max(case when metric_id = 'major_at_k' then value end), 4) as major_at_k,
    round(max(case when metric_id = 'major_at_k_expected' then value end), 4) as major_expected,
    round(max(case when metric_id = 'plurality_at_k' then value end), 4) as plurality_at_k,
    round(max(case when metric_id = 'reward_at_k' then value end), 4) as reward_at_k,
    round(max(case when metric_id = 'all_at_k' then value end), 4) as all_at_k
from latest
inner join marts.runs as runs on latest.run_id = runs.run_id
group by latest.run_id, latest.dataset_id, runs.model, runs.prompt, latest.k
order by dataset, model, prompt, k
