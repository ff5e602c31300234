with reported_metrics as (

    select * from {{ ref('stg_reported_metrics') }}

),

cast_columns as (

    select
        cast(dataset_id as varchar) as dataset_id,
        cast(model as varchar) as model,
        cast(prompt as varchar) as prompt,
        cast(metric as varchar) as metric,
        cast(variant as varchar) as variant,
        cast(value as double) as value,
        cast(std_error as double) as std_error,
        cast(n_questions as bigint) as n_questions,
        cast(metadata as varchar) as metadata,
        cast(source_format as varchar) as source_format,
        cast(source_file as varchar) as source_file,
        cast(source_line as bigint) as source_line,
        cast(file_sha256 as varchar) as file_sha256,
        cast(load_id as varchar) as load_id
    from reported_metrics

)

select * from cast_columns
