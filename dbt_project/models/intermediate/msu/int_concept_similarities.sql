with concepts as (

    select * from {{ ref('int_concepts') }}

),

pairs as (

    select * from {{ ref('int_concept_pairs') }}

),

list_human as (

    select distinct
        problem_id,
        extractor_id,
        folded_concept
    from concepts
    where is_human and folded_concept is not null

),

list_generated as (

    select distinct
        response_id,
        problem_id,
        extractor_id,
        folded_concept
    from concepts
    where not is_human and folded_concept is not null

),

compare_concepts as (

    select
        cast(list_generated.response_id as varchar) as response_id,
        cast(list_generated.extractor_id as varchar) as extractor_id,
        cast(pairs.embedder_id as varchar) as embedder_id,
        cast(list_generated.folded_concept as varchar) as generated_concept,
        cast(list_human.folded_concept as varchar) as human_concept,
        cast(pairs.cosine as double) as cosine
    from list_generated
    inner join list_human
        on list_generated.problem_id = list_human.problem_id and list_generated.extractor_id = list_human.extractor_id
    inner join pairs
        on list_generated.folded_concept = pairs.generated_text and list_human.folded_concept = pairs.human_text

)

select * from compare_concepts
