with step_accuracy as (

    select * from {{ ref('metric_step_accuracy', v=1) }}

),

components as (

    select *
    from {{ ref('int_scmath6_components') }}
    where metric_version = 1

),

pivot_steps as (

    select
        verdict_source,
        run_id,
        dataset_id,
        max(case when slice_value = '1' then value end) as step_1,
        max(case when slice_value = '2' then value end) as step_2,
        max(case when slice_value = '3' then value end) as step_3,
        max(case when slice_value = '4' then value end) as step_4,
        max(case when slice_value = '5' then value end) as step_5,
        -- 15 where all five steps have a value: less is the flag of a missing one
        sum(case when value is not null then cast(slice_value as integer) end) as denominator,
        sum(n_questions) as n_questions,
        sum(n_undecided) as n_undecided
    from step_accuracy
    where slice_value in ('1', '2', '3', '4', '5')
    group by verdict_source, run_id, dataset_id

),

weigh_steps as (

    select
        *,
        {{ weighted_steps() }} as numerator
    from pivot_steps

),

normalise_score as (

    select
        *,
        {{ round_half_even('numerator / 15 * 100', 2) }} as value
    from weigh_steps

),

weigh_components as (

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        component,
        cast(replace(component, 'step_', '') as double) / 15 as weight,
        numerator,
        denominator
    from components
    where component like 'step_%'

),

estimate_error as (

    select * from {{ combination_metric(
    'step_weighted_score',
    1,
    'normalise_score',
    'weigh_components',
    scale=100
) }}

)

select * from estimate_error
