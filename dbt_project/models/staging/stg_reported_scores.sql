with reported_scores as (

    select * from {{ source('raw', 'reported_scores') }}

),

cast_columns as (

    select
        cast(response_id as varchar) as response_id,
        cast(score_id as varchar) as score_id,
        cast(value as double) as value,
        cast(load_id as varchar) as load_id
    from reported_scores

)

select * from cast_columns
