{{ check_metric_models() -}}

with stack_metrics as (
    {% for metric_id, versions in metric_models() %}
    {% set last = loop.last %}
    {% for version in versions %}
    select * from {{ ref('metric_' ~ metric_id, v=version) }}
    {{ 'union all' if not (last and loop.last) }}
    {% endfor %}
    {% endfor %}
),

cast_columns as (

    select
        cast(metric_id as varchar) as metric_id,
        cast(metric_version as integer) as metric_version,
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(slice_kind as varchar) as slice_kind,
        cast(slice_value as varchar) as slice_value,
        cast(k as integer) as k,
        cast(numerator as double) as numerator,
        cast(denominator as double) as denominator,
        cast(value as double) as value,
        cast(std_error as double) as std_error,
        cast(ci_low as double) as ci_low,
        cast(ci_high as double) as ci_high,
        cast(n_questions as bigint) as n_questions,
        cast(n_undecided as bigint) as n_undecided,
        cast(embedder_id as varchar) as embedder_id,
        cast(extractor_id as varchar) as extractor_id
    from stack_metrics

)

select * from cast_columns
