{%- set versions = {
    1: {'y': 'n_official_correct', 'x': 'n_official_replies', 'step_x': 'n_extracted'},
    2: {'y': 'n_correct_replies', 'x': 'n_decided_replies', 'step_x': 'n_decided_replies'},
} -%}

with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

conversation_scores as (

    select * from {{ ref('int_conversation_scores') }}

),

{% for version, columns in versions.items() %}
list_parts_v{{ version }} as (

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        'average' as component,
        {{ columns.y }} as y,
        {{ columns.x }} as x
    from question_scores
    where is_clustered

    union all

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        'turn_' || cast(turn as varchar) as component,
        {{ columns.y }} as y,
        {{ columns.x }} as x
    from question_scores
    where is_clustered

    union all

    select
        verdict_source,
        run_id,
        dataset_id,
        cluster_id,
        'step_' || cast(reasoning_steps as varchar) as component,
        {{ columns.y }} as y,
        {{ columns.step_x }} as x
    from question_scores
    where reasoning_steps between 1 and 5

    union all

    select
        verdict_source,
        run_id,
        dataset_id,
        conversation_id as cluster_id,
        'overall' as component,
        {{ 'n_won' if version == 1 else 'n_correct' }} as y,
        {{ 'n_replied_official' if version == 1 else 'n_replied' }} as x
    from conversation_scores

),

{% endfor %}
stack_versions as (
    {% for version in versions %}
    select
        {{ version }} as metric_version,
        *
    from list_parts_v{{ version }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

sum_clusters as (

    select
        cast(metric_version as integer) as metric_version,
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(cluster_id as varchar) as cluster_id,
        cast(component as varchar) as component,
        cast(sum(y) as double) as numerator,
        cast(sum(x) as double) as denominator
    from stack_versions
    group by metric_version, verdict_source, run_id, dataset_id, cluster_id, component

)

select * from sum_clusters
