{%- set scmath6_figures = [
    ('composite_score', 'all', '', 'composite_score', 'percent', 1),
    ('step_weighted_score', 'all', '', 'step_weighted_score', 'percent', 1),
    ('accuracy_composite', 'all', '', 'accuracy_composite', 'percent', 1),
    ('overall_accuracy', 'all', '', 'overall_accuracy', 'percent', 1),
    ('average_accuracy', 'all', '', 'average_accuracy', 'percent', 1),
    ('turn_accuracy', 'turn', '1', 'turn_1_accuracy', 'percent', 1),
    ('turn_accuracy', 'turn', '2', 'turn_2_accuracy', 'percent', 1),
    ('turn_difference', 'all', '', 'turn_difference', 'percent', 1),
    ('instruction_following_rate', 'all', '', 'instruction_following_rate', 'percent', 100),
    ('answer_length', 'all', '', 'answer_length', 'characters', 1),
    ('step_accuracy', 'reasoning_steps', '1', 'step_1', 'fraction', 1),
    ('step_accuracy', 'reasoning_steps', '2', 'step_2', 'fraction', 1),
    ('step_accuracy', 'reasoning_steps', '3', 'step_3', 'fraction', 1),
    ('step_accuracy', 'reasoning_steps', '4', 'step_4', 'fraction', 1),
    ('step_accuracy', 'reasoning_steps', '5', 'step_5', 'fraction', 1),
] -%}

with scmath6_leaderboards as (

    select * from {{ ref('published_scmath6_leaderboards') }}

),

llama_berry as (

    select * from {{ ref('published_llama_berry') }}

),

msu_points as (

    select * from {{ ref('published_msu_points') }}

),

stack_results as (

    {% for metric_id, slice_kind, slice_value, column, unit, divisor in scmath6_figures -%}
    select
        case
            when reference_set = 'pdf_2024_02' then 'SuperCLUE-Math6, arXiv 2401.11819v2'
            else 'SuperCLUE-Math6, repository page, January 2024'
        end as source,
        reference_set as location,
        model as system,
        cast(null as varchar) as method,
        'SC-Math6' as benchmark,
        '{{ metric_id }}' as metric_id,
        '{{ column }}' as published_metric,
        '{{ slice_kind }}' as slice_kind,
        '{{ slice_value }}' as slice_value,
        cast(null as integer) as k,
        cast({{ column }} as double) / {{ divisor }} as value,
        cast({{ column }} as double) as published_value,
        '{{ unit }}' as published_unit,
        cast(null as integer) as n_questions,
        false as is_read_from_plot
    from scmath6_leaderboards

    union all

    {% endfor -%}
    select
        'LLaMA-Berry, arXiv 2410.02884v2' as source,
        location,
        system,
        method,
        benchmark,
        case published_metric
            when 'major@k' then 'major_at_k'
            when 'rm@k' then 'rm_at_k'
            when 'solved rate' then 'rm_at_k'
            when 'self-cons@k' then 'plurality_at_k'
            else 'accuracy'
        end as metric_id,
        published_metric,
        'all' as slice_kind,
        '' as slice_value,
        k,
        cast(published_value as double) / 100 as value,
        cast(published_value as double) as published_value,
        'percent' as published_unit,
        cast(null as integer) as n_questions,
        is_read_from_plot
    from llama_berry

    union all

    select
        'MSU study' as source,
        'plot of mean MSU against accuracy' as location,
        model as system,
        prompt as method,
        'MATH, 450 problems' as benchmark,
        'msu' as metric_id,
        'MSU' as published_metric,
        'all' as slice_kind,
        '' as slice_value,
        cast(null as integer) as k,
        mean_msu as value,
        mean_msu as published_value,
        'cosine' as published_unit,
        n_questions,
        true as is_read_from_plot
    from msu_points

    union all

    select
        'MSU study' as source,
        'plot of mean MSU against accuracy' as location,
        model as system,
        prompt as method,
        'MATH, 450 problems' as benchmark,
        'accuracy' as metric_id,
        'accuracy by a language model''s verdict' as published_metric,
        'all' as slice_kind,
        '' as slice_value,
        cast(null as integer) as k,
        cast(n_correct as double) / n_questions as value,
        cast(n_correct as double) / n_questions as published_value,
        'fraction' as published_unit,
        n_questions,
        true as is_read_from_plot
    from msu_points

),

cast_columns as (

    select
        cast(source as varchar) as source,
        cast(location as varchar) as location,
        cast(system as varchar) as system,
        cast(method as varchar) as method,
        cast(benchmark as varchar) as benchmark,
        cast(metric_id as varchar) as metric_id,
        cast(slice_kind as varchar) as slice_kind,
        cast(slice_value as varchar) as slice_value,
        cast(k as integer) as k,
        cast(value as double) as value,
        cast(published_metric as varchar) as published_metric,
        cast(published_value as double) as published_value,
        cast(published_unit as varchar) as published_unit,
        cast(n_questions as integer) as n_questions,
        cast(is_read_from_plot as boolean) as is_read_from_plot
    from stack_results
    where value is not null

)

select * from cast_columns
