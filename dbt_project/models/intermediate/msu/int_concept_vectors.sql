with embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

concepts as (

    select * from {{ ref('int_concepts') }}

),

keep_finite as (

    select
        embedder_id,
        text,
        embedding
    from embeddings
    where {{ is_finite_vector('embedding') }}

),

list_spellings as (

    select distinct
        concept,
        folded_concept
    from concepts
    where folded_concept is not null

),

-- A folded text that was never embedded itself takes the vector of its first spelling in alphabetical order.
borrow_vectors as (

    select
        keep_finite.embedder_id,
        list_spellings.folded_concept as text,
        min(list_spellings.concept) as spelling
    from list_spellings
    inner join keep_finite on list_spellings.concept = keep_finite.text
    where
        not exists (
            select 1
            from keep_finite as own
            where own.embedder_id = keep_finite.embedder_id and own.text = list_spellings.folded_concept
        )
    group by keep_finite.embedder_id, list_spellings.folded_concept

),

stack_vectors as (

    select
        embedder_id,
        text,
        embedding
    from keep_finite

    union all

    select
        borrow_vectors.embedder_id,
        borrow_vectors.text,
        keep_finite.embedding
    from borrow_vectors
    inner join keep_finite
        on borrow_vectors.embedder_id = keep_finite.embedder_id and borrow_vectors.spelling = keep_finite.text

),

cast_columns as (

    select
        cast(embedder_id as varchar) as embedder_id,
        cast(text as varchar) as text,
        cast(embedding as double[]) as embedding
    from stack_vectors

)

select * from cast_columns
