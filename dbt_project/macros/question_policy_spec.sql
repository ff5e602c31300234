{#- The policy of a question: its dataset's, and its own tolerance where it states one (the last value of a key counts). -#}
{% macro question_policy_spec(policies, questions) -%}
{{ policies }}.policy_spec
            || coalesce(';absolute_tolerance=' || cast({{ questions }}.tolerance as varchar), '')
{%- endmacro %}
