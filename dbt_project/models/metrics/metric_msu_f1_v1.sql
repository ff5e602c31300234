with concept_scores as (

    select * from {{ ref('int_concept_scores') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

score_responses as (

    select
        run_id,
        problem_id,
        embedder_id,
        extractor_id,
        msu_f1 as score
    from concept_scores

),

measure as (

    select * from {{ score_metric(
        'msu_f1',
        1,
        'score_responses',
        'questions',
        extra_keys=['embedder_id', 'extractor_id']
    ) }}

)

select * from measure
