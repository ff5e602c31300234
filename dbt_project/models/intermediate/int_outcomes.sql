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
        end as judge_outcome
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

list_sources as (

    select 'judge' as verdict_source
    union all
    select 'reported' as verdict_source
    union all
    select 'model_judge' as verdict_source

),

stack_sources as (

    select
        judge_responses.*,
        list_sources.verdict_source,
        case
            when list_sources.verdict_source = 'judge' then judge_responses.judge_outcome
            when list_sources.verdict_source = 'reported' and judge_responses.reported_correct then 'correct'
            when list_sources.verdict_source = 'reported' then 'incorrect'
            when count_model_verdicts.n_true > count_model_verdicts.n_false then 'correct'
            when count_model_verdicts.n_true < count_model_verdicts.n_false then 'incorrect'
            else 'undecided'
        end as outcome,
        count_model_verdicts.first_judge,
        count_model_verdicts.n_judges
    from judge_responses
    cross join list_sources
    left join count_model_verdicts on judge_responses.response_id = count_model_verdicts.response_id
    where
        list_sources.verdict_source = 'judge'
        or (list_sources.verdict_source = 'reported' and judge_responses.reported_correct is not null)
        or (list_sources.verdict_source = 'model_judge' and count_model_verdicts.response_id is not null)

),

name_outcomes as (

    select
        cast(response_id as varchar) as response_id,
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(rollout_no as integer) as rollout_no,
        cast(outcome as varchar) as outcome,
        cast(
            case when outcome <> 'undecided' then outcome = 'correct' end as boolean
        ) as is_correct,
        -- The published scorer's own test: the extracted text, empty where there is none, is the gold text.
        cast(
            case
                when verdict_source = 'judge' and policy_id = 'scmath6_official'
                    then
                        gold_is_text
                        and gold_answer is not null
                        and coalesce(extracted_answer, '') = gold_answer
            end as boolean
        ) as is_official_match,
        cast(policy_id as varchar) as policy_id,
        cast(
            case
                when verdict_source = 'judge' then reply_kind in ('text', 'answer')
                else reply_kind <> 'none'
            end as boolean
        ) as is_reply,
        cast(response_chars as bigint) as response_chars,
        cast(extracted_answer as varchar) as extracted_answer,
        cast(reported_answer as varchar) as reported_answer,
        cast(reward_score as double) as reward_score,
        cast(extraction_method as varchar) as extraction_method,
        cast(is_truncated as boolean) as is_truncated,
        cast(
            case verdict_source when 'judge' then verdict_method when 'reported' then 'reported' else 'model' end as varchar
        ) as verdict_method,
        cast(
            case
                when verdict_source = 'judge' then judge_version
                when verdict_source = 'model_judge' and n_judges = 1 then first_judge
                when verdict_source = 'model_judge' then cast(n_judges as varchar) || ' model judges'
            end as varchar
        ) as judge_version
    from stack_sources

)

select * from name_outcomes
