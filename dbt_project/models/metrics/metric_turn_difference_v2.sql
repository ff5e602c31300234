with turn_accuracy as (

    select * from {{ ref('metric_turn_accuracy', v=2) }}

),

components as (

    select *
    from {{ ref('int_scmath6_components') }}
    where metric_version = 2

),

pivot_turns as (

    select
        verdict_source,
        run_id,
        dataset_id,
        max(case when slice_value = '1' then value end) as turn_1,
        max(case when slice_value = '2' then value end) as turn_2,
        sum(n_questions) as n_questions,
        sum(n_undecided) as n_undecided
    from turn_accuracy
    where slice_value in ('1', '2')
    group by verdict_source, run_id, dataset_id

),

subtract_turns as (

    select
        *,
        turn_2 - turn_1 as numerator,
        1 as denominator,
        turn_2 - turn_1 as value
    from pivot_turns

),

weigh_components as (

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        component,
        case component when 'turn_1' then -1.0 else 1.0 end as weight,
        numerator,
        denominator
    from components
    where component in ('turn_1', 'turn_2')

),

estimate_error as (

    select * from {{ combination_metric(
    'turn_difference',
    2,
    'subtract_turns',
    'weigh_components',
    scale=1,
    is_proportion=false
) }}

)

select * from estimate_error
