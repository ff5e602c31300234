{%- set set_columns = [
    'run_set_kind', 'run_set', 'x_metric_id', 'x_metric_version', 'embedder_id', 'extractor_id', 'y_metric_id',
    'y_metric_version', 'y_verdict_source',
] -%}

with points as (

    select * from {{ ref('msu_points') }}

),

number_sets as (

    select
        *,
        dense_rank() over (order by {{ set_columns | join(', ') }}) as set_no
    from points

),

-- Equal values share the mean of the ranks they take up.
rank_points as (

    select
        *,
        rank() over (partition by set_no order by x) + (count(*) over (partition by set_no, x) - 1) / 2.0 as x_rank,
        rank() over (partition by set_no order by y) + (count(*) over (partition by set_no, y) - 1) / 2.0 as y_rank
    from number_sets

),

correlate as (

    select
        set_no,
        {{ set_columns | join(',\n        ') }},
        count(*) as n,
        {{ correlation('x', 'y') }} as pearson,
        {{ correlation('x_rank', 'y_rank') }} as spearman
    from rank_points
    group by set_no, {{ set_columns | join(', ') }}

),

compare_pairs as (

    select
        a.set_no,
        sum(sign(a.x - b.x) * sign(a.y - b.y)) as n_concordant_less_discordant,
        sum(abs(sign(a.x - b.x))) as n_x_untied,
        sum(abs(sign(a.y - b.y))) as n_y_untied
    from number_sets as a
    inner join number_sets as b on a.set_no = b.set_no and a.point_id < b.point_id
    group by a.set_no

),

add_kendall as (

    select
        correlate.*,
        compare_pairs.n_concordant_less_discordant
        / nullif(sqrt(compare_pairs.n_x_untied) * sqrt(compare_pairs.n_y_untied), 0) as kendall,
        case when n > 3 and abs(pearson) < 1 then 0.5 * ln((1 + pearson) / (1 - pearson)) end as fisher_z,
        case when n > 3 then {{ var('z_95') }} / sqrt(n - 3) end as fisher_half_width
    from correlate
    left join compare_pairs on correlate.set_no = compare_pairs.set_no

),

cast_columns as (

    select
        cast(run_set_kind as varchar) as run_set_kind,
        cast(run_set as varchar) as run_set,
        cast(x_metric_id as varchar) as x_metric_id,
        cast(x_metric_version as integer) as x_metric_version,
        cast(embedder_id as varchar) as embedder_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(y_metric_id as varchar) as y_metric_id,
        cast(y_metric_version as integer) as y_metric_version,
        cast(y_verdict_source as varchar) as y_verdict_source,
        cast(n as bigint) as n,
        cast(pearson as double) as pearson,
        cast(spearman as double) as spearman,
        cast(kendall as double) as kendall,
        cast({{ hyperbolic_tangent('fisher_z - fisher_half_width') }} as double) as ci_low,
        cast({{ hyperbolic_tangent('fisher_z + fisher_half_width') }} as double) as ci_high
    from add_kendall

)

select * from cast_columns
