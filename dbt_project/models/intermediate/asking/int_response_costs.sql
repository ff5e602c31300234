{#- A view: all that reads it sums it by run, and a table would copy every response's key. -#}
{{ config(materialized='view') }}

with responses as (

    select * from {{ ref('stg_responses') }}

),

run_prices as (

    select * from {{ ref('int_run_prices') }}

),

price_tokens as (

    select
        responses.response_id,
        responses.run_id,
        responses.problem_id,
        responses.cost_usd,
        responses.input_tokens,
        responses.cached_tokens,
        responses.output_tokens,
        responses.latency_seconds,
        responses.response is not null as is_reply,
        case
            when responses.input_tokens is not null and run_prices.run_id is not null
                then
                    (
                        greatest(responses.input_tokens - coalesce(responses.cached_tokens, 0), 0)
                        * run_prices.input_usd_per_million
                        + least(coalesce(responses.cached_tokens, 0), responses.input_tokens)
                        * run_prices.cached_input_usd_per_million
                        + coalesce(responses.output_tokens, 0) * run_prices.output_usd_per_million
                    )
                    * case when {{ json_text('responses.metadata', 'is_batch') }} = 'true' then run_prices.batch_factor else 1 end
                    / 1000000.0
        end as priced_usd
    from responses
    left join run_prices on responses.run_id = run_prices.run_id

),

choose_cost as (

    select
        cast(response_id as varchar) as response_id,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(is_reply as boolean) as is_reply,
        cast(input_tokens as bigint) as input_tokens,
        cast(cached_tokens as bigint) as cached_tokens,
        cast(output_tokens as bigint) as output_tokens,
        cast(latency_seconds as double) as latency_seconds,
        -- A request that brought neither reply nor tokens cost nothing; a reply without a price costs nobody knows what.
        cast(
            coalesce(cost_usd, priced_usd, case when not is_reply and input_tokens is null then 0 end) as double
        ) as cost_usd,
        cast(cost_usd is null and priced_usd is not null as boolean) as is_from_price_table
    from price_tokens

)

select * from choose_cost
