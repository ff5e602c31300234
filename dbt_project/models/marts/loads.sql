with loads as (

    select * from {{ ref('stg_loads') }}

),

cast_columns as (

    select
        cast(load_id as varchar) as load_id,
        cast(kind as varchar) as kind,
        cast(source_format as varchar) as source_format,
        cast(file as varchar) as file,
        cast(file_sha256 as varchar) as file_sha256,
        cast(file_bytes as bigint) as file_bytes,
        cast(dataset_id as varchar) as dataset_id,
        cast(model as varchar) as model,
        cast(prompt as varchar) as prompt,
        cast(rows_read as bigint) as rows_read,
        cast(rows_loaded as bigint) as rows_loaded,
        cast(rows_already_there as bigint) as rows_already_there,
        cast(rows_rejected as bigint) as rows_rejected,
        cast(started_at as timestamp) as started_at,
        cast(finished_at as timestamp) as finished_at,
        cast(tool_version as varchar) as tool_version,
        cast(metadata as varchar) as metadata
    from loads

)

select * from cast_columns
