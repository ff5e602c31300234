with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

questions as (

    select * from {{ ref('int_questions') }}

),

count_lengths as (

    select
        {{ find_question_cells('sequences', 'questions') }},
        sequences.n_leading_rollouts,
        count(*) as n_questions
    from sequences
    inner join questions on sequences.problem_id = questions.problem_id
    group by
        {{ find_question_cells('sequences', 'questions') | replace(' as cluster_id', '') }},
        sequences.n_leading_rollouts

),

find_longest as (

    select
        verdict_source,
        run_id,
        max(n_leading_rollouts) as max_k
    from count_lengths
    group by verdict_source, run_id

),

repeat_for_k as (

    select
        verdict_source,
        run_id,
        {{ rows_up_to('max_k') }} as k
    from find_longest
    where max_k > 0

),

compare_lengths as (

    select
        {{ question_cells('count_lengths') }},
        repeat_for_k.k,
        count_lengths.n_leading_rollouts >= repeat_for_k.k as is_covered,
        sum(count_lengths.n_questions) as n_questions
    from count_lengths
    inner join repeat_for_k
        on count_lengths.verdict_source = repeat_for_k.verdict_source and count_lengths.run_id = repeat_for_k.run_id
    group by
        {{ question_cells('count_lengths') }},
        repeat_for_k.k,
        count_lengths.n_leading_rollouts >= repeat_for_k.k

),

cast_columns as (

    select
        {{ cast_question_cells() }},
        cast(k as integer) as k,
        cast(is_covered as boolean) as is_covered,
        cast(n_questions as bigint) as n_questions
    from compare_lengths

)

select * from cast_columns
