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
        cast(n_official_correct as double) as numerator,
        cast(n_extracted as double) as denominator,
        n_replies - n_official_replies as n_undecided
    from step_questions
    where reasoning_steps between 1 and 5

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'step_accuracy',
    1,
    'score_questions',
    slices=['reasoning_steps'],
    digits=2
) }}

)

select * from estimate_ratio
