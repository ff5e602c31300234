with concepts as (

    select * from {{ ref('int_concepts') }}

),

pairs as (

    select * from {{ ref('int_concept_pairs') }}

),

comparisons as (

    select * from {{ ref('int_concept_comparisons') }}

),

similarities as (

    select * from {{ ref('int_concept_similarities') }}

),

candidates as (

    select * from {{ ref('int_concept_candidates') }}

),

matchings as (

    select * from {{ ref('int_concept_matchings') }}

),

list_human_texts as (

    select
        problem_id,
        extractor_id,
        concept as human_text,
        'raw' as form
    from concepts
    where is_human and concept is not null
    group by problem_id, extractor_id, concept

    union all

    select
        problem_id,
        extractor_id,
        folded_concept as human_text,
        'folded' as form
    from concepts
    where is_human and folded_concept is not null
    group by problem_id, extractor_id, folded_concept

),

list_generated_texts as (

    select
        problem_id,
        extractor_id,
        concept as generated_text,
        'raw' as form
    from concepts
    where not is_human and concept is not null
    group by problem_id, extractor_id, concept

    union all

    select
        problem_id,
        extractor_id,
        folded_concept as generated_text,
        'folded' as form
    from concepts
    where not is_human and folded_concept is not null
    group by problem_id, extractor_id, folded_concept

),

-- The largest cosine of each generated concept to any human one, once per problem however many responses name it.
find_best as (

    select
        list_generated_texts.problem_id,
        list_generated_texts.extractor_id,
        pairs.embedder_id,
        list_generated_texts.form,
        list_generated_texts.generated_text,
        max(pairs.cosine) as best_cosine,
        count(*) - count(pairs.cosine) as n_without_angle
    from list_generated_texts
    inner join list_human_texts
        on
            list_generated_texts.problem_id = list_human_texts.problem_id
            and list_generated_texts.extractor_id = list_human_texts.extractor_id
            and list_generated_texts.form = list_human_texts.form
    inner join pairs
        on
            list_generated_texts.generated_text = pairs.generated_text
            and list_human_texts.human_text = pairs.human_text
    group by
        list_generated_texts.problem_id,
        list_generated_texts.extractor_id,
        pairs.embedder_id,
        list_generated_texts.form,
        list_generated_texts.generated_text

),

-- Version 1, the authors' code: every concept as it was extracted, duplicates and empty ones included. It has no value for
-- a zero vector, so neither has this.
average_raw as (

    select
        concepts.response_id,
        concepts.extractor_id,
        find_best.embedder_id,
        case when sum(find_best.n_without_angle) = 0 then avg(find_best.best_cosine) end as msu_v1
    from concepts
    inner join find_best
        on
            concepts.problem_id = find_best.problem_id
            and concepts.extractor_id = find_best.extractor_id
            and concepts.concept = find_best.generated_text
            and find_best.form = 'raw'
    where not concepts.is_human
    group by concepts.response_id, concepts.extractor_id, find_best.embedder_id

),

-- Version 2: folded concepts, duplicates kept; a concept without an angle to any other is left out.
average_folded as (

    select
        concepts.response_id,
        concepts.extractor_id,
        find_best.embedder_id,
        avg(find_best.best_cosine) as msu_v2
    from concepts
    inner join find_best
        on
            concepts.problem_id = find_best.problem_id
            and concepts.extractor_id = find_best.extractor_id
            and concepts.folded_concept = find_best.generated_text
            and find_best.form = 'folded'
    where not concepts.is_human
    group by concepts.response_id, concepts.extractor_id, find_best.embedder_id

),

-- The other direction: how near each human concept comes to being named, duplicates kept likewise.
find_best_for_human as (

    select
        response_id,
        extractor_id,
        embedder_id,
        human_concept,
        max(cosine) as best_cosine
    from similarities
    group by response_id, extractor_id, embedder_id, human_concept

),

