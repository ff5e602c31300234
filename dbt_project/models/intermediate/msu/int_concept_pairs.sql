with concepts as (

    select * from {{ ref('int_concepts') }}

),

vectors as (

    select * from {{ ref('int_concept_vectors') }}

),

-- Both forms of a concept: as it was extracted, which version 1 compares, and folded, which version 2 compares.
list_texts as (

    select distinct
        problem_id,
        extractor_id,
        is_human,
        'raw' as form,
        concept as text
    from concepts
    where concept is not null

    union

    select distinct
        problem_id,
        extractor_id,
        is_human,
        'folded' as form,
        folded_concept as text
    from concepts
    where folded_concept is not null

),

pair_texts as (

    select distinct
        generated.text as generated_text,
        human.text as human_text
    from list_texts as generated
    inner join list_texts as human
        on
            generated.problem_id = human.problem_id
            and generated.extractor_id = human.extractor_id
            and generated.form = human.form
    where not generated.is_human and human.is_human

),

measure_angles as (

    select
        cast(generated_vectors.embedder_id as varchar) as embedder_id,
        cast(pair_texts.generated_text as varchar) as generated_text,
        cast(pair_texts.human_text as varchar) as human_text,
        cast({{ cosine_similarity('generated_vectors.embedding', 'human_vectors.embedding') }} as double) as cosine
    from pair_texts
    inner join vectors as generated_vectors on pair_texts.generated_text = generated_vectors.text
    inner join vectors as human_vectors
        on
            pair_texts.human_text = human_vectors.text
            and generated_vectors.embedder_id = human_vectors.embedder_id

)

select * from measure_angles
