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
        cast(n_correct as double) as numerator,
        cast(n_replied as double) as denominator,
        n_undecided
    from conversation_scores

),

estimate_ratio as (

    select * from {{ ratio_metric(
    'overall_accuracy',
    2,
    'score_questions',
    slices=['all']
) }}

)

select * from estimate_ratio
