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
        cast(n_official_correct as double) as numerator,
        cast(n_official_replies as double) as denominator,
        n_replies - n_official_replies as n_undecided
    from question_scores
    where is_clustered

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'average_accuracy',
    1,
    'score_questions',
    slices=['all'],
    scale=100,
    digits=2
) }}

)

select * from estimate_ratio
