{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        on_schema_change='fail',
    )
}}

with candidates as (

    select * from {{ ref('int_concept_candidates') }}

),

list_patterns as (

    select distinct
        generated_nos,
        human_nos
    from candidates

),

keep_new as (

    select *
    from list_patterns

    {% if is_incremental() %}

    where
        not exists (
            select 1
            from {{ this }} as known
            where known.generated_nos = list_patterns.generated_nos and known.human_nos = list_patterns.human_nos
        )

    {% endif %}

),

match_concepts as (

    select
        cast(generated_nos as integer[]) as generated_nos,
        cast(human_nos as integer[]) as human_nos,
        cast(matched_pairs(generated_nos, human_nos) as integer) as n_matched
    from keep_new

)

select * from match_concepts
