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
        cast(n_chars as double) as numerator,
        cast(n_replies as double) as denominator,
        0 as n_undecided
    from question_scores
    where verdict_source = 'judge' and is_clustered

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'answer_length',
    1,
    'score_questions',
    slices=['all'],
    interval='normal',
    digits=2,
    expression='numerator / 100 / denominator * 100'
) }}

)

select * from estimate_ratio
