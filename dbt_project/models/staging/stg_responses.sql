with responses as (

    select * from {{ source('raw', 'responses') }}

),

cast_columns as (

    select
        cast(response_id as varchar) as response_id,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(rollout_no as integer) as rollout_no,
        cast(response as varchar) as response,
        cast(reported_answer as varchar) as reported_answer,
        cast(reported_correct as boolean) as reported_correct,
        cast(reward_score as double) as reward_score,
        cast(finish_reason as varchar) as finish_reason,
        cast(failure_kind as varchar) as failure_kind,
        cast(failure_reason as varchar) as failure_reason,
        cast(input_tokens as bigint) as input_tokens,
        cast(cached_tokens as bigint) as cached_tokens,
        cast(output_tokens as bigint) as output_tokens,
        cast(reasoning_tokens as bigint) as reasoning_tokens,
        cast(cost_usd as double) as cost_usd,
        cast(latency_seconds as double) as latency_seconds,
        cast(system_fingerprint as varchar) as system_fingerprint,
        cast(metadata as json) as metadata,
        cast(source_file as varchar) as source_file,
        cast(source_line as bigint) as source_line,
        cast(load_id as varchar) as load_id
    from responses

)

select * from cast_columns
