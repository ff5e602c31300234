with rejects as (

    select * from {{ ref('stg_rejects') }}

),

cast_columns as (

    select
        cast(load_id as varchar) as load_id,
        cast(file as varchar) as file,
        cast(file_sha256 as varchar) as file_sha256,
        cast(line as bigint) as line,
        cast(reason as varchar) as reason,
        cast(raw_text as varchar) as raw_text
    from rejects

)

select * from cast_columns
