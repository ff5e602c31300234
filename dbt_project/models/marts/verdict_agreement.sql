with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

judge_outcomes as (

    select * from outcomes
    where verdict_source = 'judge'

),

reported_outcomes as (

    select * from outcomes
    where verdict_source = 'reported'

),

pair_verdicts as (

    select
        judge_outcomes.run_id,
        judge_outcomes.dataset_id,
        judge_outcomes.is_correct as by_judge,
        reported_outcomes.is_correct as by_file
    from judge_outcomes
    inner join reported_outcomes on judge_outcomes.response_id = reported_outcomes.response_id

),

count_pairs as (

    select
        run_id,
        dataset_id,
        count(*) as n_reported,
        count(case when by_judge is null then 1 end) as n_undecided,
        count(case when by_judge is not null then 1 end) as n_compared,
        count(case when by_judge and by_file then 1 end) as n_both_correct,
        count(case when not by_judge and not by_file then 1 end) as n_both_incorrect,
        count(case when by_judge and not by_file then 1 end) as n_only_judge_correct,
        count(case when not by_judge and by_file then 1 end) as n_only_reported_correct
    from pair_verdicts
    group by run_id, dataset_id

),

divide_counts as (

    select
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(n_reported as bigint) as n_reported,
        cast(n_undecided as bigint) as n_undecided,
        cast(n_compared as bigint) as n_compared,
        cast(n_both_correct as bigint) as n_both_correct,
        cast(n_both_incorrect as bigint) as n_both_incorrect,
        cast(n_only_judge_correct as bigint) as n_only_judge_correct,
        cast(n_only_reported_correct as bigint) as n_only_reported_correct,
        cast((n_both_correct + n_both_incorrect) / nullif(cast(n_compared as double), 0) as double) as agreement
    from count_pairs

)

select * from divide_counts
