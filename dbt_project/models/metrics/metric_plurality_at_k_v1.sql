with plurality_counts as (

    select * from {{ ref('int_plurality_counts') }}

),

score_questions as (

    select
        {{ question_cells() }},
        k,
        case when is_correct then n_questions when not is_correct then 0 end as numerator,
        case when is_correct then n_questions when not is_correct then 0 end as numerator_squares,
        case when is_correct is not null then n_questions else 0 end as denominator,
        case when is_correct is null then n_questions else 0 end as n_undecided,
        0 as n_fractional
    from plurality_counts

),

measure as (

    select * from {{ ratio_metric('plurality_at_k', 1, 'score_questions', has_k=true, is_bundled=true) }}

)

select * from measure
