with version_pairs as (

    select * from {{ ref('int_version_pairs') }}

),

version_outcomes as (

    select * from {{ ref('int_version_outcomes') }}

),

pair_outcomes as (

    select
        version_pairs.earlier_judge_version,
        version_pairs.later_judge_version,
        later.run_id,
        later.dataset_id,
        earlier.outcome as earlier_outcome,
        later.outcome as later_outcome
    from version_pairs
    inner join version_outcomes as later on version_pairs.later_judge_version = later.judge_version
    inner join version_outcomes as earlier
        on
            version_pairs.earlier_judge_version = earlier.judge_version
            and later.response_id = earlier.response_id

),

count_outcomes as (

    select
        earlier_judge_version,
        later_judge_version,
        run_id,
        dataset_id,
        count(*) as n_responses,
        count(case when earlier_outcome <> later_outcome then 1 end) as n_changed,
        count(case when earlier_outcome = 'correct' then 1 end) as n_correct_earlier,
        count(case when later_outcome = 'correct' then 1 end) as n_correct_later,
        count(case when earlier_outcome <> 'undecided' then 1 end) as n_decided_earlier,
        count(case when later_outcome <> 'undecided' then 1 end) as n_decided_later
    from pair_outcomes
    group by earlier_judge_version, later_judge_version, run_id, dataset_id

),

divide_counts as (

    select
        *,
        n_correct_earlier / nullif(cast(n_decided_earlier as double), 0) as accuracy_earlier,
        n_correct_later / nullif(cast(n_decided_later as double), 0) as accuracy_later
    from count_outcomes

),

-- Equal shares have the same rank: 1, 2, 2, 4.
rank_runs as (

    select
        *,
        rank() over (
            partition by later_judge_version, dataset_id order by accuracy_earlier desc nulls last
        ) as rank_earlier,
        rank() over (
            partition by later_judge_version, dataset_id order by accuracy_later desc nulls last
        ) as rank_later
    from divide_counts

),

compare_ranks as (

    select
        cast(earlier_judge_version as varchar) as earlier_judge_version,
        cast(later_judge_version as varchar) as later_judge_version,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(n_responses as bigint) as n_responses,
        cast(n_changed as bigint) as n_changed,
        cast(n_correct_earlier as bigint) as n_correct_earlier,
        cast(n_decided_earlier as bigint) as n_decided_earlier,
        cast(accuracy_earlier as double) as accuracy_earlier,
        cast(n_correct_later as bigint) as n_correct_later,
        cast(n_decided_later as bigint) as n_decided_later,
        cast(accuracy_later as double) as accuracy_later,
        cast(rank_earlier as integer) as rank_earlier,
        cast(rank_later as integer) as rank_later,
        cast(rank_earlier <> rank_later as boolean) as has_moved
    from rank_runs

)

select * from compare_ranks
