with responses as (

    select * from {{ ref('stg_responses') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

dataset_policies as (

    select * from {{ ref('int_dataset_policies') }}

),

-- What there is to judge: a text; an answer without its text; a verdict alone; or nothing, which is no reply.
prepare_gradings as (

    select
        cast(responses.response_id as varchar) as response_id,
        cast(responses.run_id as varchar) as run_id,
        cast(responses.problem_id as varchar) as problem_id,
        cast(responses.dataset_id as varchar) as dataset_id,
        cast(responses.rollout_no as integer) as rollout_no,
        cast(dataset_policies.policy_id as varchar) as policy_id,
        cast(
            {{ question_policy_spec('dataset_policies', 'questions') }} as varchar
        ) as policy_spec,
        cast(questions.gold_answer as varchar) as gold_answer,
        cast(questions.gold_is_text as boolean) as gold_is_text,
        -- SC-Math6's scorer compares text with whatever the gold is, so an empty gold is a gold to it
        cast(
            questions.gold_answer is not null
            and (trim(questions.gold_answer) <> '' or dataset_policies.policy_id = 'scmath6_official') as boolean
        ) as has_gold,
        cast(questions.answer_form as varchar) as answer_form,
        cast(
            case
                when responses.response <> '' then 'text'
                when responses.response = '' or responses.failure_kind is not null then 'none'
                when responses.reported_answer is not null then 'answer'
                when responses.reported_correct is not null then 'verdict'
                else 'none'
            end as varchar
        ) as reply_kind,
        cast(case when responses.response <> '' then md5(responses.response) end as varchar) as response_key,
        cast(length(responses.response) as bigint) as response_chars,
        cast(
            coalesce(lower(responses.finish_reason) in ('length', 'max_tokens', 'max_output_tokens'), false) as boolean
        ) as hit_token_limit,
        cast(responses.reported_answer as varchar) as reported_answer,
        cast(responses.reported_correct as boolean) as reported_correct,
        -- a score that is not a number ranks nowhere
        cast(case when not isnan(responses.reward_score) then responses.reward_score end as double) as reward_score,
        -- what judging does not need is kept as it was when judged: stored rows change with the next load
        cast(responses.finish_reason as varchar) as finish_reason,
        cast(responses.failure_kind as varchar) as failure_kind,
        cast(responses.failure_reason as varchar) as failure_reason,
        cast(responses.input_tokens as bigint) as input_tokens,
        cast(responses.output_tokens as bigint) as output_tokens,
        cast(responses.cost_usd as double) as cost_usd,
        cast(responses.latency_seconds as double) as latency_seconds,
        cast(responses.source_file as varchar) as source_file,
        cast(responses.source_line as bigint) as source_line,
        cast(responses.load_id as varchar) as load_id
    from responses
    inner join questions on responses.problem_id = questions.problem_id
    inner join dataset_policies on responses.dataset_id = dataset_policies.dataset_id

)

select * from prepare_gradings
