-- Average accuracy is over the replies of all turns: its numerator and denominator are the sums of the turns'.
with turn_sums as (

    select
        metric_version,
        verdict_source,
        run_id,
        dataset_id,
        sum(numerator) as numerator,
        sum(denominator) as denominator
    from {{ ref('metric_values') }}
    where metric_id = 'turn_accuracy'
    group by metric_version, verdict_source, run_id, dataset_id

)

select
    averages.run_id,
    averages.metric_version,
    averages.numerator,
    turn_sums.numerator as numerator_of_turns,
    averages.denominator,
    turn_sums.denominator as denominator_of_turns
from {{ ref('metric_values') }} as averages
left join turn_sums
    on
        averages.metric_version = turn_sums.metric_version
        and averages.verdict_source = turn_sums.verdict_source
        and averages.run_id = turn_sums.run_id
        and averages.dataset_id = turn_sums.dataset_id
where
    averages.metric_id = 'average_accuracy'
    and averages.slice_kind = 'all'
    and (
        averages.numerator is distinct from turn_sums.numerator
        or averages.denominator is distinct from turn_sums.denominator
    )
