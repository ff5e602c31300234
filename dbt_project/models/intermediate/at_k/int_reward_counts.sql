with records as (

    select * from {{ ref('int_reward_records') }}

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
        records.best_rollout_no,
        records.last_k,
        records.is_correct
    from records
    inner join sequences on records.question_no = sequences.question_no
    inner join questions on sequences.problem_id = questions.problem_id

),

count_records as (

    select
        {{ question_cells() }},
        best_rollout_no,
        last_k,
        is_correct,
        count(*) as n_questions
    from find_cells
    group by
        {{ question_cells() }},
        best_rollout_no,
        last_k,
        is_correct

),

-- One row per k for which the record stands.
spread_records as (

    select
        {{ question_cells() }},
        is_correct,
        n_questions,
        best_rollout_no,
        {{ rows_up_to('last_k') }} as k
    from count_records

),

count_questions as (

    select
        {{ question_cells() }},
        k,
        is_correct,
        sum(n_questions) as n_questions
    from spread_records
    where k >= best_rollout_no
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
