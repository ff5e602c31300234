with overall_accuracy as (

    select * from {{ ref('metric_overall_accuracy', v=2) }}

),

average_accuracy as (

    select * from {{ ref('metric_average_accuracy', v=2) }}

),

components as (

    select *
    from {{ ref('int_scmath6_components') }}
    where metric_version = 2

),

average_accuracies as (

    select
        average_accuracy.verdict_source,
        average_accuracy.run_id,
        average_accuracy.dataset_id,
        average_accuracy.n_questions,
        average_accuracy.n_undecided,
        overall_accuracy.value + average_accuracy.value as numerator,
        2 as denominator,
        {{ mean_of_two('overall_accuracy.value', 'average_accuracy.value') }} as value
    from average_accuracy
    inner join overall_accuracy
        on
            average_accuracy.verdict_source = overall_accuracy.verdict_source
            and average_accuracy.run_id = overall_accuracy.run_id
            and average_accuracy.dataset_id = overall_accuracy.dataset_id
    where average_accuracy.slice_kind = 'all'

),

weigh_components as (

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        component,
        0.5e0 as weight,
        numerator,
        denominator
    from components
    where component in ('overall', 'average')

),

estimate_error as (

    select * from {{ combination_metric(
    'accuracy_composite',
    2,
    'average_accuracies',
    'weigh_components',
    scale=1
) }}

)

select * from estimate_error
