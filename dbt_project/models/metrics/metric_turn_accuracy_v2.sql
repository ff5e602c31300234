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
        cast(n_correct_replies as double) as numerator,
        cast(n_decided_replies as double) as denominator,
        n_replies - n_decided_replies as n_undecided
    from question_scores
    where is_clustered

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'turn_accuracy',
    2,
    'score_questions',
    slices=['turn']
) }}

)

select * from estimate_ratio
