{#-
    Aggregate: Pearson's correlation of two columns, over rows where both are present; NULL where one does not vary, where
    engines disagree (NaN, NULL, an error).
-#}
{% macro correlation(x, y) -%}
case when min({{ x }}) < max({{ x }}) and min({{ y }}) < max({{ y }}) then corr({{ x }}, {{ y }}) end
{%- endmacro %}


{% macro hyperbolic_tangent(x) -%}
(1 - 2 / (exp(2 * ({{ x }})) + 1))
{%- endmacro %}
