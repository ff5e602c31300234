with concept_scores as (

    select * from {{ ref('int_concept_scores') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

attach_rollouts as (

    select
        cast(concept_scores.response_id as varchar) as response_id,
        cast(concept_scores.run_id as varchar) as run_id,
        cast(concept_scores.problem_id as varchar) as problem_id,
        cast(concept_scores.dataset_id as varchar) as dataset_id,
        cast(responses.rollout_no as integer) as rollout_no,
        cast(concept_scores.embedder_id as varchar) as embedder_id,
        cast(concept_scores.extractor_id as varchar) as extractor_id,
        cast(concept_scores.status as varchar) as status,
        cast(concept_scores.n_human_concepts as integer) as n_human_concepts,
        cast(concept_scores.n_generated_concepts as integer) as n_generated_concepts,
        cast(concept_scores.n_human_distinct as integer) as n_human_distinct,
        cast(concept_scores.n_generated_distinct as integer) as n_generated_distinct,
        cast(concept_scores.n_matched as integer) as n_matched,
        cast(concept_scores.msu_v1 as double) as msu_v1,
        cast(concept_scores.msu_v2 as double) as msu_v2,
        cast(concept_scores.msu_coverage as double) as msu_coverage,
        cast(concept_scores.msu_f1 as double) as msu_f1,
        cast(concept_scores.concept_precision as double) as concept_precision,
        cast(concept_scores.concept_recall as double) as concept_recall,
        cast(concept_scores.concept_f1 as double) as concept_f1
    from concept_scores
    inner join responses on concept_scores.response_id = responses.response_id

)

select * from attach_rollouts
