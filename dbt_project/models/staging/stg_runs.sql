with runs as (

    select * from {{ source('raw', 'runs') }}

),

cast_columns as (

    select
        cast(run_id as varchar) as run_id,
        cast(model as varchar) as model,
        cast(prompt as varchar) as prompt,
        cast(dataset_id as varchar) as dataset_id,
        cast(settings as json) as settings,
        cast(tool as varchar) as tool,
        cast(tool_version as varchar) as tool_version,
        cast(started_at as timestamp) as started_at,
        cast(metadata as json) as metadata,
        cast(source_format as varchar) as source_format,
        cast(source_file as varchar) as source_file,
        cast(file_sha256 as varchar) as file_sha256,
        cast(load_id as varchar) as load_id
    from runs

)

select * from cast_columns
