-- A view: all of it stands in tables of the same build, and to write ten million rows again takes as long as all metrics.
{{ config(materialized='view') }}

with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

gradings as (

    select * from {{ ref('int_gradings') }}

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
        cast(gradings.response_id as varchar) as response_id,
        cast(gradings.run_id as varchar) as run_id,
        cast(gradings.problem_id as varchar) as problem_id,
        cast(gradings.dataset_id as varchar) as dataset_id,
        cast(questions.turn as integer) as turn,
        cast(gradings.rollout_no as integer) as rollout_no,
        cast(judge_outcomes.outcome as varchar) as outcome,
        cast(judge_outcomes.is_correct as boolean) as is_correct,
        cast(judge_outcomes.extracted_answer as varchar) as extracted_answer,
        cast(gradings.gold_answer as varchar) as gold_answer,
        cast(judge_outcomes.extraction_method as varchar) as extraction_method,
        cast(judge_outcomes.is_truncated as boolean) as is_truncated,
        cast(judge_outcomes.verdict_method as varchar) as verdict_method,
        cast(judge_outcomes.judge_version as varchar) as judge_version,
        cast(gradings.reported_answer as varchar) as reported_answer,
        cast(gradings.reported_correct as boolean) as reported_correct,
        cast(gradings.reward_score as double) as reward_score,
        cast(gradings.response_chars as bigint) as response_chars,
        cast(gradings.finish_reason as varchar) as finish_reason,
        cast(gradings.failure_kind as varchar) as failure_kind,
        cast(gradings.failure_reason as varchar) as failure_reason,
        cast(gradings.input_tokens as bigint) as input_tokens,
        cast(gradings.output_tokens as bigint) as output_tokens,
        cast(gradings.cost_usd as double) as cost_usd,
        cast(gradings.latency_seconds as double) as latency_seconds,
        cast(gradings.source_file as varchar) as source_file,
        cast(gradings.source_line as bigint) as source_line,
        cast(gradings.load_id as varchar) as load_id
    from gradings
    -- the run adds nothing to the identity, but a question about one run then reads that run alone
    inner join judge_outcomes
        on
            gradings.run_id = judge_outcomes.run_id
            and gradings.response_id = judge_outcomes.response_id
    inner join questions on gradings.problem_id = questions.problem_id

)

select * from describe_responses
