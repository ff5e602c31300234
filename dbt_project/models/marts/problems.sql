with problems as (

    select * from {{ ref('stg_problems') }}

),

cast_columns as (

    select
        cast(problem_id as varchar) as problem_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(native_id as varchar) as native_id,
        cast(conversation_id as varchar) as conversation_id,
        cast(turn as integer) as turn,
        cast(question as varchar) as question,
        cast(gold_answer as varchar) as gold_answer,
        cast(gold_solution as varchar) as gold_solution,
        cast(answer_type as varchar) as answer_type,
        cast(level as varchar) as level,
        cast(subject as varchar) as subject,
        cast(reasoning_steps as integer) as reasoning_steps,
        cast(choices as varchar) as choices,
        cast(unit as varchar) as unit,
        cast(tolerance as double) as tolerance,
        cast(metadata as varchar) as metadata,
        cast(source_format as varchar) as source_format,
        cast(source_file as varchar) as source_file,
        cast(source_line as bigint) as source_line,
        cast(load_id as varchar) as load_id
    from problems

)

select * from cast_columns
