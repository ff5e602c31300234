with problems as (

    select * from {{ ref('stg_problems') }}

),

list_golds as (

    select distinct gold_answer
    from problems
    where gold_answer is not null

),

-- The form of an answer depends on the gold alone, so each distinct gold is looked at once.
classify_golds as (

    select
        gold_answer,
        answer_form(gold_answer) as answer_form
    from list_golds

),

describe_questions as (

    select
        cast(problems.problem_id as varchar) as problem_id,
        cast(problems.dataset_id as varchar) as dataset_id,
        cast(coalesce(problems.conversation_id, problems.problem_id) as varchar) as cluster_id,
        cast(problems.conversation_id is not null as boolean) as is_clustered,
        cast(problems.conversation_id as varchar) as conversation_id,
        cast(problems.turn as integer) as turn,
        cast(problems.reasoning_steps as integer) as reasoning_steps,
        cast(problems.level as varchar) as level,
        cast(problems.subject as varchar) as subject,
        cast(problems.gold_answer as varchar) as gold_answer,
        cast(problems.gold_is_text as boolean) as gold_is_text,
        cast(classify_golds.answer_form as varchar) as answer_form,
        cast(problems.tolerance as double) as tolerance
    from problems
    left join classify_golds on problems.gold_answer = classify_golds.gold_answer

)

select * from describe_questions
