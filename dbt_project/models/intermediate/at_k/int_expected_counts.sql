with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

expected as (

    select * from {{ ref('int_expected_at_k') }}

),

count_tallies as (

    select
        verdict_source,
        run_id,
        dataset_id,
        case when is_clustered then cluster_id end as cluster_id,
        is_clustered,
        turn,
        reasoning_steps,
        level,
        subject,
        n_responses,
        n_decided,
        n_correct,
        count(*) as n_questions
    from question_scores
    group by
        verdict_source,
        run_id,
        dataset_id,
        case when is_clustered then cluster_id end,
        is_clustered,
        turn,
        reasoning_steps,
        level,
        subject,
        n_responses,
        n_decided,
        n_correct

),

repeat_for_k as (

    select
        *,
        {{ rows_up_to('n_responses') }} as k
    from count_tallies

),

-- A question has no value at a k beyond its decided rollouts.
add_up_expected as (

    select
        {{ question_cells('repeat_for_k') }},
        repeat_for_k.k,
        sum(case when expected.k is not null then n_questions else 0 end) as n_questions,
        sum(n_questions * (n_responses - repeat_for_k.n_decided)) as n_undecided,
        sum(n_questions * expected.major_expected) as major_expected,
        sum(n_questions * expected.major_expected * expected.major_expected) as major_expected_squares,
        sum(case when expected.major_expected > 0 and expected.major_expected < 1 then n_questions else 0 end) as n_major_fractional,
        sum(n_questions * expected.rm_expected) as rm_expected,
        sum(n_questions * expected.rm_expected * expected.rm_expected) as rm_expected_squares,
        sum(case when expected.rm_expected > 0 and expected.rm_expected < 1 then n_questions else 0 end) as n_rm_fractional,
        sum(n_questions * expected.all_expected) as all_expected,
        sum(n_questions * expected.all_expected * expected.all_expected) as all_expected_squares,
        sum(case when expected.all_expected > 0 and expected.all_expected < 1 then n_questions else 0 end) as n_all_fractional
    from repeat_for_k
    left join expected
        on
            repeat_for_k.n_decided = expected.n_decided
            and repeat_for_k.n_correct = expected.n_correct
            and repeat_for_k.k = expected.k
    group by
        {{ question_cells('repeat_for_k') }},
        repeat_for_k.k

),

cast_columns as (

    select
        {{ cast_question_cells() }},
        cast(k as integer) as k,
        cast(n_questions as bigint) as n_questions,
        cast(n_undecided as bigint) as n_undecided,
        cast(major_expected as double) as major_expected,
        cast(major_expected_squares as double) as major_expected_squares,
        cast(n_major_fractional as bigint) as n_major_fractional,
        cast(rm_expected as double) as rm_expected,
        cast(rm_expected_squares as double) as rm_expected_squares,
        cast(n_rm_fractional as bigint) as n_rm_fractional,
        cast(all_expected as double) as all_expected,
        cast(all_expected_squares as double) as all_expected_squares,
        cast(n_all_fractional as bigint) as n_all_fractional
    from add_up_expected

)

select * from cast_columns
