{#-
    Cosine of two vectors, -1 to 1; NULL where the vectors differ in length or one is the zero vector: there is no angle.
    Engines disagree on the zero vector (NaN, -1, an error), so it never reaches them. Elements must be finite numbers.
-#}
{% macro cosine_similarity(a, b) -%}
{{ return(adapter.dispatch('cosine_similarity', 'mathmart')(a, b)) }}
{%- endmacro %}

{% macro default__cosine_similarity(a, b) -%}
case
            when len({{ a }}) = len({{ b }}) and list_inner_product({{ a }}, {{ a }}) > 0
                and list_inner_product({{ b }}, {{ b }}) > 0
                then list_cosine_similarity({{ a }}, {{ b }})
        end
{%- endmacro %}


{#- Whether every element of a list of doubles is a finite number. -#}
{% macro is_finite_vector(vector) -%}
{{ return(adapter.dispatch('is_finite_vector', 'mathmart')(vector)) }}
{%- endmacro %}

{% macro default__is_finite_vector(vector) -%}
len({{ vector }}) > 0
            and len(list_filter({{ vector }}, lambda element: coalesce(isfinite(element), false))) = len({{ vector }})
{%- endmacro %}


{#- Aggregate: the values of a group as a list, in the given order. -#}
{% macro collect_ordered(value, order) -%}
{{ return(adapter.dispatch('collect_ordered', 'mathmart')(value, order)) }}
{%- endmacro %}

{% macro default__collect_ordered(value, order) -%}
list({{ value }} order by {{ order }})
{%- endmacro %}


{#- A concept as version 2 reads it: stripped and in lower case; NULL where nothing is left. -#}
{% macro fold_concept(concept) -%}
nullif(lower(trim({{ concept }}, chr(32) || chr(9) || chr(10) || chr(13))), '')
{%- endmacro %}
