-- The formulas give the published composites back, from the printed steps and accuracies where those are printed. They were
-- computed before their parts were rounded for print, hence half a hundredth of room.
{%- set room = '0.0051' %}

with published as (

    select
        reference_set,
        model,
        cast(composite_score as double) as composite_score,
        cast(step_weighted_score as double) as step_weighted_score,
        cast(accuracy_composite as double) as accuracy_composite,
        cast(overall_accuracy as double) as overall_accuracy,
        cast(average_accuracy as double) as average_accuracy,
        cast(step_1 as double) as step_1,
        cast(step_2 as double) as step_2,
        cast(step_3 as double) as step_3,
        cast(step_4 as double) as step_4,
        cast(step_5 as double) as step_5
    from {{ ref('published_scmath6_leaderboards') }}

),

recompute as (

    select
        *,
        {{ round_half_even('(' ~ weighted_steps() ~ ') / 15 * 100', 2) }} as step_weighted_again,
        {{ mean_of_two('overall_accuracy', 'average_accuracy') }} as accuracy_composite_again,
        {{ mean_of_two('accuracy_composite', 'step_weighted_score') }} as composite_score_again
    from published

)

select * from recompute
where
    step_weighted_again <> step_weighted_score
    or abs(accuracy_composite_again - accuracy_composite) > {{ room }}
    or abs(composite_score_again - composite_score) > {{ room }}
