with concepts as (

    select * from {{ ref('int_concepts') }}

),

vectors as (

    select * from {{ ref('int_concept_vectors') }}

),

-- An embedder speaks for the concepts of a dataset and extractor once it has embedded one of them; those that it has not
-- embedded yet leave scores undecided, not absent.
find_embedders as (

    select
        concepts.dataset_id,
        concepts.extractor_id,
        vectors.embedder_id
    from concepts
    inner join vectors on concepts.concept = vectors.text
    group by concepts.dataset_id, concepts.extractor_id, vectors.embedder_id

),

count_human as (

    select
        problem_id,
        extractor_id,
        count(concept) as n_human_concepts,
        count(distinct folded_concept) as n_human_distinct
    from concepts
    where is_human
    group by problem_id, extractor_id

),

count_generated as (

    select
        response_id,
        run_id,
        problem_id,
        dataset_id,
        extractor_id,
        count(concept) as n_generated_concepts,
        count(distinct folded_concept) as n_generated_distinct
    from concepts
    where not is_human
    group by response_id, run_id, problem_id, dataset_id, extractor_id

),

count_embedded as (

    select
        concepts.problem_id,
        concepts.response_id,
        concepts.extractor_id,
        vectors.embedder_id,
        count(*) as n_concepts
    from concepts
    inner join vectors on concepts.concept = vectors.text
    group by concepts.problem_id, concepts.response_id, concepts.extractor_id, vectors.embedder_id

),

count_folded_embedded as (

    select
        concepts.problem_id,
        concepts.response_id,
        concepts.extractor_id,
        vectors.embedder_id,
        count(distinct concepts.folded_concept) as n_concepts
    from concepts
    inner join vectors on concepts.folded_concept = vectors.text
    group by concepts.problem_id, concepts.response_id, concepts.extractor_id, vectors.embedder_id

),

compare as (

    select
        cast(count_generated.response_id as varchar) as response_id,
        cast(count_generated.run_id as varchar) as run_id,
        cast(count_generated.problem_id as varchar) as problem_id,
        cast(count_generated.dataset_id as varchar) as dataset_id,
        cast(count_generated.extractor_id as varchar) as extractor_id,
        cast(find_embedders.embedder_id as varchar) as embedder_id,
        cast(count_human.problem_id is not null as boolean) as is_human_extracted,
        cast(coalesce(count_human.n_human_concepts, 0) as integer) as n_human_concepts,
        cast(coalesce(count_human.n_human_distinct, 0) as integer) as n_human_distinct,
        cast(count_generated.n_generated_concepts as integer) as n_generated_concepts,
        cast(count_generated.n_generated_distinct as integer) as n_generated_distinct,
        cast(
            coalesce(embedded_human.n_concepts, 0) = coalesce(count_human.n_human_concepts, 0)
            and coalesce(embedded_generated.n_concepts, 0) = count_generated.n_generated_concepts as boolean
        ) as is_embedded,
        cast(
            coalesce(folded_human.n_concepts, 0) = coalesce(count_human.n_human_distinct, 0)
            and coalesce(folded_generated.n_concepts, 0) = count_generated.n_generated_distinct as boolean
        ) as is_folded_embedded
    from count_generated
    inner join find_embedders
        on
            count_generated.dataset_id = find_embedders.dataset_id
            and count_generated.extractor_id = find_embedders.extractor_id
    left join count_human
        on
            count_generated.problem_id = count_human.problem_id
            and count_generated.extractor_id = count_human.extractor_id
    left join count_embedded as embedded_human
        on
            count_generated.problem_id = embedded_human.problem_id
            and embedded_human.response_id is null
            and count_generated.extractor_id = embedded_human.extractor_id
            and find_embedders.embedder_id = embedded_human.embedder_id
    left join count_embedded as embedded_generated
        on
            count_generated.response_id = embedded_generated.response_id
            and count_generated.extractor_id = embedded_generated.extractor_id
            and find_embedders.embedder_id = embedded_generated.embedder_id
    left join count_folded_embedded as folded_human
        on
            count_generated.problem_id = folded_human.problem_id
            and folded_human.response_id is null
            and count_generated.extractor_id = folded_human.extractor_id
            and find_embedders.embedder_id = folded_human.embedder_id
    left join count_folded_embedded as folded_generated
        on
            count_generated.response_id = folded_generated.response_id
            and count_generated.extractor_id = folded_generated.extractor_id
            and find_embedders.embedder_id = folded_generated.embedder_id

)

select * from compare
