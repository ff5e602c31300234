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
        cast(n_chars as double) as numerator,
        cast(n_replies as double) as denominator,
        0 as n_undecided
    from question_scores
    where verdict_source = 'judge'

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'answer_length',
    2,
    'score_questions',
    interval='normal'
) }}

)

select * from estimate_ratio
