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
        cast(n_bracket_answers as double) as numerator,
        cast(n_bracket_answers + n_fallback_answers as double) as denominator,
        0 as n_undecided
    from question_scores
    where verdict_source = 'judge' and policy_id = 'scmath6_official'

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'instruction_following_rate',
    1,
    'score_questions',
    slices=['all', 'turn', 'reasoning_steps']
) }}

)

select * from estimate_ratio
