with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

score_questions as (

    select
        verdict_source,
        run_id,
        dataset_id,
        problem_id,
        cluster_id,
        is_clustered,
        turn,
        reasoning_steps,
        level,
        subject,
        cast(n_correct as double) / nullif(n_decided, 0) as numerator,
        cast(1 as double) as denominator,
        n_responses - n_decided as n_undecided
    from question_scores

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'accuracy',
    1,
    'score_questions'
) }}

)

select * from estimate_ratio
