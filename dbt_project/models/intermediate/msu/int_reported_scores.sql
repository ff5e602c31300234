with reported_scores as (

    select * from {{ ref('stg_reported_scores') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

attach_responses as (

    select
        cast(reported_scores.response_id as varchar) as response_id,
        cast(responses.run_id as varchar) as run_id,
        cast(responses.problem_id as varchar) as problem_id,
        cast(reported_scores.score_id as varchar) as score_id,
        cast(case when not isnan(reported_scores.value) then reported_scores.value end as double) as value
    from reported_scores
    inner join responses on reported_scores.response_id = responses.response_id

)

select * from attach_responses
