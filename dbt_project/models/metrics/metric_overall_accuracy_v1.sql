with conversation_scores as (

    select * from {{ ref('int_conversation_scores') }}

),

score_questions as (

    select
        verdict_source,
        run_id,
        dataset_id,
        conversation_id as problem_id,
        conversation_id as cluster_id,
        false as is_clustered,
        cast(n_won as double) as numerator,
        cast(n_replied_official as double) as denominator,
        n_undecided_official as n_undecided
    from conversation_scores

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'overall_accuracy',
    1,
    'score_questions',
    slices=['all'],
    scale=100,
    digits=2
) }}

)

select * from estimate_ratio
