with version_pairs as (

    select * from {{ ref('int_version_pairs') }}

),

version_outcomes as (

    select * from {{ ref('int_version_outcomes') }}

),

gradings as (

    select * from {{ ref('int_gradings') }}

),

pair_outcomes as (

    select
        version_pairs.earlier_judge_version,
        version_pairs.later_judge_version,
        later.response_id,
        later.run_id,
        later.dataset_id,
        earlier.answer as earlier_answer,
        later.answer as later_answer,
        earlier.outcome as earlier_outcome,
        later.outcome as later_outcome,
        earlier.verdict_method as earlier_method,
        later.verdict_method as later_method
    from version_pairs
    inner join version_outcomes as later on version_pairs.later_judge_version = later.judge_version
    inner join version_outcomes as earlier
        on
            version_pairs.earlier_judge_version = earlier.judge_version
            and later.response_id = earlier.response_id

),

keep_changes as (

    select
        cast(pair_outcomes.earlier_judge_version as varchar) as earlier_judge_version,
        cast(pair_outcomes.later_judge_version as varchar) as later_judge_version,
        cast(pair_outcomes.response_id as varchar) as response_id,
        cast(pair_outcomes.run_id as varchar) as run_id,
        cast(pair_outcomes.dataset_id as varchar) as dataset_id,
        cast(gradings.problem_id as varchar) as problem_id,
        cast(gradings.rollout_no as integer) as rollout_no,
        cast(gradings.gold_answer as varchar) as gold_answer,
        cast(pair_outcomes.earlier_answer as varchar) as earlier_answer,
        cast(pair_outcomes.later_answer as varchar) as later_answer,
        cast(pair_outcomes.earlier_outcome as varchar) as earlier_outcome,
        cast(pair_outcomes.later_outcome as varchar) as later_outcome,
        cast(pair_outcomes.earlier_method as varchar) as earlier_method,
        cast(pair_outcomes.later_method as varchar) as later_method
    from pair_outcomes
    inner join gradings on pair_outcomes.response_id = gradings.response_id
    where pair_outcomes.earlier_outcome <> pair_outcomes.later_outcome

)

select * from keep_changes
