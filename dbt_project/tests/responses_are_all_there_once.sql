-- No fan-out and nothing dropped between the raw rows and the marts.
with counts as (

    select
        (select count(*) from {{ ref('stg_responses') }}) as n_raw,
        (select count(*) from {{ ref('int_outcomes') }} where verdict_source = 'judge') as n_judged,
        (select count(*) from {{ ref('responses') }}) as n_mart,
        (select sum(n_responses) from {{ ref('int_question_scores') }} where verdict_source = 'judge') as n_scored,
        (select sum(n_responses) from {{ ref('runs') }}) as n_of_runs

)

select * from counts
where n_judged <> n_raw or n_mart <> n_raw or n_scored <> n_raw or n_of_runs <> n_raw
