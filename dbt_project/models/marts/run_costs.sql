with runs as (

    select * from {{ ref('runs') }}

),

response_costs as (

    select * from {{ ref('int_response_costs') }}

),

outcomes as (

    select * from {{ ref('int_outcomes') }}

),

model_verdicts as (

    select * from {{ ref('stg_model_verdicts') }}

),

concepts as (

    select * from {{ ref('stg_concepts') }}

),

sum_responses as (

    select
        response_costs.run_id,
        count(*) as n_responses,
        count(case when not response_costs.is_reply then 1 end) as n_no_reply,
        count(case when response_costs.cost_usd is null then 1 end) as n_unpriced,
        count(case when response_costs.is_from_price_table then 1 end) as n_from_price_table,
        count(case when outcomes.is_correct then 1 end) as n_correct,
        count(case when outcomes.outcome = 'undecided' then 1 end) as n_undecided,
        count(distinct case when outcomes.is_correct then response_costs.problem_id end) as n_solved,
        sum(response_costs.input_tokens) as input_tokens,
        sum(response_costs.cached_tokens) as cached_tokens,
        sum(response_costs.output_tokens) as output_tokens,
        sum(response_costs.cost_usd) as priced_usd,
        avg(response_costs.latency_seconds) as mean_latency_seconds
    from response_costs
    inner join outcomes on response_costs.response_id = outcomes.response_id
    where outcomes.verdict_source = 'judge'
    group by response_costs.run_id

),

sum_verdicts as (

    select
        outcomes.run_id,
        sum(model_verdicts.cost_usd) as judging_cost_usd
    from model_verdicts
    inner join outcomes on model_verdicts.response_id = outcomes.response_id
    where outcomes.verdict_source = 'judge'
    group by outcomes.run_id

),

sum_concepts as (

    select
        outcomes.run_id,
        sum(concepts.cost_usd) as concepts_cost_usd
    from concepts
    inner join outcomes on concepts.response_id = outcomes.response_id
    where outcomes.verdict_source = 'judge'
    group by outcomes.run_id

),

-- A sum with holes is no sum.
close_sums as (

    select
        *,
        case when n_unpriced = 0 then priced_usd end as cost_usd
    from sum_responses

),

divide_costs as (

    select
        cast(runs.run_id as varchar) as run_id,
        cast(runs.dataset_id as varchar) as dataset_id,
        cast(runs.model as varchar) as model,
        cast(runs.prompt as varchar) as prompt,
        cast(runs.n_problems as bigint) as n_problems,
        cast(close_sums.n_responses as bigint) as n_responses,
        cast(close_sums.n_no_reply as bigint) as n_no_reply,
        cast(close_sums.n_undecided as bigint) as n_undecided,
        cast(close_sums.n_unpriced as bigint) as n_unpriced,
        cast(close_sums.n_from_price_table as bigint) as n_from_price_table,
        cast(close_sums.n_correct as bigint) as n_correct,
        cast(close_sums.n_solved as bigint) as n_solved,
        cast(close_sums.input_tokens as bigint) as input_tokens,
        cast(close_sums.cached_tokens as bigint) as cached_tokens,
        cast(close_sums.output_tokens as bigint) as output_tokens,
        cast(close_sums.mean_latency_seconds as double) as mean_latency_seconds,
        cast(close_sums.cost_usd as double) as cost_usd,
        cast(close_sums.cost_usd / nullif(close_sums.n_responses, 0) as double) as cost_per_response_usd,
        cast(close_sums.cost_usd / nullif(close_sums.n_correct, 0) as double) as cost_per_correct_response_usd,
        cast(close_sums.cost_usd / nullif(close_sums.n_solved, 0) as double) as cost_per_solved_problem_usd,
        cast(sum_verdicts.judging_cost_usd as double) as judging_cost_usd,
        cast(sum_concepts.concepts_cost_usd as double) as concepts_cost_usd
    from close_sums
    inner join runs on close_sums.run_id = runs.run_id
    left join sum_verdicts on close_sums.run_id = sum_verdicts.run_id
    left join sum_concepts on close_sums.run_id = sum_concepts.run_id

)

select * from divide_costs
