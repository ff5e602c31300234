with votes as (

    select * from {{ ref('int_votes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

dataset_policies as (

    select * from {{ ref('int_dataset_policies') }}

),

-- One answer needs no grouping, so a question that was always answered alike is not here.
collect_answers as (

    select
        verdict_source,
        run_id,
        problem_id,
        {{ collect_sorted('answer') }} as answers
    from votes
    where answer is not null
    group by verdict_source, run_id, problem_id
    having count(*) > 1

),

name_sets as (

    select
        cast(collect_answers.verdict_source as varchar) as verdict_source,
        cast(collect_answers.run_id as varchar) as run_id,
        cast(collect_answers.problem_id as varchar) as problem_id,
        cast({{ question_policy_spec('dataset_policies', 'questions') }} as varchar) as policy_spec,
        cast(collect_answers.answers as varchar[]) as answers,
        cast(md5({{ join_texts('collect_answers.answers') }}) as varchar) as answers_key
    from collect_answers
    inner join questions on collect_answers.problem_id = questions.problem_id
    inner join dataset_policies on questions.dataset_id = dataset_policies.dataset_id

)

select * from name_sets
