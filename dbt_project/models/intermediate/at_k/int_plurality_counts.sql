with ballots as (

    select * from {{ ref('int_ballots') }}

),

prefixes as (

    select * from {{ ref('int_plurality_prefixes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

find_cells as (

    select
        {{ find_question_cells('ballots', 'questions') }},
        ballots.ballots_no
    from ballots
    inner join questions on ballots.problem_id = questions.problem_id

),

count_questions as (

    select
        {{ question_cells('find_cells') }},
        prefixes.k,
        prefixes.is_correct,
        prefixes.n_leaders > 1 as is_tied,
        count(*) as n_questions
    from find_cells
    inner join prefixes on find_cells.ballots_no = prefixes.ballots_no
    group by
        {{ question_cells('find_cells') }},
        prefixes.k,
        prefixes.is_correct,
        prefixes.n_leaders > 1

),

cast_columns as (

    select
        {{ cast_question_cells() }},
        cast(k as integer) as k,
        cast(is_correct as boolean) as is_correct,
        cast(is_tied as boolean) as is_tied,
        cast(n_questions as bigint) as n_questions
    from count_questions

)

select * from cast_columns
