with model_verdicts as (

    select * from {{ source('raw', 'model_verdicts') }}

),

cast_columns as (

    select
        cast(response_id as varchar) as response_id,
        cast(judge_model as varchar) as judge_model,
        cast(judge_prompt as varchar) as judge_prompt,
        cast(verdict as varchar) as verdict,
        cast(judge_text as varchar) as judge_text,
        cast(input_tokens as bigint) as input_tokens,
        cast(output_tokens as bigint) as output_tokens,
        cast(cost_usd as double) as cost_usd,
        cast(load_id as varchar) as load_id,
        cast(failure_kind as varchar) as failure_kind,
        cast(failure_reason as varchar) as failure_reason,
        cast(finish_reason as varchar) as finish_reason,
        cast(cached_tokens as bigint) as cached_tokens,
        cast(reasoning_tokens as bigint) as reasoning_tokens,
        cast(latency_seconds as double) as latency_seconds,
        cast(system_fingerprint as varchar) as system_fingerprint
    from model_verdicts

)

select * from cast_columns
