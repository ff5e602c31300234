with expected_counts as (

    select * from {{ ref('int_expected_counts') }}

),

score_questions as (

    select
        {{ question_cells() }},
        k,
        major_expected as numerator,
        major_expected_squares as numerator_squares,
        n_questions as denominator,
        n_undecided,
        n_major_fractional as n_fractional
    from expected_counts

),

measure as (

    select * from {{ ratio_metric('major_at_k_expected', 1, 'score_questions', has_k=true, is_bundled=true) }}

)

select * from measure
