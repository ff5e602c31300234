with concepts as (

    select * from {{ ref('stg_concepts') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

problems as (

    select * from {{ ref('stg_problems') }}

),

fold_concepts as (

    select
        cast(concepts.problem_id as varchar) as problem_id,
        cast(problems.dataset_id as varchar) as dataset_id,
        cast(concepts.response_id as varchar) as response_id,
        cast(responses.run_id as varchar) as run_id,
        cast(concepts.response_id is null as boolean) as is_human,
        cast(concepts.extractor_id as varchar) as extractor_id,
        cast(concepts.concept_no as integer) as concept_no,
        cast(concepts.concept as varchar) as concept,
        cast({{ fold_concept('concepts.concept') }} as varchar) as folded_concept
    from concepts
    inner join problems on concepts.problem_id = problems.problem_id
    left join responses on concepts.response_id = responses.response_id
    where concepts.response_id is null or responses.response_id is not null

)

select * from fold_concepts
