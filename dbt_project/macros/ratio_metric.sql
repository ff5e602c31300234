{#-
    Metric values from question scores: the ratio R = sum(y) / sum(x) in every slice, with its standard error and interval.

    relation: name of a CTE or relation with one row per (verdict_source, run_id, [k], problem_id) and the columns
        verdict_source, run_id, dataset_id, problem_id, cluster_id, is_clustered, turn, reasoning_steps, level, subject, [k],
        numerator (double: the question's score times its weight; NULL where undecided),
        denominator (double: the weight, 1 or a number of replies), n_undecided (responses left out).
    slices: which of all, turn, reasoning_steps, level, subject to compute. A row without a value has no such slice;
        turns are a slice only where problems have several (is_clustered).
    has_k: whether the relation carries k.
    extra_keys: columns of the long contract that the relation carries besides: none or some of embedder_id, extractor_id.
    is_bundled: whether a row stands for many questions of weight 1, all of one slice and, if clustered, of one cluster:
        numerator is then the sum of their scores, denominator the number of questions that have one, and the columns
        numerator_squares (sum of squared scores) and n_fractional (scores that are neither 0 nor 1) stand beside them.
        What would be a row per question and k shrinks to a few rows per slice.
    interval: 'wilson' for a proportion, 'normal' for any other mean.
    scale: factor of the value (100 for percent).
    expression: the value as the publication computes it, over numerator and denominator; the order of the IEEE
        operations matters to the last digit. Default: numerator / denominator * scale.
    digits: number of decimals the publication rounds to, half to even on the binary value; none: no rounding.

    Standard error: linearised ratio, robust to clusters, with the finite-cluster correction (Miller 2024,
    arXiv 2411.00640, section 2; the factor C/(C-1) as in inspect_ai):
        SE^2 = C/(C-1) * sum_c (Y_c - R X_c)^2 / X^2.
    With weights of 1 and every question its own cluster this is stddev_samp/sqrt(n). The sum is expanded into additive
    sums of Y^2, XY, X^2, so that one pass per grain is enough. Fewer than two clusters: NULL.
    Interval: see metric_interval.
-#}
{% macro ratio_metric(
    metric_id,
    metric_version,
    relation,
    slices=['all', 'turn', 'reasoning_steps', 'level', 'subject'],
    has_k=false,
    extra_keys=[],
    is_bundled=false,
    interval='wilson',
    scale=1,
    expression=none,
    digits=none
) %}
{%- set keys = ['verdict_source', 'run_id', 'dataset_id'] + (['k'] if has_k else []) + extra_keys -%}
{%- set dimensions = slices | reject('equalto', 'all') | list -%}
{%- set single_slices = slices | reject('equalto', 'turn') | list -%}
{%- set squares = 'numerator_squares' if is_bundled else 'y * y' -%}
{%- set products = 'y' if is_bundled else 'x * y' -%}
{%- set weights = 'x' if is_bundled else 'x * x' -%}
{%- set scored = 'coalesce(sum(x), 0)' if is_bundled else 'count(y)' -%}
{%- set fractional = 'sum(n_fractional)' if is_bundled else 'count(case when y <> 0 and y <> x then 1 end)' -%}
{%- set value = expression or ('numerator / denominator' ~ (' * ' ~ scale if scale != 1 else '')) -%}
(

    with usable_scores as (

        select
            {{ keys | join(', ') }},
            {{ dimensions | join(', ') ~ ',' if dimensions }}
            cluster_id,
            is_clustered,
            n_undecided,
            {{ 'numerator_squares, n_fractional,' if is_bundled }}
            -- a published numerator may count what its denominator leaves out; a row with neither is no observation
            case when denominator > 0 or numerator <> 0 then numerator end as y,
            case when (denominator > 0 or numerator <> 0) and numerator is not null then denominator end as x
        from {{ relation }}

    ),

    -- Questions that stand alone are clusters of one: their squares can be summed at once. They have no turns.
    sum_single_questions as (

        select
            {{ keys | join(', ') }},
            {{ slice_columns(dimensions | reject('equalto', 'turn') | list) }},
            sum(y) as y,
            sum(x) as x,
            sum({{ squares }}) as yy,
            sum({{ products }}) as xy,
            sum({{ weights }}) as xx,
            {{ scored }} as n_questions,
            {{ scored }} as n_clusters,
            sum(n_undecided) as n_undecided,
            {{ fractional }} as n_fractional
        from usable_scores
        where not is_clustered{{ ' and false' if not single_slices }}
        group by grouping sets ({{ slice_groupings(keys, single_slices or ['all']) }})

    ),

    sum_clusters as (

        select
            {{ keys | join(', ') }},
            {{ slice_columns(dimensions) }},
            cluster_id,
            sum(y) as y,
            sum(x) as x,
            {{ scored }} as n_questions,
            sum(n_undecided) as n_undecided,
            {{ fractional }} as n_fractional
        from usable_scores
        where is_clustered
        group by grouping sets ({{ slice_groupings(keys + ['cluster_id'], slices) }})

    ),

    stack_sums as (

        select
            {{ keys | join(', ') }},
            slice_kind,
            slice_value,
            y,
            x,
            yy,
            xy,
            xx,
            n_questions,
            n_clusters,
            n_undecided,
            n_fractional
        from sum_single_questions

        union all

        select
            {{ keys | join(', ') }},
            slice_kind,
            slice_value,
            sum(y) as y,
            sum(x) as x,
            sum(y * y) as yy,
            sum(x * y) as xy,
            sum(x * x) as xx,
            sum(n_questions) as n_questions,
            count(y) as n_clusters,
            sum(n_undecided) as n_undecided,
            sum(n_fractional) as n_fractional
        from sum_clusters
        group by {{ keys | join(', ') }}, slice_kind, slice_value

    ),

    add_up as (

        select
            {{ keys | join(', ') }},
            slice_kind,
            slice_value,
            sum(y) as numerator,
            sum(x) as denominator,
            sum(yy) as yy,
            sum(xy) as xy,
            sum(xx) as xx,
            sum(n_questions) as n_questions,
            sum(n_clusters) as n_clusters,
            sum(n_undecided) as n_undecided,
            sum(n_fractional) as n_fractional
        from stack_sums
        where slice_value is not null
        group by {{ keys | join(', ') }}, slice_kind, slice_value

    ),

    divide as (

        select
            *,
            numerator / nullif(denominator, 0) as ratio,
            case when denominator > 0 then {{ round_half_even(value, digits) if digits is not none else value }} end as value
        from add_up

    ),

    estimate_error as (

        select
            *,
            case
                when n_clusters >= 2
                    then
                        -- the expanded square can fall below zero by rounding alone
                        sqrt(
                            n_clusters / (n_clusters - 1.0)
                            * greatest(yy - 2 * ratio * xy + ratio * ratio * xx, 0)
                        ) / denominator
            end as ratio_error
        from divide

    )

    select
        cast('{{ metric_id }}' as varchar) as metric_id,
        cast({{ metric_version }} as integer) as metric_version,
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(slice_kind as varchar) as slice_kind,
        cast(slice_value as varchar) as slice_value,
        cast({{ 'k' if has_k else 'null' }} as integer) as k,
        cast(numerator as double) as numerator,
        cast(denominator as double) as denominator,
        cast(value as double) as value,
        cast(ratio_error * {{ scale }} as double) as std_error,
        cast({{ metric_interval('low', interval, scale) }} as double) as ci_low,
        cast({{ metric_interval('high', interval, scale) }} as double) as ci_high,
        cast(n_questions as bigint) as n_questions,
        cast(n_undecided as bigint) as n_undecided,
        cast({{ 'embedder_id' if 'embedder_id' in extra_keys else 'null' }} as varchar) as embedder_id,
        cast({{ 'extractor_id' if 'extractor_id' in extra_keys else 'null' }} as varchar) as extractor_id
    from estimate_error

)
{% endmacro %}


{#- The two slice columns; the value is NULL where a row has none, '' for the slice of everything. -#}
{% macro slice_columns(dimensions) -%}
{%- if dimensions -%}
case
                {% for dimension in dimensions -%}
                when grouping({{ dimension }}) = 0 then '{{ dimension }}'
                {% endfor -%}
                else 'all'
            end as slice_kind,
            case
                {% for dimension in dimensions -%}
                when grouping({{ dimension }}) = 0 then cast({{ dimension }} as varchar)
                {% endfor -%}
                else ''
            end as slice_value
{%- else -%}
'all' as slice_kind,
            '' as slice_value
{%- endif -%}
{%- endmacro %}


{% macro slice_groupings(keys, slices) -%}
{%- for slice in slices -%}
({{ (keys + ([slice] if slice != 'all' else [])) | join(', ') }}){{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}


{#-
    One bound of the 95 % interval. Needs the columns ratio, ratio_error, n_questions, n_clusters, n_fractional.
    A proportion whose question scores are all 0 or 1 has Wilson's interval (Wilson 1927), on the number of questions, or,
    in clusters, on the effective number p(1-p)/SE^2, never more than the questions there are. At p = 0 and p = 1 no
    spread is left to estimate from: Wilson on the number of clusters, never an interval of width zero.
    Scores that are fractions, and means of anything else: normal, R +- 1.96 SE; a proportion's is cut at 0 and 1.
-#}
{% macro metric_interval(bound, interval, scale) -%}
{%- set z = var('z_95') -%}
{%- set sign = '-' if bound == 'low' else '+' -%}
{%- set normal = 'ratio ' ~ sign ~ ' ' ~ z ~ ' * ratio_error' -%}
{%- set n -%}
(case
                when ratio in (0, 1) then n_clusters
                when n_clusters = n_questions then n_questions
                else least(ratio * (1 - ratio) / nullif(ratio_error * ratio_error, 0), n_questions)
            end)
{%- endset -%}
case
            when n_clusters < 2 then null
            {% if interval == 'wilson' -%}
            when ratio in (0, 1) or (n_fractional = 0 and ratio > 0 and ratio < 1 and ratio_error > 0)
                then {{ wilson_bound(bound, 'ratio', n) }}
            when ratio > 0 and ratio < 1
                then {{ 'greatest(' ~ normal ~ ', 0)' if bound == 'low' else 'least(' ~ normal ~ ', 1)' }}
            {% endif -%}
            else {{ normal }}
        end * {{ scale }}
{%- endmacro %}


{#- Wilson score interval of a proportion p in (0..1) from n trials. -#}
{% macro wilson_bound(bound, p, n) -%}
{%- set z = var('z_95') -%}
(({{ p }} + {{ z * z }} / (2 * {{ n }}) {{ '-' if bound == 'low' else '+' }} {{ z }} * sqrt(
                    {{ p }} * (1 - {{ p }}) / {{ n }} + {{ z * z }} / (4 * {{ n }} * {{ n }})
                )) / (1 + {{ z * z }} / {{ n }}))
{%- endmacro %}


{#- Round to that many decimals as IEEE-minded languages do: correctly, half to even on the binary value. -#}
{% macro round_half_even(value, digits) -%}
{{ return(adapter.dispatch('round_half_even', 'mathmart')(value, digits)) }}
{%- endmacro %}

{% macro default__round_half_even(value, digits) -%}
cast(printf('%.{{ digits }}f', {{ value }}) as double)
{%- endmacro %}
