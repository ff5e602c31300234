{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        on_schema_change='append_new_columns',
    )
}}

with gradings as (

    select * from {{ ref('int_gradings') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

-- One response stands for all that have the same text and are read by the same policy.
list_inputs as (

    select
        gradings.policy_spec,
        gradings.answer_form,
        gradings.response_key,
        versions.extractor_version,
        min(gradings.response_id) as response_id
    from gradings
    cross join versions
    where gradings.response_key is not null
    group by gradings.policy_spec, gradings.answer_form, gradings.response_key, versions.extractor_version

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
                and known.answer_form is not distinct from list_inputs.answer_form
                and known.response_key = list_inputs.response_key
                and known.extractor_version = list_inputs.extractor_version
        )
    {% endif %}

),

extract_answers as (

    select
        keep_new.policy_spec,
        keep_new.answer_form,
        keep_new.response_key,
        keep_new.extractor_version,
        extract_answer_details(keep_new.policy_spec, responses.response, keep_new.answer_form) as extraction
    from keep_new
    inner join responses on keep_new.response_id = responses.response_id

),

unpack_structs as (

    select
        cast(extract_answers.policy_spec as varchar) as policy_spec,
        cast(extract_answers.answer_form as varchar) as answer_form,
        cast(extract_answers.response_key as varchar) as response_key,
        cast(extract_answers.extractor_version as varchar) as extractor_version,
        cast(extraction.answer as varchar) as extracted_answer,
        cast(extraction.method as varchar) as extraction_method,
        cast(extraction.is_truncated as boolean) as is_truncated
    from extract_answers

)

select * from unpack_structs
