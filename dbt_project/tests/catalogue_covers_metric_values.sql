-- Every value has a definition, and every metric one latest version.
select
    metric_values.metric_id,
    metric_values.metric_version,
    'value without a definition' as fault
from {{ ref('metric_values') }} as metric_values
left join {{ ref('metrics') }} as metrics
    on
        metric_values.metric_id = metrics.metric_id
        and metric_values.metric_version = metrics.metric_version
where metrics.metric_id is null or length(metrics.definition) = 0

union all

select
    metric_id,
    max(metric_version) as metric_version,
    'not one latest version' as fault
from {{ ref('metrics') }}
group by metric_id
having count(case when is_latest then 1 end) <> 1 or max(case when is_latest then metric_version end) <> max(metric_version)
