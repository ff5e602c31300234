with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

prefixes as (

    select * from {{ ref('int_rollout_prefixes') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

-- Whole numbers only: half of k is never a fraction here.
classify_prefixes as (

    select
        sequence_no,
        k,
        n_undecided,
        case
            when n_undecided > 0 then null
            when n_correct = 0 then 'none'
            when n_correct = k then 'all'
            when 2 * n_correct < k then 'some'
            when 2 * n_correct = k then 'half'
            else 'most'
        end as share_correct
    from prefixes

),

find_cells as (

    select
        {{ find_question_cells('sequences', 'questions') }},
        sequences.sequence_no
    from sequences
    inner join questions on sequences.problem_id = questions.problem_id

),

count_questions as (

    select
        {{ question_cells('find_cells') }},
        classify_prefixes.k,
        classify_prefixes.share_correct,
        count(*) as n_questions,
        sum(classify_prefixes.n_undecided) as n_undecided
    from find_cells
    inner join classify_prefixes on find_cells.sequence_no = classify_prefixes.sequence_no
    group by
        {{ question_cells('find_cells') }},
        classify_prefixes.k,
        classify_prefixes.share_correct

),

cast_columns as (

    select
        {{ cast_question_cells() }},
        cast(k as integer) as k,
        cast(share_correct as varchar) as share_correct,
        cast(n_questions as bigint) as n_questions,
        cast(n_undecided as bigint) as n_undecided
    from count_questions

)

select * from cast_columns
