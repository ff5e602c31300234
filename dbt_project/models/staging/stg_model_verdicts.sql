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
        cast(load_id as varchar) as load_id
    from model_verdicts

)

select * from cast_columns
