with gradings as (

    select * from {{ ref('int_gradings') }}

),

answers as (

    select * from {{ ref('int_answers') }}

),

verdicts as (

    select * from {{ ref('int_verdicts') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

model_verdicts as (

    select * from {{ ref('stg_model_verdicts') }}

),

current_verdicts as (

    select verdicts.*
    from verdicts
    inner join versions on verdicts.judge_version = versions.judge_version

),

judge_responses as (

    select
        gradings.response_id,
        gradings.run_id,
        gradings.problem_id,
        gradings.dataset_id,
        gradings.rollout_no,
        gradings.policy_id,
        gradings.gold_answer,
        gradings.gold_is_text,
        gradings.reply_kind,
        gradings.reported_answer,
        gradings.reported_correct,
        gradings.reward_score,
        gradings.response_chars,
        answers.extracted_answer,
        answers.extraction_method,
        answers.is_truncated,
        current_verdicts.verdict_method,
        versions.judge_version,
        case
            when not gradings.has_gold or gradings.reply_kind = 'verdict' then 'undecided'
            when gradings.reply_kind = 'none' then 'no_reply'
            when answers.extracted_answer is null then 'no_answer'
            when current_verdicts.verdict then 'correct'
            when not current_verdicts.verdict then 'incorrect'
            else 'undecided'
        end as outcome
    from gradings
    inner join answers on gradings.response_id = answers.response_id
    cross join versions
    left join current_verdicts
        on
            answers.policy_spec = current_verdicts.policy_spec
            and answers.gold_answer = current_verdicts.gold_answer
            and answers.extracted_answer = current_verdicts.answer

),

-- Several model judges vote; a tie, or no decided voice, is undecided.
count_model_verdicts as (

    select
        response_id,
        count(case when verdict = 'true' then 1 end) as n_true,
        count(case when verdict = 'false' then 1 end) as n_false,
        min(judge_model) as first_judge,
        count(distinct judge_model) as n_judges
    from model_verdicts
    group by response_id

),

list_verdicts as (

    select
        response_id,
        'judge' as verdict_source,
        outcome,
        verdict_method,
        judge_version
    from judge_responses

    union all

    select
        response_id,
        'reported' as verdict_source,
        case when reported_correct then 'correct' else 'incorrect' end as outcome,
        'reported' as verdict_method,
        cast(null as varchar) as judge_version
    from judge_responses
    where reported_correct is not null

    union all

    select
        response_id,
        'model_judge' as verdict_source,
        case
            when n_true > n_false then 'correct'
            when n_true < n_false then 'incorrect'
            else 'undecided'
        end as outcome,
        'model' as verdict_method,
        case when n_judges = 1 then first_judge else cast(n_judges as varchar) || ' model judges' end as judge_version
    from count_model_verdicts

),

name_outcomes as (

    select
        cast(list_verdicts.response_id as varchar) as response_id,
        cast(list_verdicts.verdict_source as varchar) as verdict_source,
        cast(responses.run_id as varchar) as run_id,
        cast(responses.problem_id as varchar) as problem_id,
        cast(responses.dataset_id as varchar) as dataset_id,
        cast(responses.rollout_no as integer) as rollout_no,
        cast(list_verdicts.outcome as varchar) as outcome,
        cast(
            case when list_verdicts.outcome <> 'undecided' then list_verdicts.outcome = 'correct' end as boolean
        ) as is_correct,
        -- The published scorer's own test: the extracted text, empty where there is none, is the gold text.
        cast(
            case
                when list_verdicts.verdict_source = 'judge' and responses.policy_id = 'scmath6_official'
                    then
                        responses.gold_is_text
                        and responses.gold_answer is not null
                        and coalesce(responses.extracted_answer, '') = responses.gold_answer
            end as boolean
        ) as is_official_match,
        cast(responses.policy_id as varchar) as policy_id,
        cast(
            case
                when list_verdicts.verdict_source = 'judge' then responses.reply_kind in ('text', 'answer')
                else responses.reply_kind <> 'none'
            end as boolean
        ) as is_reply,
        cast(responses.response_chars as bigint) as response_chars,
        cast(responses.extracted_answer as varchar) as extracted_answer,
        cast(responses.reported_answer as varchar) as reported_answer,
        cast(responses.reward_score as double) as reward_score,
        cast(responses.extraction_method as varchar) as extraction_method,
        cast(responses.is_truncated as boolean) as is_truncated,
        cast(list_verdicts.verdict_method as varchar) as verdict_method,
        cast(list_verdicts.judge_version as varchar) as judge_version
    from list_verdicts
    inner join judge_responses as responses on list_verdicts.response_id = responses.response_id

)

select * from name_outcomes
