with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

dataset_policies as (

    select * from {{ ref('int_dataset_policies') }}

),

collect_answers as (

    select
        verdict_source,
        run_id,
        problem_id,
        {{ distinct_elements('answers') }} as answers
    from sequences

),

-- One answer needs no grouping, so a question that was always answered alike is not here.
keep_sets as (

    select *
    from collect_answers
    where len(answers) > 1

),

name_sets as (

    select
        cast(keep_sets.verdict_source as varchar) as verdict_source,
        cast(keep_sets.run_id as varchar) as run_id,
        cast(keep_sets.problem_id as varchar) as problem_id,
        cast({{ question_policy_spec('dataset_policies', 'questions') }} as varchar) as policy_spec,
        cast(keep_sets.answers as varchar[]) as answers,
        cast(md5({{ join_texts('keep_sets.answers') }}) as varchar) as answers_key
    from keep_sets
    inner join questions on keep_sets.problem_id = questions.problem_id
    inner join dataset_policies on questions.dataset_id = dataset_policies.dataset_id

)

select * from name_sets
