with runs as (

    select * from {{ ref('stg_runs') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

count_rollouts as (

    select
        run_id,
        problem_id,
        count(*) as n_rollouts
    from responses
    group by run_id, problem_id

),

count_problems as (

    select
        run_id,
        count(*) as n_problems,
        max(n_rollouts) as n_rollouts,
        min(n_rollouts) as n_rollouts_everywhere,
        sum(n_rollouts) as n_responses
    from count_rollouts
    group by run_id

),

describe_runs as (

    select
        cast(runs.run_id as varchar) as run_id,
        cast(runs.model as varchar) as model,
        cast(runs.prompt as varchar) as prompt,
        cast(runs.dataset_id as varchar) as dataset_id,
        cast(runs.source_format as varchar) as source_format,
        cast(runs.source_file as varchar) as source_file,
        cast(coalesce(count_problems.n_problems, 0) as bigint) as n_problems,
        cast(coalesce(count_problems.n_rollouts, 0) as bigint) as n_rollouts,
        cast(coalesce(count_problems.n_rollouts_everywhere, 0) as bigint) as n_rollouts_everywhere,
        cast(coalesce(count_problems.n_responses, 0) as bigint) as n_responses,
        cast(runs.settings as varchar) as settings,
        cast(runs.tool as varchar) as tool,
        cast(runs.tool_version as varchar) as tool_version,
        cast(runs.started_at as timestamp) as started_at,
        cast(runs.metadata as varchar) as metadata,
        cast(runs.load_id as varchar) as load_id
    from runs
    left join count_problems on runs.run_id = count_problems.run_id

)

select * from describe_runs
