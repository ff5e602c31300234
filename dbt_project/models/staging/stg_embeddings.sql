with embeddings as (

    select * from {{ source('raw', 'embeddings') }}

),

cast_columns as (

    select
        cast(embedder_id as varchar) as embedder_id,
        cast(text as varchar) as text,
        cast(embedding as double[]) as embedding,
        cast(load_id as varchar) as load_id,
        cast(input_tokens as double) as input_tokens,
        cast(cost_usd as double) as cost_usd,
        cast(latency_seconds as double) as latency_seconds
    from embeddings

)

select * from cast_columns
