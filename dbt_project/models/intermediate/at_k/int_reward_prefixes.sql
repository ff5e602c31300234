with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

-- A score that is not a number ranks nowhere.
clean_scores as (

    select
        response_id,
        run_id,
        problem_id,
        case when not isnan(reward_score) then reward_score end as reward_score
    from responses

),

find_scored_questions as (

    select
        run_id,
        problem_id
    from clean_scores
    where reward_score is not null
    group by run_id, problem_id

),

collect_rollouts as (

    select
        outcomes.verdict_source,
        outcomes.run_id,
        outcomes.problem_id,
        list_sort(
            list(
                {
                    'rollout_no': outcomes.rollout_no,
                    'reward_score': clean_scores.reward_score,
                    'outcome_code': {{ outcome_code('outcomes.is_correct') }}
                }
            )
        ) as rollouts
    from outcomes
    inner join find_scored_questions
        on outcomes.run_id = find_scored_questions.run_id and outcomes.problem_id = find_scored_questions.problem_id
    inner join clean_scores on outcomes.response_id = clean_scores.response_id
    group by outcomes.verdict_source, outcomes.run_id, outcomes.problem_id

),

number_questions as (

    select
        *,
        row_number() over (order by verdict_source, run_id, problem_id) as question_no
    from collect_rollouts

),

list_rollouts as (

    select
        verdict_source,
        run_id,
        problem_id,
        question_no,
        {{ list_to_rows('rollouts', 'rollout', 'k') }}
    from number_questions

),

-- The rollouts up to the first gap in the numbering. One that beats every score before it is the best so far; one that
-- only equals the best is not, so of equal scores the earliest rollout has it.
find_records as (

    select
        verdict_source,
        run_id,
        problem_id,
        question_no,
        k,
        rollout.outcome_code,
        rollout.reward_score > coalesce(max(rollout.reward_score) over before_k, cast('-infinity' as double))
        or (
            rollout.reward_score = cast('-infinity' as double) and count(rollout.reward_score) over before_k = 0
        ) as is_record
    from list_rollouts
    where rollout.rollout_no = k
    window before_k as (partition by question_no order by k rows between unbounded preceding and 1 preceding)

),

keep_last_record as (

    select
        verdict_source,
        run_id,
        problem_id,
        k,
        max(case when is_record then cast(k as bigint) * 4 + outcome_code end) over first_k as packed_record
    from find_records
    window first_k as (partition by question_no order by k rows between unbounded preceding and current row)

),

judge_records as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(k as integer) as k,
        cast(packed_record // 4 as integer) as best_rollout_no,
        cast(case when packed_record % 4 <> 2 then packed_record % 4 = 1 end as boolean) as is_correct
    from keep_last_record

)

select * from judge_records
