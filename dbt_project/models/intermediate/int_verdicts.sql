{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        on_schema_change='append_new_columns',
        post_hook={'sql': 'select clear_verdict_journal()', 'transaction': false},
    )
}}

with answers as (

    select * from {{ ref('int_answers') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

list_inputs as (

    select distinct
        answers.policy_spec,
        answers.gold_answer,
        answers.extracted_answer as answer,
        versions.judge_version
    from answers
    cross join versions
    where answers.has_gold and answers.extracted_answer is not null

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
                and known.gold_answer = list_inputs.gold_answer
                and known.answer = list_inputs.answer
                and known.judge_version = list_inputs.judge_version
        )
    {% endif %}

),

judge_answers as (

    select
        policy_spec,
        gold_answer,
        answer,
        judge_version,
        judge_answer(policy_spec, gold_answer, answer) as judgement
    from keep_new

),

unpack_structs as (

    select
        cast(judge_answers.policy_spec as varchar) as policy_spec,
        cast(judge_answers.gold_answer as varchar) as gold_answer,
        cast(judge_answers.answer as varchar) as answer,
        cast(judge_answers.judge_version as varchar) as judge_version,
        cast(judgement.verdict as boolean) as verdict,
        cast(judgement.method as varchar) as verdict_method,
        cast(judgement.milliseconds as double) as milliseconds
    from judge_answers

)

select * from unpack_structs
