{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        on_schema_change='fail',
    )
}}

with answer_sets as (

    select * from {{ ref('int_answer_sets') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

list_inputs as (

    select
        answer_sets.policy_spec,
        answer_sets.answers_key,
        versions.judge_version,
        min(answer_sets.answers) as answers
    from answer_sets
    cross join versions
    group by answer_sets.policy_spec, answer_sets.answers_key, versions.judge_version

),

keep_new as (

    select *
    from list_inputs

    {% if is_incremental() %}

    where
        not exists (
            select 1
            from {{ this }} as known
            where
                known.policy_spec = list_inputs.policy_spec
                and known.answers_key = list_inputs.answers_key
                and known.judge_version = list_inputs.judge_version
        )

    {% endif %}

),

group_answers as (

    select
        cast(policy_spec as varchar) as policy_spec,
        cast(answers_key as varchar) as answers_key,
        cast(judge_version as varchar) as judge_version,
        cast(answers as varchar[]) as answers,
        cast(answer_classes(policy_spec, answers) as integer[]) as classes
    from keep_new

)

select * from group_answers
