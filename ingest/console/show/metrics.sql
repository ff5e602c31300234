-- Metrics: what each number means; the latest version is the one the leaderboard shows
select
    metric_id,
    metric_version as version,
    is_latest as latest,
    unit,
    higher_is_better,
    title,
    definition,
    source
from marts.metrics
order by metric_id, metric_version
