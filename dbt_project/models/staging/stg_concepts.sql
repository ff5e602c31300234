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
        cast(load_id as varchar) as load_id
    from concepts

)

select * from cast_columns
