{%- set concept_metrics = [
    'msu', 'msu_coverage', 'msu_f1', 'msu_reported', 'concept_precision', 'concept_recall', 'concept_f1',
] -%}

with accuracies as (

    select * from {{ ref('metric_accuracy', v=1) }}

),

{% for metric_id in concept_metrics -%}
{{ metric_id }} as (

    {% if metric_id == 'msu' -%}
    select * from {{ ref('metric_msu', v=1) }}

    union all

    select * from {{ ref('metric_msu', v=2) }}
    {%- else -%}
    select * from {{ ref('metric_' ~ metric_id, v=1) }}
    {%- endif %}

),

{% endfor -%}
published_points as (

    select * from {{ ref('published_msu_points') }}

),

runs as (

    select * from {{ ref('stg_runs') }}

),

stack_concept_metrics as (

    {% for metric_id in concept_metrics -%}
    select * from {{ metric_id }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

-- One point per run: a concept metric, and the accuracy of the same problems by each judge.
pair_metrics as (

    select
        'loaded_runs' as run_set_kind,
        concepts.dataset_id as run_set,
        concepts.run_id as point_id,
        concepts.metric_id as x_metric_id,
        concepts.metric_version as x_metric_version,
        concepts.embedder_id,
        concepts.extractor_id,
        'accuracy' as y_metric_id,
        1 as y_metric_version,
        accuracies.verdict_source as y_verdict_source,
        concepts.value as x,
        accuracies.value as y
    from stack_concept_metrics as concepts
    inner join accuracies on concepts.run_id = accuracies.run_id and accuracies.slice_kind = 'all'
    where concepts.slice_kind = 'all'

),

-- The study's own runs, loaded here, against the accuracy that it published for the same model and prompt.
pair_with_published as (

    select
        'loaded_runs_published_accuracy' as run_set_kind,
        concepts.dataset_id as run_set,
        concepts.run_id as point_id,
        concepts.metric_id as x_metric_id,
        concepts.metric_version as x_metric_version,
        concepts.embedder_id,
        concepts.extractor_id,
        'accuracy' as y_metric_id,
        1 as y_metric_version,
        'published' as y_verdict_source,
        concepts.value as x,
        cast(published_points.n_correct as double) / published_points.n_questions as y
    from stack_concept_metrics as concepts
    inner join runs on concepts.run_id = runs.run_id
    inner join published_points on runs.model = published_points.model and runs.prompt = published_points.prompt
    where concepts.slice_kind = 'all' and runs.source_format = 'msu_study'

),

list_published as (

    select
        'published' as run_set_kind,
        'published_msu_points' as run_set,
        model || '/' || prompt as point_id,
        'msu' as x_metric_id,
        1 as x_metric_version,
        cast(null as varchar) as embedder_id,
        cast(null as varchar) as extractor_id,
        'accuracy' as y_metric_id,
        1 as y_metric_version,
        'published' as y_verdict_source,
        mean_msu as x,
        cast(n_correct as double) / n_questions as y
    from published_points

),

stack_points as (

    select * from pair_metrics
    union all
    select * from pair_with_published
    union all
    select * from list_published

),

cast_columns as (

    select
        cast(run_set_kind as varchar) as run_set_kind,
        cast(run_set as varchar) as run_set,
        cast(point_id as varchar) as point_id,
        cast(x_metric_id as varchar) as x_metric_id,
        cast(x_metric_version as integer) as x_metric_version,
        cast(embedder_id as varchar) as embedder_id,
        cast(extractor_id as varchar) as extractor_id,
        cast(y_metric_id as varchar) as y_metric_id,
        cast(y_metric_version as integer) as y_metric_version,
        cast(y_verdict_source as varchar) as y_verdict_source,
        cast(x as double) as x,
        cast(y as double) as y
    from stack_points
    where x is not null and y is not null

)

select * from cast_columns
