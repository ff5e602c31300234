with gradings as (

    select * from {{ ref('int_gradings') }}

),

extractions as (

    select * from {{ ref('int_extractions') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

current_extractions as (

    select extractions.*
    from extractions
    inner join versions on extractions.extractor_version = versions.extractor_version

),

-- Where a file gives an answer without the text it was taken from, that answer is what is judged.
attach_answers as (

    select
        cast(gradings.response_id as varchar) as response_id,
        cast(gradings.policy_spec as varchar) as policy_spec,
        cast(gradings.gold_answer as varchar) as gold_answer,
        cast(gradings.has_gold as boolean) as has_gold,
        cast(
            case
                when gradings.reply_kind = 'answer' then gradings.reported_answer
                when {{ is_cut_off_guess('gradings', 'current_extractions') }} then null
                -- nothing between the marks, or no marks: no answer
                else nullif(current_extractions.extracted_answer, '')
            end as varchar
        ) as extracted_answer,
        cast(
            case
                when gradings.reply_kind = 'answer' then 'reported'
                when {{ is_cut_off_guess('gradings', 'current_extractions') }} then 'truncated'
                else current_extractions.extraction_method
            end as varchar
        ) as extraction_method,
        cast(current_extractions.is_truncated or gradings.hit_token_limit as boolean) as is_truncated
    from gradings
    left join current_extractions
        on
            gradings.response_key = current_extractions.response_key
            and gradings.policy_spec = current_extractions.policy_spec
            and gradings.answer_form is not distinct from current_extractions.answer_form

)

select * from attach_answers
