with scores as (

    select * from {{ ref('int_compared_scores') }}

),

outcomes as (

    select * from {{ ref('int_outcomes') }}

),

runs as (

    select * from {{ ref('stg_runs') }}

),

list_judges as (

    select
        verdict_source,
        run_id,
        min(judge_version) as first_judge,
        max(judge_version) as last_judge
    from outcomes
    group by verdict_source, run_id

),

-- Verdicts that came with files are those of one judge where the files are of one format.
name_judges as (

    select
        list_judges.verdict_source,
        list_judges.run_id,
        case when list_judges.verdict_source = 'reported' then runs.source_format else list_judges.first_judge end as first_judge,
        case when list_judges.verdict_source = 'reported' then runs.source_format else list_judges.last_judge end as last_judge
    from list_judges
    inner join runs on list_judges.run_id = runs.run_id

),

describe_runs as (

    select
        scores.basis_no,
        scores.metric_id,
        scores.metric_version,
        scores.verdict_source,
        scores.embedder_id,
        scores.extractor_id,
        scores.run_id,
        scores.dataset_id,
        count(*) as n_problems,
        max(scores.n_rollouts) as n_rollouts,
        avg(scores.score) as mean_score
    from scores
    group by
        scores.basis_no,
        scores.metric_id,
        scores.metric_version,
        scores.verdict_source,
        scores.embedder_id,
        scores.extractor_id,
        scores.run_id,
        scores.dataset_id

),

rank_runs as (

    select
        describe_runs.*,
        name_judges.first_judge,
        name_judges.last_judge,
        count(*) over (partition by describe_runs.basis_no) as n_runs,
        count(*) over (partition by describe_runs.basis_no, describe_runs.dataset_id) as n_runs_of_dataset,
        row_number() over (
            partition by describe_runs.basis_no, describe_runs.dataset_id
            order by describe_runs.mean_score desc nulls last, describe_runs.run_id asc
        ) as run_rank
    from describe_runs
    left join name_judges
        on
            describe_runs.metric_id = 'accuracy'
            and describe_runs.verdict_source = name_judges.verdict_source
            and describe_runs.run_id = name_judges.run_id

),

pair_runs as (

    select
        a.basis_no,
        a.metric_id,
        a.metric_version,
        a.verdict_source,
        a.embedder_id,
        a.extractor_id,
        a.run_id as run_a,
        b.run_id as run_b,
        a.dataset_id as dataset_a,
        b.dataset_id as dataset_b,
        a.n_problems as n_problems_a,
        b.n_problems as n_problems_b,
        a.n_rollouts as n_rollouts_a,
        b.n_rollouts as n_rollouts_b,
        case
            when a.dataset_id <> b.dataset_id then 'different datasets: ' || a.dataset_id || ' and ' || b.dataset_id
            when a.n_rollouts <> b.n_rollouts
                then
                    'unlike k: ' || cast(a.n_rollouts as varchar) || ' and ' || cast(b.n_rollouts as varchar)
                    || ' rollouts per problem'
            when a.first_judge <> b.first_judge or a.last_judge <> b.last_judge
                then 'different judges: ' || a.last_judge || ' and ' || b.last_judge
        end as refusal
    from rank_runs as a
    inner join rank_runs as b on a.basis_no = b.basis_no and a.run_id < b.run_id
    where
        (a.dataset_id = b.dataset_id or a.n_runs <= {{ var('max_runs_compared_pairwise') }})
        and (
            a.dataset_id <> b.dataset_id
            or a.n_runs_of_dataset <= {{ var('max_runs_compared_pairwise') }}
            or 1 in (a.run_rank, b.run_rank)
        )

),

number_pairs as (

    select
        cast(row_number() over (order by basis_no, run_a, run_b, dataset_a, dataset_b) as integer) as pair_no,
        cast(basis_no as integer) as basis_no,
        cast(metric_id as varchar) as metric_id,
        cast(metric_version as integer) as metric_version,
        cast(verdict_source as varchar) as verdict_source,
        cast(embedder_id as varchar) as embedder_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(run_a as varchar) as run_a,
        cast(run_b as varchar) as run_b,
        cast(dataset_a as varchar) as dataset_a,
        cast(dataset_b as varchar) as dataset_b,
        cast(n_problems_a as bigint) as n_problems_a,
        cast(n_problems_b as bigint) as n_problems_b,
        cast(n_rollouts_a as integer) as n_rollouts_a,
        cast(n_rollouts_b as integer) as n_rollouts_b,
        cast(refusal as varchar) as refusal
    from pair_runs

)

select * from number_pairs
