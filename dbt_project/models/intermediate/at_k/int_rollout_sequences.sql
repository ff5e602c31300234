with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

-- Verdicts that came with a file belong to the answers that came with it. An empty answer is none.
choose_answers as (

    select
        verdict_source,
        run_id,
        problem_id,
        rollout_no,
        reward_score,
        {{ outcome_code('is_correct') }} as outcome_code,
        nullif(
            trim(
                case
                    when verdict_source = 'reported' then coalesce(reported_answer, extracted_answer)
                    else extracted_answer
                end
            ),
            ''
        ) as answer
    from outcomes

),

collect_rollouts as (

    select
        verdict_source,
        run_id,
        problem_id,
        count(*) as n_rollouts,
        count(reward_score) as n_scored,
        max(rollout_no) as last_rollout_no,
        {{ collect_rollouts('rollout_no', 'outcome_code', 'answer', 'reward_score') }} as rollouts
    from choose_answers
    group by verdict_source, run_id, problem_id

),

-- Rollouts are numbered from 1 and none twice: where the last number is their count there is no gap.
end_at_gap as (

    select
        verdict_source,
        run_id,
        problem_id,
        n_rollouts,
        n_scored,
        case when last_rollout_no = n_rollouts then rollouts else {{ leading_rollouts('rollouts') }} end as rollouts
    from collect_rollouts

),

split_fields as (

    select
        verdict_source,
        run_id,
        problem_id,
        n_rollouts,
        cast({{ pluck('rollouts', 'outcome_code') }} as tinyint[]) as outcome_codes,
        {{ pluck('rollouts', 'answer') }} as answers,
        case when n_scored > 0 then {{ pluck('rollouts', 'reward_score') }} end as reward_scores
    from end_at_gap

),

-- Most questions share their sequence of outcomes with others: what follows from it is computed once. What follows from
-- the single rollouts has a row per k, which the number of the question keeps narrow.
number_sequences as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(n_rollouts as integer) as n_rollouts,
        cast(len(outcome_codes) as integer) as n_leading_rollouts,
        cast(outcome_codes as tinyint[]) as outcome_codes,
        cast(answers as varchar[]) as answers,
        cast(reward_scores as double[]) as reward_scores,
        cast(dense_rank() over (order by outcome_codes) as integer) as sequence_no,
        cast(row_number() over (order by verdict_source, run_id, problem_id) as integer) as question_no
    from split_fields

)

select * from number_sequences
