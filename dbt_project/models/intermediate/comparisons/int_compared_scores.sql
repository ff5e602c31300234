{%- set concept_scores = [('msu', 1, 'msu_v1'), ('msu', 2, 'msu_v2'), ('msu_coverage', 1, 'msu_coverage'), ('msu_f1', 1, 'msu_f1')] -%}

with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

concept_scores as (

    select * from {{ ref('int_concept_scores') }}

),

reported_scores as (

    select * from {{ ref('int_reported_scores') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

stack_scores as (

    select
        'accuracy' as metric_id,
        1 as metric_version,
        verdict_source,
        cast(null as varchar) as embedder_id,
        cast(null as varchar) as extractor_id,
        run_id,
        problem_id,
        n_responses as n_rollouts,
        cast(n_correct as double) / nullif(n_decided, 0) as score
    from question_scores

    {% for metric_id, version, column in concept_scores %}
    union all

    select
        '{{ metric_id }}' as metric_id,
        {{ version }} as metric_version,
        'judge' as verdict_source,
        embedder_id,
        extractor_id,
        run_id,
        problem_id,
        count(*) as n_rollouts,
        avg({{ column }}) as score
    from concept_scores
    group by embedder_id, extractor_id, run_id, problem_id
    {% endfor %}

    union all

    select
        'msu_reported' as metric_id,
        1 as metric_version,
        'reported' as verdict_source,
        cast(null as varchar) as embedder_id,
        cast(null as varchar) as extractor_id,
        run_id,
        problem_id,
        count(*) as n_rollouts,
        avg(value) as score
    from reported_scores
    where score_id = 'msu'
    group by run_id, problem_id

),

-- What is compared with like: one metric, version, verdict source, embedder and extractor.
number_bases as (

    select
        *,
        dense_rank() over (
            order by metric_id, metric_version, verdict_source, embedder_id, extractor_id
        ) as basis_no
    from stack_scores

),

describe_questions as (

    select
        cast(number_bases.basis_no as integer) as basis_no,
        cast(number_bases.metric_id as varchar) as metric_id,
        cast(number_bases.metric_version as integer) as metric_version,
        cast(number_bases.verdict_source as varchar) as verdict_source,
        cast(number_bases.embedder_id as varchar) as embedder_id,
        cast(number_bases.extractor_id as varchar) as extractor_id,
        cast(number_bases.run_id as varchar) as run_id,
        cast(questions.dataset_id as varchar) as dataset_id,
        cast(number_bases.problem_id as varchar) as problem_id,
        cast(case when questions.is_clustered then questions.cluster_id end as varchar) as cluster_id,
        cast(number_bases.n_rollouts as integer) as n_rollouts,
        cast(number_bases.score as double) as score
    from number_bases
    inner join questions on number_bases.problem_id = questions.problem_id

)

select * from describe_questions