average_human as (

    select
        find_best_for_human.response_id,
        find_best_for_human.extractor_id,
        find_best_for_human.embedder_id,
        avg(find_best_for_human.best_cosine) as coverage
    from find_best_for_human
    inner join comparisons
        on
            find_best_for_human.response_id = comparisons.response_id
            and find_best_for_human.extractor_id = comparisons.extractor_id
            and find_best_for_human.embedder_id = comparisons.embedder_id
    inner join concepts
        on
            comparisons.problem_id = concepts.problem_id
            and concepts.is_human
            and comparisons.extractor_id = concepts.extractor_id
            and find_best_for_human.human_concept = concepts.folded_concept
    group by
        find_best_for_human.response_id,
        find_best_for_human.extractor_id,
        find_best_for_human.embedder_id

),

count_matches as (

    select
        candidates.response_id,
        candidates.extractor_id,
        candidates.embedder_id,
        matchings.n_matched
    from candidates
    inner join matchings
        on candidates.generated_nos = matchings.generated_nos and candidates.human_nos = matchings.human_nos

),

-- Nothing generated against something human covers nothing: 0. Nothing human leaves nothing to measure by: NULL.
describe_cases as (

    select
        comparisons.*,
        average_raw.msu_v1 as mean_raw,
        average_folded.msu_v2 as mean_folded,
        average_human.coverage as mean_human,
        coalesce(count_matches.n_matched, 0) as n_matched,
        case
            when not comparisons.is_human_extracted then 'human_not_extracted'
            when comparisons.n_human_distinct = 0 then 'no_human_concepts'
            when not comparisons.is_folded_embedded then 'not_embedded'
            when comparisons.n_generated_distinct = 0 then 'no_generated_concepts'
            when average_folded.msu_v2 is null then 'zero_vectors'
            else 'scored'
        end as status
    from comparisons
    left join average_raw
        on
            comparisons.response_id = average_raw.response_id
            and comparisons.extractor_id = average_raw.extractor_id
            and comparisons.embedder_id = average_raw.embedder_id
    left join average_folded
        on
            comparisons.response_id = average_folded.response_id
            and comparisons.extractor_id = average_folded.extractor_id
            and comparisons.embedder_id = average_folded.embedder_id
    left join average_human
        on
            comparisons.response_id = average_human.response_id
            and comparisons.extractor_id = average_human.extractor_id
            and comparisons.embedder_id = average_human.embedder_id
    left join count_matches
        on
            comparisons.response_id = count_matches.response_id
            and comparisons.extractor_id = count_matches.extractor_id
            and comparisons.embedder_id = count_matches.embedder_id

),

score as (

    select
        *,
        case when is_embedded and is_human_extracted then mean_raw end as msu_v1,
        case when status = 'scored' then mean_folded when status = 'no_generated_concepts' then 0 end as msu_v2,
        case when status = 'scored' then mean_human when status = 'no_generated_concepts' then 0 end as msu_coverage
    from describe_cases

),

cast_columns as (

    select
        cast(response_id as varchar) as response_id,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(embedder_id as varchar) as embedder_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(status as varchar) as status,
        cast(n_human_concepts as integer) as n_human_concepts,
        cast(n_generated_concepts as integer) as n_generated_concepts,
        cast(n_human_distinct as integer) as n_human_distinct,
        cast(n_generated_distinct as integer) as n_generated_distinct,
        cast(case when status in ('scored', 'no_generated_concepts') then n_matched end as integer) as n_matched,
        cast(msu_v1 as double) as msu_v1,
        cast(msu_v2 as double) as msu_v2,
        cast(msu_coverage as double) as msu_coverage,
        cast(
            case
                when msu_v2 is null or msu_coverage is null then null
                when msu_v2 > 0 and msu_coverage > 0 then 2 * msu_v2 * msu_coverage / (msu_v2 + msu_coverage)
                else 0
            end as double
        ) as msu_f1,
        cast(case when status = 'scored' then n_matched / cast(n_generated_distinct as double) end as double) as concept_precision,
        cast(
            case
                when status in ('scored', 'no_generated_concepts') then n_matched / cast(n_human_distinct as double)
            end as double
        ) as concept_recall,
        cast(
            case
                when status in ('scored', 'no_generated_concepts')
                    then 2 * n_matched / cast(n_generated_distinct + n_human_distinct as double)
            end as double
        ) as concept_f1
    from score

)

select * from cast_columns
