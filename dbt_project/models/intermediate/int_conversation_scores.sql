with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

conversation_turns as (

    select
        problem_id,
        dataset_id,
        conversation_id,
        count(*) over (partition by conversation_id) as n_turns
    from questions
    where conversation_id is not null

),

-- One pass of a model through all turns of a conversation: with two turns, the pair of the published scorer.
gather_turns as (

    select
        outcomes.verdict_source,
        outcomes.run_id,
        conversation_turns.dataset_id,
        conversation_turns.conversation_id,
        outcomes.rollout_no,
        max(conversation_turns.n_turns) as n_turns,
        count(*) as n_responses,
        count(case when outcomes.is_reply then 1 end) as n_replies,
        count(case when coalesce(outcomes.is_official_match, outcomes.is_correct) then 1 end) as n_won,
        count(case when not coalesce(outcomes.is_official_match, outcomes.is_correct) then 1 end) as n_lost,
        count(case when outcomes.is_correct then 1 end) as n_correct,
        count(case when not outcomes.is_correct then 1 end) as n_wrong
    from outcomes
    inner join conversation_turns on outcomes.problem_id = conversation_turns.problem_id
    group by
        outcomes.verdict_source,
        outcomes.run_id,
        conversation_turns.dataset_id,
        conversation_turns.conversation_id,
        outcomes.rollout_no

),

-- All turns right, or one wrong or missing; with a turn undecided and none wrong, neither.
judge_conversations as (

    select
        *,
        n_replies = n_turns as is_replied,
        case when n_won = n_turns then true when n_lost > 0 or n_responses < n_turns then false end as is_won,
        case when n_correct = n_turns then true when n_wrong > 0 or n_responses < n_turns then false end as is_correct
    from gather_turns

),

sum_rollouts as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(conversation_id as varchar) as conversation_id,
        cast(max(n_turns) as bigint) as n_turns,
        cast(count(case when is_won then 1 end) as bigint) as n_won,
        cast(count(case when is_replied then is_won end) as bigint) as n_replied_official,
        cast(count(case when is_replied and is_correct then 1 end) as bigint) as n_correct,
        cast(count(case when is_replied then is_correct end) as bigint) as n_replied,
        cast(count(case when is_replied and is_correct is null then 1 end) as bigint) as n_undecided,
        cast(count(case when is_replied and is_won is null then 1 end) as bigint) as n_undecided_official
    from judge_conversations
    group by verdict_source, run_id, dataset_id, conversation_id

)

select * from sum_rollouts
