with version_pairs as (

    select * from {{ ref('int_version_pairs') }}

),

gradings as (

    select * from {{ ref('int_gradings') }}

),

extractions as (

    select * from {{ ref('int_extractions') }}

),

verdicts as (

    select * from {{ ref('int_verdicts') }}

),

list_versions as (

    select
        earlier_judge_version as judge_version,
        earlier_extractor_version as extractor_version
    from version_pairs
    union distinct
    select
        later_judge_version as judge_version,
        later_extractor_version as extractor_version
    from version_pairs

),

read_answers as (

    select
        list_versions.judge_version,
        gradings.response_id,
        gradings.run_id,
        gradings.dataset_id,
        gradings.policy_spec,
        gradings.gold_answer,
        case
            when not {{ is_cut_off_guess('gradings', 'extractions') }} then nullif(extractions.extracted_answer, '')
        end as answer
    from list_versions
    inner join extractions on list_versions.extractor_version = extractions.extractor_version
    inner join gradings
        on
            extractions.response_key = gradings.response_key
            and extractions.policy_spec = gradings.policy_spec
            and extractions.answer_form is not distinct from gradings.answer_form
    where gradings.has_gold

),

name_outcomes as (

    select
        cast(read_answers.judge_version as varchar) as judge_version,
        cast(read_answers.response_id as varchar) as response_id,
        cast(read_answers.run_id as varchar) as run_id,
        cast(read_answers.dataset_id as varchar) as dataset_id,
        cast(read_answers.answer as varchar) as answer,
        cast(
            case
                when read_answers.answer is null then 'no_answer'
                when verdicts.verdict then 'correct'
                when not verdicts.verdict then 'incorrect'
                else 'undecided'
            end as varchar
        ) as outcome,
        cast(verdicts.verdict_method as varchar) as verdict_method
    from read_answers
    left join verdicts
        on
            read_answers.policy_spec = verdicts.policy_spec
            and read_answers.gold_answer = verdicts.gold_answer
            and read_answers.answer = verdicts.answer
            and read_answers.judge_version = verdicts.judge_version
    -- what this version never judged says nothing about it
    where read_answers.answer is null or verdicts.judge_version is not null

)

select * from name_outcomes
