with run_costs as (

    select * from {{ ref('run_costs') }}

),

metric_values as (

    select * from {{ ref('metric_values') }}

),

metrics as (

    select * from {{ ref('metrics') }}

),

place_runs as (

    select
        run_costs.run_id,
        run_costs.dataset_id,
        run_costs.model,
        run_costs.prompt,
        run_costs.n_problems,
        run_costs.cost_per_response_usd,
        metric_values.value as accuracy,
        metric_values.std_error as accuracy_std_error,
        metric_values.n_questions,
        metric_values.n_undecided
    from run_costs
    inner join metric_values on run_costs.run_id = metric_values.run_id
    inner join metrics
        on
            metric_values.metric_id = metrics.metric_id
            and metric_values.metric_version = metrics.metric_version
    where
        metric_values.metric_id = 'accuracy'
        and metric_values.verdict_source = 'judge'
        and metric_values.slice_kind = 'all'
        and metrics.is_latest
        and run_costs.cost_per_response_usd is not null
        and metric_values.value is not null

),

-- A run is beaten by one that is at least as cheap and as accurate, and better in one of the two. Runs that agree in both
-- do not beat each other. Runs over different numbers of problems are not compared.
count_better as (

    select
        runs.run_id,
        count(others.run_id) as n_better,
        count(distinct rivals.run_id) as n_compared
    from place_runs as runs
    inner join place_runs as rivals
        on runs.dataset_id = rivals.dataset_id and runs.n_problems = rivals.n_problems
    left join place_runs as others
        on
            rivals.run_id = others.run_id
            and others.cost_per_response_usd <= runs.cost_per_response_usd
            and others.accuracy >= runs.accuracy
            and (others.cost_per_response_usd < runs.cost_per_response_usd or others.accuracy > runs.accuracy)
    group by runs.run_id

),

mark_frontier as (

    select
        cast(place_runs.dataset_id as varchar) as dataset_id,
        cast(place_runs.run_id as varchar) as run_id,
        cast(place_runs.model as varchar) as model,
        cast(place_runs.prompt as varchar) as prompt,
        cast(place_runs.n_problems as bigint) as n_problems,
        cast(place_runs.cost_per_response_usd as double) as cost_per_response_usd,
        cast(place_runs.accuracy as double) as accuracy,
        cast(place_runs.accuracy_std_error as double) as accuracy_std_error,
        cast(place_runs.n_questions as bigint) as n_questions,
        cast(place_runs.n_undecided as bigint) as n_undecided,
        cast(count_better.n_compared as bigint) as n_compared,
        cast(count_better.n_better as bigint) as n_better,
        cast(count_better.n_better = 0 as boolean) as is_on_frontier
    from place_runs
    inner join count_better on place_runs.run_id = count_better.run_id

)

select * from mark_frontier
