with runs as (

    select * from {{ ref('runs') }}

),

response_costs as (

    select * from {{ ref('int_response_costs') }}

),

question_scores as (

    select * from {{ ref('int_question_scores') }}

),

model_verdicts as (

    select * from {{ ref('stg_model_verdicts') }}

),

concepts as (

    select * from {{ ref('stg_concepts') }}

),

sum_responses as (

    select
        run_id,
        count(*) as n_responses,
        count(case when not is_reply then 1 end) as n_no_reply,
        count(case when cost_usd is null then 1 end) as n_unpriced,
        count(case when is_from_price_table then 1 end) as n_from_price_table,
        sum(input_tokens) as input_tokens,
        sum(cached_tokens) as cached_tokens,
        sum(output_tokens) as output_tokens,
        sum(cost_usd) as priced_usd,
        avg(latency_seconds) as mean_latency_seconds
    from response_costs
    group by run_id

),

-- Every response has one outcome by our own judge, so the questions' sums count the responses too.
sum_questions as (

    select
        run_id,
        sum(n_correct) as n_correct,
        sum(n_responses - n_decided) as n_undecided,
        count(case when n_correct > 0 then 1 end) as n_solved
    from question_scores
    where verdict_source = 'judge'
    group by run_id

),

sum_verdicts as (

    select
        response_costs.run_id,
        sum(model_verdicts.cost_usd) as judging_cost_usd
    from model_verdicts
    inner join response_costs on model_verdicts.response_id = response_costs.response_id
    group by response_costs.run_id

),

sum_concepts as (

    select
        response_costs.run_id,
        sum(concepts.cost_usd) as concepts_cost_usd
    from concepts
    inner join response_costs on concepts.response_id = response_costs.response_id
    group by response_costs.run_id

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
        cast(sum_questions.n_undecided as bigint) as n_undecided,
        cast(close_sums.n_unpriced as bigint) as n_unpriced,
        cast(close_sums.n_from_price_table as bigint) as n_from_price_table,
        cast(sum_questions.n_correct as bigint) as n_correct,
        cast(sum_questions.n_solved as bigint) as n_solved,
        cast(close_sums.input_tokens as bigint) as input_tokens,
        cast(close_sums.cached_tokens as bigint) as cached_tokens,
        cast(close_sums.output_tokens as bigint) as output_tokens,
        cast(close_sums.mean_latency_seconds as double) as mean_latency_seconds,
        cast(close_sums.cost_usd as double) as cost_usd,
        cast(close_sums.cost_usd / nullif(close_sums.n_responses, 0) as double) as cost_per_response_usd,
        cast(close_sums.cost_usd / nullif(sum_questions.n_correct, 0) as double) as cost_per_correct_response_usd,
        cast(close_sums.cost_usd / nullif(sum_questions.n_solved, 0) as double) as cost_per_solved_problem_usd,
        cast(sum_verdicts.judging_cost_usd as double) as judging_cost_usd,
        cast(sum_concepts.concepts_cost_usd as double) as concepts_cost_usd
    from close_sums
    inner join runs on close_sums.run_id = runs.run_id
    inner join sum_questions on close_sums.run_id = sum_questions.run_id
    left join sum_verdicts on close_sums.run_id = sum_verdicts.run_id
    left join sum_concepts on close_sums.run_id = sum_concepts.run_id

)

select * from divide_costs
