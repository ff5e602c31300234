with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

list_rollouts as (

    select
        question_no,
        n_leading_rollouts,
        {{ lists_to_rows(['outcome_codes', 'reward_scores'], ['outcome_code', 'reward_score'], 'rollout_no') }}
    from sequences
    where reward_scores is not null

),

-- Of equal scores the earliest rollout has the record.
look_back as (

    select
        question_no,
        n_leading_rollouts,
        rollout_no,
        outcome_code,
        reward_score,
        max(reward_score) over before_it as best_before
    from list_rollouts
    window before_it as (
        partition by question_no order by rollout_no rows between unbounded preceding and 1 preceding
    )

),

keep_records as (

    select
        question_no,
        n_leading_rollouts,
        rollout_no,
        outcome_code
    from look_back
    where reward_score > best_before or (reward_score is not null and best_before is null)

),

-- A record stands until the next one, the last to the end.
end_records as (

    select
        question_no,
        rollout_no,
        outcome_code,
        coalesce(
            lead(rollout_no) over (partition by question_no order by rollout_no) - 1, n_leading_rollouts
        ) as last_k
    from keep_records

),

judge_records as (

    select
        cast(question_no as integer) as question_no,
        cast(rollout_no as integer) as best_rollout_no,
        cast(last_k as integer) as last_k,
        cast(case when outcome_code <> 2 then outcome_code = 1 end as boolean) as is_correct
    from end_records

)

select * from judge_records
