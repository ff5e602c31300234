with coverage_counts as (

    select * from {{ ref('int_coverage_counts') }}

),

score_questions as (

    select
        {{ question_cells() }},
        k,
        case when is_covered then n_questions else 0 end as numerator,
        case when is_covered then n_questions else 0 end as numerator_squares,
        n_questions as denominator,
        0 as n_undecided,
        0 as n_fractional
    from coverage_counts

),

measure as (

    select * from {{ ratio_metric('coverage_at_k', 1, 'score_questions', has_k=true, is_bundled=true) }}

)

select * from measure
