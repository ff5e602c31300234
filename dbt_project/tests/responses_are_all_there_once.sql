-- No fan-out and nothing dropped between the raw rows and the marts.
with count_raw as (

    select count(*) as n_raw from {{ ref('stg_responses') }}

),

count_judged as (

    select count(case when verdict_source = 'judge' then 1 end) as n_judged from {{ ref('int_outcomes') }}

),

count_mart as (

    select count(*) as n_mart from {{ ref('responses') }}

),

count_scored as (

    select coalesce(sum(case when verdict_source = 'judge' then n_responses end), 0) as n_scored
    from {{ ref('int_question_scores') }}

),

count_of_runs as (

    select coalesce(sum(n_responses), 0) as n_of_runs from {{ ref('runs') }}

),

counts as (

    select
        count_raw.n_raw,
        count_judged.n_judged,
        count_mart.n_mart,
        count_scored.n_scored,
        count_of_runs.n_of_runs
    from count_raw
    cross join count_judged
    cross join count_mart
    cross join count_scored
    cross join count_of_runs

)

select * from counts
where n_judged <> n_raw or n_mart <> n_raw or n_scored <> n_raw or n_of_runs <> n_raw
