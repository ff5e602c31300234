with accuracy_composite as (

    select * from {{ ref('metric_accuracy_composite', v=1) }}

),

step_weighted_score as (

    select * from {{ ref('metric_step_weighted_score', v=1) }}

),

components as (

    select *
    from {{ ref('int_scmath6_components') }}
    where metric_version = 1

),

average_scores as (

    select
        accuracy_composite.verdict_source,
        accuracy_composite.run_id,
        accuracy_composite.dataset_id,
        accuracy_composite.n_questions,
        accuracy_composite.n_undecided,
        accuracy_composite.value + step_weighted_score.value as numerator,
        2 as denominator,
        {{ round_half_even(mean_of_two('accuracy_composite.value', 'step_weighted_score.value'), 2) }} as value
    from accuracy_composite
    inner join step_weighted_score
        on
            accuracy_composite.verdict_source = step_weighted_score.verdict_source
            and accuracy_composite.run_id = step_weighted_score.run_id
            and accuracy_composite.dataset_id = step_weighted_score.dataset_id

),

weigh_components as (

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        component,
        case
            when component in ('overall', 'average') then 0.25e0
            else 0.5e0 * cast(replace(component, 'step_', '') as double) / 15
        end as weight,
        numerator,
        denominator
    from components
    where component in ('overall', 'average') or component like 'step_%'

),

estimate_error as (

    select * from {{ combination_metric(
    'composite_score',
    1,
    'average_scores',
    'weigh_components',
    scale=100
) }}

)

select * from estimate_error
