with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

list_rollouts as (

    select
        question_no,
        {{ lists_to_rows(['outcome_codes', 'reward_scores'], ['outcome_code', 'reward_score'], 'k') }}
    from sequences
    where reward_scores is not null

),

-- A rollout that beats every score before it is the best so far; one that only equals the best is not, so of equal
-- scores the earliest rollout has it.
find_records as (

    select
        question_no,
        k,
        outcome_code,
        reward_score > max(reward_score) over before_k
        or (reward_score is not null and count(reward_score) over before_k = 0) as is_record
    from list_rollouts
    window before_k as (partition by question_no order by k rows between unbounded preceding and 1 preceding)

),

keep_last_record as (

    select
        question_no,
        k,
        max(case when is_record then cast(k as bigint) * 4 + outcome_code end) over first_k as packed_record
    from find_records
    window first_k as (partition by question_no order by k rows between unbounded preceding and current row)

),

judge_records as (

    select
        cast(question_no as integer) as question_no,
        cast(k as integer) as k,
        cast(packed_record // 4 as integer) as best_rollout_no,
        cast(case when packed_record % 4 <> 2 then packed_record % 4 = 1 end as boolean) as is_correct
    from keep_last_record

)

select * from judge_records
