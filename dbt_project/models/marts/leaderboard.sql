{#- Headline metrics, each at its latest version, by our own judge. Those at k stand at the largest k every problem reaches. -#}
{%- set headlines = [
    'accuracy', 'overall_accuracy', 'average_accuracy', 'accuracy_composite', 'turn_difference', 'step_weighted_score',
    'composite_score', 'instruction_following_rate', 'answer_length', 'major_at_k', 'rm_at_k', 'all_at_k', 'plurality_at_k',
    'reward_at_k', 'msu', 'msu_reported',
] -%}

with metric_values as (

    select * from {{ ref('metric_values') }}

),

metrics as (

    select * from {{ ref('metrics') }}

),

runs as (

    select * from {{ ref('runs') }}

),

keep_headlines as (

    select metric_values.*
    from metric_values
    inner join metrics
        on
            metric_values.metric_id = metrics.metric_id
            and metric_values.metric_version = metrics.metric_version
    inner join runs on metric_values.run_id = runs.run_id
    where
        metrics.is_latest
        and (metric_values.verdict_source = 'judge' or metric_values.metric_id = 'msu_reported')
        and (metric_values.slice_kind = 'all' or metric_values.metric_id = 'turn_accuracy')
        and coalesce(metric_values.k, runs.n_rollouts_everywhere) = runs.n_rollouts_everywhere

),

pivot_metrics as (

    select
        run_id,
        dataset_id,
        {% for metric_id in headlines -%}
        max(case when metric_id = '{{ metric_id }}' then value end) as {{ metric_id }},
        {% endfor -%}
        max(case when metric_id = 'accuracy' then std_error end) as accuracy_std_error,
        max(case when metric_id = 'accuracy' then ci_low end) as accuracy_ci_low,
        max(case when metric_id = 'accuracy' then ci_high end) as accuracy_ci_high,
        max(case when metric_id = 'composite_score' then std_error end) as composite_score_std_error,
        max(case when metric_id = 'turn_accuracy' and slice_value = '1' then value end) as turn_1_accuracy,
        max(case when metric_id = 'turn_accuracy' and slice_value = '2' then value end) as turn_2_accuracy,
        count(distinct case when metric_id = 'msu' then concat_ws(' ', embedder_id, extractor_id) end) as n_msu_kinds,
        min(case when metric_id = 'msu' then embedder_id end) as msu_embedder_id,
        max(case when metric_id = 'major_at_k' then k end) as k,
        max(case when metric_id = 'accuracy' then n_questions end) as n_questions,
        max(case when metric_id = 'accuracy' then n_undecided end) as n_undecided
    from keep_headlines
    group by run_id, dataset_id

),

describe_runs as (

    select
        cast(pivot_metrics.run_id as varchar) as run_id,
        cast(pivot_metrics.dataset_id as varchar) as dataset_id,
        cast(runs.model as varchar) as model,
        cast(runs.prompt as varchar) as prompt,
        cast(pivot_metrics.n_questions as bigint) as n_questions,
        cast(pivot_metrics.n_undecided as bigint) as n_undecided,
        cast(pivot_metrics.accuracy as double) as accuracy,
        cast(pivot_metrics.accuracy_std_error as double) as accuracy_std_error,
        cast(pivot_metrics.accuracy_ci_low as double) as accuracy_ci_low,
        cast(pivot_metrics.accuracy_ci_high as double) as accuracy_ci_high,
        cast(pivot_metrics.turn_1_accuracy as double) as turn_1_accuracy,
        cast(pivot_metrics.turn_2_accuracy as double) as turn_2_accuracy,
        cast(pivot_metrics.turn_difference as double) as turn_difference,
        cast(pivot_metrics.overall_accuracy as double) as overall_accuracy,
        cast(pivot_metrics.average_accuracy as double) as average_accuracy,
        cast(pivot_metrics.accuracy_composite as double) as accuracy_composite,
        cast(pivot_metrics.step_weighted_score as double) as step_weighted_score,
        cast(pivot_metrics.composite_score as double) as composite_score,
        cast(pivot_metrics.composite_score_std_error as double) as composite_score_std_error,
        cast(pivot_metrics.instruction_following_rate as double) as instruction_following_rate,
        cast(pivot_metrics.answer_length as double) as answer_length,
        cast(pivot_metrics.k as integer) as k,
        cast(pivot_metrics.major_at_k as double) as major_at_k,
        cast(pivot_metrics.rm_at_k as double) as rm_at_k,
        cast(pivot_metrics.all_at_k as double) as all_at_k,
        cast(pivot_metrics.plurality_at_k as double) as plurality_at_k,
        cast(pivot_metrics.reward_at_k as double) as reward_at_k,
        -- values of different embedders or extractors are not one number
        cast(case when pivot_metrics.n_msu_kinds = 1 then pivot_metrics.msu end as double) as msu,
        cast(case when pivot_metrics.n_msu_kinds = 1 then pivot_metrics.msu_embedder_id end as varchar) as msu_embedder_id,
        cast(pivot_metrics.msu_reported as double) as msu_reported
    from pivot_metrics
    inner join runs on pivot_metrics.run_id = runs.run_id

)

select * from describe_runs
