with step_questions as (

    select * from {{ ref('int_step_questions') }}

),

score_questions as (

    select
        verdict_source,
        run_id,
        dataset_id,
        problem_id,
        cluster_id,
        is_clustered,
        reasoning_steps,
        cast(n_correct_replies as double) as numerator,
        cast(n_decided_replies as double) as denominator,
        n_replies - n_decided_replies as n_undecided
    from step_questions

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'step_accuracy',
    2,
    'score_questions',
    slices=['reasoning_steps']
) }}

)

select * from estimate_ratio
