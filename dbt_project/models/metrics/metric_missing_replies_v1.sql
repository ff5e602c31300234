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
        cast(n_responses - n_replies as double) as numerator,
        cast(n_responses as double) as denominator,
        0 as n_undecided
    from question_scores
    where verdict_source = 'judge' and policy_id = 'scmath6_official'

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'missing_replies',
    1,
    'score_questions',
    slices=['all', 'turn'],
    scale='denominator',
    expression='numerator'
) }}

)

select * from estimate_ratio
