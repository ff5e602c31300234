with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

judge_outcomes as (

    select * from outcomes
    where verdict_source = 'judge'

),

reported_outcomes as (

    select * from outcomes
    where verdict_source = 'reported'

),

keep_differences as (

    select
        cast(judge_outcomes.response_id as varchar) as response_id,
        cast(judge_outcomes.run_id as varchar) as run_id,
        cast(judge_outcomes.dataset_id as varchar) as dataset_id,
        cast(judge_outcomes.problem_id as varchar) as problem_id,
        cast(judge_outcomes.rollout_no as integer) as rollout_no,
        cast(questions.gold_answer as varchar) as gold_answer,
        cast(judge_outcomes.extracted_answer as varchar) as extracted_answer,
        cast(judge_outcomes.reported_answer as varchar) as reported_answer,
        cast(judge_outcomes.outcome as varchar) as outcome,
        cast(judge_outcomes.is_correct as boolean) as is_correct,
        cast(reported_outcomes.is_correct as boolean) as reported_correct,
        cast(judge_outcomes.extraction_method as varchar) as extraction_method,
        cast(judge_outcomes.verdict_method as varchar) as verdict_method,
        cast(judge_outcomes.judge_version as varchar) as judge_version,
        cast(responses.source_file as varchar) as source_file,
        cast(responses.source_line as bigint) as source_line
    from judge_outcomes
    inner join reported_outcomes on judge_outcomes.response_id = reported_outcomes.response_id
    inner join responses on judge_outcomes.response_id = responses.response_id
    inner join questions on judge_outcomes.problem_id = questions.problem_id
    where judge_outcomes.is_correct <> reported_outcomes.is_correct

)

select * from keep_differences
