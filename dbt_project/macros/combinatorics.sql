{#- ln(n!). Factorials overflow a double at 171; their logarithms carry any number of rollouts. -#}
{% macro log_factorial(n) -%}
{{ return(adapter.dispatch('log_factorial', 'mathmart')(n)) }}
{%- endmacro %}

{% macro default__log_factorial(n) -%}
lgamma({{ n }} + 1.0)
{%- endmacro %}


{#- ln of the number of ways to choose k of n; k must lie in 0..n. -#}
{% macro log_choose(n, k) -%}
({{ log_factorial('(' ~ n ~ ')') }} - {{ log_factorial('(' ~ k ~ ')') }} - {{ log_factorial('(' ~ n ~ ' - ' ~ k ~ ')') }})
{%- endmacro %}
