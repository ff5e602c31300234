{%- set at_k_metrics = [
    'major_at_k', 'major_at_k_expected', 'rm_at_k', 'rm_at_k_expected', 'all_at_k', 'all_at_k_expected', 'plurality_at_k',
    'reward_at_k',
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

keep_latest as (

    select metric_values.*
    from metric_values
    inner join metrics
        on
            metric_values.metric_id = metrics.metric_id
            and metric_values.metric_version = metrics.metric_version
    where metrics.is_latest and metric_values.k is not null

),

pivot_metrics as (

    select
        verdict_source,
        run_id,
        dataset_id,
        slice_kind,
        slice_value,
        k,
        {% for metric_id in at_k_metrics -%}
        max(case when metric_id = '{{ metric_id }}' then value end) as {{ metric_id }},
        max(case when metric_id = '{{ metric_id }}' then std_error end) as {{ metric_id }}_std_error,
        {% endfor -%}
        max(case when metric_id = 'plurality_ties_at_k' then numerator end) as n_tied,
        max(case when metric_id = 'coverage_at_k' then value end) as coverage,
        max(case when metric_id = 'coverage_at_k' then numerator end) as n_covered,
        max(case when metric_id = 'coverage_at_k' then denominator end) as n_problems,
        max(case when metric_id = 'major_at_k' then n_undecided end) as n_undecided
    from keep_latest
    group by verdict_source, run_id, dataset_id, slice_kind, slice_value, k

),

cast_columns as (

    select
        cast(pivot_metrics.verdict_source as varchar) as verdict_source,
        cast(pivot_metrics.run_id as varchar) as run_id,
        cast(pivot_metrics.dataset_id as varchar) as dataset_id,
        cast(runs.model as varchar) as model,
        cast(runs.prompt as varchar) as prompt,
        cast(pivot_metrics.slice_kind as varchar) as slice_kind,
        cast(pivot_metrics.slice_value as varchar) as slice_value,
        cast(pivot_metrics.k as integer) as k,
        cast(pivot_metrics.n_problems as bigint) as n_problems,
        cast(pivot_metrics.n_covered as bigint) as n_covered,
        cast(pivot_metrics.coverage as double) as coverage,
        {% for metric_id in at_k_metrics -%}
        cast(pivot_metrics.{{ metric_id }} as double) as {{ metric_id }},
        cast(pivot_metrics.{{ metric_id }}_std_error as double) as {{ metric_id }}_std_error,
        {% endfor -%}
        cast(pivot_metrics.n_tied as bigint) as n_tied,
        cast(coalesce(pivot_metrics.n_undecided, 0) as bigint) as n_undecided
    from pivot_metrics
    inner join runs on pivot_metrics.run_id = runs.run_id

)

select * from cast_columns
