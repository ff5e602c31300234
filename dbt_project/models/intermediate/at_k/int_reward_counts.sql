with prefixes as (

    select * from {{ ref('int_reward_prefixes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

find_cells as (

    select
        {{ find_question_cells('prefixes', 'questions') }},
        prefixes.k,
        prefixes.is_correct
    from prefixes
    inner join questions on prefixes.problem_id = questions.problem_id
    where prefixes.best_rollout_no is not null

),

count_questions as (

    select
        {{ question_cells() }},
        k,
        is_correct,
        count(*) as n_questions
    from find_cells
    group by
        {{ question_cells() }},
        k,
        is_correct

),

cast_columns as (

    select
        {{ cast_question_cells() }},
        cast(k as integer) as k,
        cast(is_correct as boolean) as is_correct,
        cast(n_questions as bigint) as n_questions
    from count_questions

)

select * from cast_columns
