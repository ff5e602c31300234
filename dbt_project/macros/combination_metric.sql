{#-
    Metric values that are weighted sums of ratios, with the standard error of the whole.

    values: name of a CTE with one row per (verdict_source, run_id, dataset_id) and the columns numerator, denominator,
        value (as the metric is defined, rounded or not), n_questions, n_undecided.
    components: name of a CTE with one row per (verdict_source, run_id, dataset_id, cluster_id, component) and the columns
        weight, numerator, denominator.
    scale: factor between the weighted sum and the value (100 for percent).
    is_proportion: whether the value lies between 0 and scale, so that the interval is cut there.

    Standard error: each cluster's influence is u_c = sum over components of weight * (y_c - R x_c) / X, where R = Y / X is
    the component's ratio; SE^2 = C/(C-1) * sum_c u_c^2. Components share clusters (the two turns of a conversation,
    its steps), so their covariance is in it. Rounding of the published value is not error and is left out of it.
    Fewer than two clusters, or no value: NULL.
-#}
{% macro combination_metric(metric_id, metric_version, values, components, scale=1, is_proportion=true) %}
(

    with sum_components as (

        select
            verdict_source,
            run_id,
            dataset_id,
            component,
            sum(numerator) as y,
            sum(denominator) as x
        from {{ components }}
        group by verdict_source, run_id, dataset_id, component

    ),

    measure_influence as (

        select
            parts.verdict_source,
            parts.run_id,
            parts.dataset_id,
            parts.cluster_id,
            sum(parts.weight * (parts.numerator - sums.y / sums.x * parts.denominator) / sums.x) as influence,
            max(case when parts.denominator > 0 or parts.numerator <> 0 then 1 else 0 end) as is_observed
        from {{ components }} as parts
        inner join sum_components as sums
            on
                parts.verdict_source = sums.verdict_source
                and parts.run_id = sums.run_id
                and parts.dataset_id = sums.dataset_id
                and parts.component = sums.component
        where sums.x > 0
        group by parts.verdict_source, parts.run_id, parts.dataset_id, parts.cluster_id

    ),

    add_up as (

        select
            verdict_source,
            run_id,
            dataset_id,
            sum(influence * influence) as squares,
            sum(is_observed) as n_clusters
        from measure_influence
        group by verdict_source, run_id, dataset_id

    ),

    estimate_error as (

        select
            metric_values.*,
            metric_values.value / {{ scale }} as ratio,
            add_up.n_clusters,
            -- a weighted sum is never a plain count of successes
            1 as n_fractional,
            case
                when metric_values.value is not null and add_up.n_clusters >= 2
                    then sqrt(add_up.n_clusters / (add_up.n_clusters - 1.0) * add_up.squares)
            end as ratio_error
        from {{ values }} as metric_values
        left join add_up
            on
                metric_values.verdict_source = add_up.verdict_source
                and metric_values.run_id = add_up.run_id
                and metric_values.dataset_id = add_up.dataset_id

    )

    select
        cast('{{ metric_id }}' as varchar) as metric_id,
        cast({{ metric_version }} as integer) as metric_version,
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast('all' as varchar) as slice_kind,
        cast('' as varchar) as slice_value,
        cast(null as integer) as k,
        cast(numerator as double) as numerator,
        cast(denominator as double) as denominator,
        cast(value as double) as value,
        cast(ratio_error * {{ scale }} as double) as std_error,
        cast({{ metric_interval('low', 'wilson' if is_proportion else 'normal', scale) }} as double) as ci_low,
        cast({{ metric_interval('high', 'wilson' if is_proportion else 'normal', scale) }} as double) as ci_high,
        cast(n_questions as bigint) as n_questions,
        cast(n_undecided as bigint) as n_undecided,
        cast(null as varchar) as embedder_id,
        cast(null as varchar) as extractor_id
    from estimate_error

)
{% endmacro %}
