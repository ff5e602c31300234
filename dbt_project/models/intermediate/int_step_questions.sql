with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

step_questions as (

    select *
    from question_scores
    where reasoning_steps is not null

),

list_runs as (

    select distinct
        verdict_source,
        run_id,
        dataset_id
    from step_questions

),

list_seen_steps as (

    select distinct
        verdict_source,
        run_id,
        dataset_id,
        reasoning_steps
    from step_questions

),

-- A run whose problems skip a step still has a row for it, without a question: the gap is shown, not passed over.
list_expected_steps as (

    select
        list_runs.verdict_source,
        list_runs.run_id,
        list_runs.dataset_id,
        steps.reasoning_steps
    from list_runs
    cross join (values (1), (2), (3), (4), (5)) as steps (reasoning_steps)

),

find_missing_steps as (

    select list_expected_steps.*
    from list_expected_steps
    left join list_seen_steps as seen
        on
            list_expected_steps.verdict_source = seen.verdict_source
            and list_expected_steps.run_id = seen.run_id
            and list_expected_steps.dataset_id = seen.dataset_id
            and list_expected_steps.reasoning_steps = seen.reasoning_steps
    where seen.run_id is null

),

stack_steps as (

    select
        verdict_source,
        run_id,
        dataset_id,
        problem_id,
        cluster_id,
        is_clustered,
        reasoning_steps,
        n_responses,
        n_replies,
        n_decided_replies,
        n_correct_replies,
        n_official_replies,
        n_official_correct,
        n_extracted
    from step_questions

    union all

    select
        verdict_source,
        run_id,
        dataset_id,
        '' as problem_id,
        '' as cluster_id,
        false as is_clustered,
        reasoning_steps,
        0 as n_responses,
        0 as n_replies,
        0 as n_decided_replies,
        0 as n_correct_replies,
        0 as n_official_replies,
        0 as n_official_correct,
        0 as n_extracted
    from find_missing_steps

),

cast_columns as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(problem_id as varchar) as problem_id,
        cast(cluster_id as varchar) as cluster_id,
        cast(is_clustered as boolean) as is_clustered,
        cast(reasoning_steps as integer) as reasoning_steps,
        cast(n_responses as bigint) as n_responses,
        cast(n_replies as bigint) as n_replies,
        cast(n_decided_replies as bigint) as n_decided_replies,
        cast(n_correct_replies as bigint) as n_correct_replies,
        cast(n_official_replies as bigint) as n_official_replies,
        cast(n_official_correct as bigint) as n_official_correct,
        cast(n_extracted as bigint) as n_extracted
    from stack_steps

)

select * from cast_columns
