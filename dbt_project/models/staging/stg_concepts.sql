with concepts as (

    select * from {{ source('raw', 'concepts') }}

),

cast_columns as (

    select
        cast(problem_id as varchar) as problem_id,
        cast(response_id as varchar) as response_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(concept_no as integer) as concept_no,
        cast(concept as varchar) as concept,
        cast(load_id as varchar) as load_id,
        cast(failure_kind as varchar) as failure_kind,
        cast(failure_reason as varchar) as failure_reason,
        cast(finish_reason as varchar) as finish_reason,
        cast(input_tokens as bigint) as input_tokens,
        cast(cached_tokens as bigint) as cached_tokens,
        cast(output_tokens as bigint) as output_tokens,
        cast(reasoning_tokens as bigint) as reasoning_tokens,
        cast(cost_usd as double) as cost_usd,
        cast(latency_seconds as double) as latency_seconds,
        cast(system_fingerprint as varchar) as system_fingerprint
    from concepts

)

select * from cast_columns
