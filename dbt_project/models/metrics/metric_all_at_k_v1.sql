with rollout_counts as (

    select * from {{ ref('int_rollout_counts') }}

),

score_questions as (

    select
        {{ question_cells() }},
        k,
        case
            when share_correct = 'all' then n_questions
            when share_correct is not null then 0
        end as numerator,
        case
            when share_correct = 'all' then n_questions
            when share_correct is not null then 0
        end as numerator_squares,
        case when share_correct is not null then n_questions else 0 end as denominator,
        n_undecided,
        0 as n_fractional
    from rollout_counts

),

measure as (

    select * from {{ ratio_metric('all_at_k', 1, 'score_questions', has_k=true, is_bundled=true) }}

)

select * from measure
