{#- The catalogue is read from the models' own descriptions and meta: one definition per metric, in one place. -#}
{% for metric_id, versions in metric_models() -%}
{% for version in versions -%}
-- depends_on: {{ ref('metric_' ~ metric_id, v=version) }}
{% endfor -%}
{% endfor %}
with list_definitions as (
    {% for node in metric_nodes() %}
    {%- set meta = node.config.meta %}
    select
        '{{ node.name | replace('metric_', '', 1) }}' as metric_id,
        {{ node.version }} as metric_version,
        '{{ meta.title | replace("'", "''") }}' as title,
        '{{ meta.unit | replace("'", "''") }}' as unit,
        {{ 'null' if meta.higher_is_better is none else meta.higher_is_better | lower }} as higher_is_better,
        '{{ node.description.split(' One row per ')[0] | replace('\n', ' ') | trim | replace("'", "''") }}' as definition,
        '{{ meta.source | replace("'", "''") }}' as source,
        {{ node.version == node.latest_version }} as is_latest,
        '{{ node.schema }}.{{ node.alias }}' as relation
    {{ 'union all' if not loop.last }}
    {% else %}
    select null as metric_id
    {% endfor %}
),

cast_columns as (

    select
        cast(metric_id as varchar) as metric_id,
        cast(metric_version as integer) as metric_version,
        cast(title as varchar) as title,
        cast(unit as varchar) as unit,
        cast(higher_is_better as boolean) as higher_is_better,
        cast(definition as varchar) as definition,
        cast(source as varchar) as source,
        cast(is_latest as boolean) as is_latest,
        cast(relation as varchar) as relation
    from list_definitions

)

select * from cast_columns
