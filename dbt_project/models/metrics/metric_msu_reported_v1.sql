with reported_scores as (

    select * from {{ ref('int_reported_scores') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

score_responses as (

    select
        run_id,
        problem_id,
        value as score
    from reported_scores
    where score_id = 'msu'

),

measure as (

    select * from {{ score_metric('msu_reported', 1, 'score_responses', 'questions', verdict_source='reported') }}

)

select * from measure
