{#- The member `key` of a JSON value as text, NULL where it has none. -#}
{% macro json_text(value, key) -%}
{{ return(adapter.dispatch('json_text', 'mathmart')(value, key)) }}
{%- endmacro %}

{% macro default__json_text(value, key) -%}
json_extract_string({{ value }}, '$.{{ key }}')
{%- endmacro %}

{% macro spark__json_text(value, key) -%}
get_json_object({{ value }}, '$.{{ key }}')
{%- endmacro %}
