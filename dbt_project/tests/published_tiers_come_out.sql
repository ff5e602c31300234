-- The rule gives both published leaderboards their printed levels; tiers add up to the models of a set; every run with a
-- composite score is placed once beside each set.
select
    reference_set,
    model as subject,
    'level ' || level_frozen || ' is printed as ' || published_level as fault
from {{ ref('grade_tiers') }}
where run_id is null and (level_frozen <> published_level or level_retiered <> published_level)

union all

select
    reference_set,
    'models' as subject,
    'tiers have ' || count(*) || ' models' as fault
from {{ ref('grade_tiers') }}
where run_id is null
group by reference_set
having
    count(*) <> (
        select count(*) from {{ ref('published_scmath6_leaderboards') }} as published
        where published.reference_set = grade_tiers.reference_set
    )

union all

select
    reference_set,
    'runs' as subject,
    'places ' || count(run_id) || ' runs' as fault
from {{ ref('grade_tiers') }}
group by reference_set
having
    count(run_id) <> (
        select count(*) from {{ ref('metric_values') }} as metric_values
        where
            metric_values.metric_id = 'composite_score'
            and metric_values.metric_version = 1
            and metric_values.verdict_source = 'judge'
            and metric_values.value is not null
    )
