with prefixes as (

    select * from {{ ref('int_reward_prefixes') }}

),

sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

find_cells as (

    select
        {{ find_question_cells('sequences', 'questions') }},
        prefixes.k,
        prefixes.is_correct
    from prefixes
    inner join sequences on prefixes.question_no = sequences.question_no
    inner join questions on sequences.problem_id = questions.problem_id
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
