with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

-- Rollouts are summed to the question first: errors are over questions, never over pooled rollouts.
sum_rollouts as (

    select
        verdict_source,
        run_id,
        problem_id,
        min(policy_id) as policy_id,
        count(*) as n_responses,
        count(is_correct) as n_decided,
        count(case when is_correct then 1 end) as n_correct,
        count(case when is_reply then 1 end) as n_replies,
        count(case when is_reply then is_correct end) as n_decided_replies,
        count(case when is_reply and is_correct then 1 end) as n_correct_replies,
        count(case when is_reply then coalesce(is_official_match, is_correct) end) as n_official_replies,
        count(case when coalesce(is_official_match, is_correct) then 1 end) as n_official_correct,
        count(case when is_reply then extracted_answer end) as n_extracted,
        count(case when extraction_method = 'scmath6_bracket' then 1 end) as n_bracket_answers,
        count(case when extraction_method = 'scmath6_last_digits' then 1 end) as n_fallback_answers,
        coalesce(sum(case when is_reply then response_chars end), 0) as n_chars
    from outcomes
    group by verdict_source, run_id, problem_id

),

describe_questions as (

    select
        cast(sum_rollouts.verdict_source as varchar) as verdict_source,
        cast(sum_rollouts.run_id as varchar) as run_id,
        cast(questions.dataset_id as varchar) as dataset_id,
        cast(sum_rollouts.problem_id as varchar) as problem_id,
        cast(questions.cluster_id as varchar) as cluster_id,
        cast(questions.is_clustered as boolean) as is_clustered,
        cast(questions.turn as integer) as turn,
        cast(questions.reasoning_steps as integer) as reasoning_steps,
        cast(questions.level as varchar) as level,
        cast(questions.subject as varchar) as subject,
        cast(sum_rollouts.policy_id as varchar) as policy_id,
        cast(sum_rollouts.n_responses as bigint) as n_responses,
        cast(sum_rollouts.n_decided as bigint) as n_decided,
        cast(sum_rollouts.n_correct as bigint) as n_correct,
        cast(sum_rollouts.n_replies as bigint) as n_replies,
        cast(sum_rollouts.n_decided_replies as bigint) as n_decided_replies,
        cast(sum_rollouts.n_correct_replies as bigint) as n_correct_replies,
        cast(sum_rollouts.n_official_replies as bigint) as n_official_replies,
        cast(sum_rollouts.n_official_correct as bigint) as n_official_correct,
        cast(sum_rollouts.n_extracted as bigint) as n_extracted,
        cast(sum_rollouts.n_bracket_answers as bigint) as n_bracket_answers,
        cast(sum_rollouts.n_fallback_answers as bigint) as n_fallback_answers,
        cast(sum_rollouts.n_chars as bigint) as n_chars
    from sum_rollouts
    inner join questions on sum_rollouts.problem_id = questions.problem_id

)

select * from describe_questions
