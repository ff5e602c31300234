-- A view: all of it stands in two tables already, and to write ten million rows again takes as long as all metrics.
{{ config(materialized='view') }}

with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

judge_outcomes as (

    select *
    from outcomes
    where verdict_source = 'judge'

),

describe_responses as (

    select
        cast(responses.response_id as varchar) as response_id,
        cast(responses.run_id as varchar) as run_id,
        cast(responses.problem_id as varchar) as problem_id,
        cast(responses.dataset_id as varchar) as dataset_id,
        cast(questions.turn as integer) as turn,
        cast(responses.rollout_no as integer) as rollout_no,
        cast(judge_outcomes.outcome as varchar) as outcome,
        cast(judge_outcomes.is_correct as boolean) as is_correct,
        cast(judge_outcomes.extracted_answer as varchar) as extracted_answer,
        cast(questions.gold_answer as varchar) as gold_answer,
        cast(judge_outcomes.extraction_method as varchar) as extraction_method,
        cast(judge_outcomes.is_truncated as boolean) as is_truncated,
        cast(judge_outcomes.verdict_method as varchar) as verdict_method,
        cast(judge_outcomes.judge_version as varchar) as judge_version,
        cast(responses.reported_answer as varchar) as reported_answer,
        cast(responses.reported_correct as boolean) as reported_correct,
        cast(responses.reward_score as double) as reward_score,
        cast(judge_outcomes.response_chars as bigint) as response_chars,
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
    -- the run adds nothing to the identity, but a question about one run then reads that run alone
    inner join judge_outcomes
        on
            responses.run_id = judge_outcomes.run_id
            and responses.response_id = judge_outcomes.response_id
    inner join questions on responses.problem_id = questions.problem_id

)

select * from describe_responses
