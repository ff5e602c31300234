with problems as (

    select * from {{ source('raw', 'problems') }}

),

responses as (

    select * from {{ source('raw', 'responses') }}

),

runs as (

    select * from {{ source('raw', 'runs') }}

),

-- Replies may be there before the problem they answer: all that is known of it is its identity.
find_unloaded_problems as (

    select
        responses.problem_id,
        responses.dataset_id,
        substr(responses.problem_id, length(responses.dataset_id) + 2) as native_id,
        1 as turn,
        true as gold_is_text,
        arg_min(runs.source_format, responses.response_id) as source_format,
        arg_min(responses.source_file, responses.response_id) as source_file,
        arg_min(responses.source_line, responses.response_id) as source_line,
        arg_min(runs.file_sha256, responses.response_id) as file_sha256,
        arg_min(responses.load_id, responses.response_id) as load_id
    from responses
    inner join runs on responses.run_id = runs.run_id
    left join problems on responses.problem_id = problems.problem_id
    where problems.problem_id is null
    group by responses.problem_id, responses.dataset_id

),

all_problems as (

    select * from problems
    union all by name
    select * from find_unloaded_problems

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
        cast(gold_is_text as boolean) as gold_is_text,
        cast(gold_solution as varchar) as gold_solution,
        cast(answer_type as varchar) as answer_type,
        cast(level as varchar) as level,
        cast(subject as varchar) as subject,
        cast(reasoning_steps as integer) as reasoning_steps,
        cast(choices as json) as choices,
        cast(unit as varchar) as unit,
        cast(tolerance as double) as tolerance,
        cast(metadata as json) as metadata,
        cast(source_format as varchar) as source_format,
        cast(source_file as varchar) as source_file,
        cast(source_line as bigint) as source_line,
        cast(file_sha256 as varchar) as file_sha256,
        cast(load_id as varchar) as load_id
    from all_problems

)

select * from cast_columns
