with similarities as (

    select * from {{ ref('int_concept_similarities') }}

),

number_concepts as (

    select
        *,
        dense_rank() over (partition by response_id, extractor_id, embedder_id order by generated_concept) as generated_no,
        dense_rank() over (partition by response_id, extractor_id, embedder_id order by human_concept) as human_no
    from similarities

),

keep_similar as (

    select *
    from number_concepts
    where cast(round(cosine * 1000000000) as bigint) >= {{ var('concept_match_billionths') }}

),

-- Only the pattern of candidates matters to a matching, and few patterns make up most solutions.
collect_candidates as (

    select
        response_id,
        extractor_id,
        embedder_id,
        {{ collect_ordered('generated_no', 'generated_no, human_no') }} as generated_nos,
        {{ collect_ordered('human_no', 'generated_no, human_no') }} as human_nos
    from keep_similar
    group by response_id, extractor_id, embedder_id

),

cast_columns as (

    select
        cast(response_id as varchar) as response_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(embedder_id as varchar) as embedder_id,
        cast(generated_nos as integer[]) as generated_nos,
        cast(human_nos as integer[]) as human_nos
    from collect_candidates

)

select * from cast_columns
