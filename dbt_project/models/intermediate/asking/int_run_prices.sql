with runs as (

    select * from {{ ref('stg_runs') }}

),

loads as (

    select * from {{ ref('stg_loads') }}

),

prices as (

    select * from {{ ref('model_prices') }}

),

date_runs as (

    select
        runs.run_id,
        runs.model,
        regexp_replace(runs.model, '-[0-9]{4}-[0-9]{2}-[0-9]{2}$', '') as undated_model,
        cast(coalesce(runs.started_at, loads.started_at) as date) as priced_on
    from runs
    inner join loads on runs.load_id = loads.load_id

),

-- A dated snapshot's own row goes before that of its undated name; then the latest one.
rank_prices as (

    select
        date_runs.run_id,
        date_runs.priced_on,
        prices.*,
        row_number() over (
            partition by date_runs.run_id
            order by case when prices.model = date_runs.model then 0 else 1 end, prices.valid_from desc
        ) as rank_no
    from date_runs
    inner join prices
        on
            prices.model in (date_runs.model, date_runs.undated_model)
            and prices.valid_from <= date_runs.priced_on

),

keep_first as (

    select
        cast(run_id as varchar) as run_id,
        cast(model as varchar) as priced_as,
        cast(valid_from as date) as valid_from,
        cast(input_usd_per_million as double) as input_usd_per_million,
        cast(coalesce(cached_input_usd_per_million, input_usd_per_million) as double) as cached_input_usd_per_million,
        cast(coalesce(output_usd_per_million, 0) as double) as output_usd_per_million,
        cast(batch_factor as double) as batch_factor
    from rank_prices
    where rank_no = 1

)

select * from keep_first
