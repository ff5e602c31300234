-- Errors are not negative, bounds enclose the value (published versions are rounded, by half of 0.01 at most), a share lies
-- between 0 and 1 and is its numerator by its denominator, and without a denominator there is no value.
{%- set room = 'case when metrics.is_latest then 1e-9 else 0.0051 end' %}

select
    metric_values.*,
    metrics.unit
from {{ ref('metric_values') }} as metric_values
inner join {{ ref('metrics') }} as metrics
    on
        metric_values.metric_id = metrics.metric_id
        and metric_values.metric_version = metrics.metric_version
where
    metric_values.std_error < 0
    or metric_values.ci_low > metric_values.value + {{ room }}
    or metric_values.ci_high < metric_values.value - {{ room }}
    or isnan(metric_values.value)
    or (metric_values.value is not null and metric_values.denominator <= 0)
    or (
        metrics.is_latest
        and metrics.unit = 'fraction'
        and (
            abs(metric_values.value) > 1 + 1e-9
            or abs(metric_values.value - metric_values.numerator / nullif(metric_values.denominator, 0)) > 1e-9
        )
    )
