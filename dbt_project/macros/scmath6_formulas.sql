{#- The formulas of SuperCLUE-Math6 that metrics, published figures and tests share. `0.5e0` keeps them in IEEE doubles. -#}

{% macro mean_of_two(first, second) -%}
0.5e0 * {{ first }} + 0.5e0 * {{ second }}
{%- endmacro %}

{#- Sum over steps of step * accuracy; divided by 15 it lies between 0 and 1. Needs the columns step_1 to step_5. -#}
{% macro weighted_steps() -%}
1 * step_1 + 2 * step_2 + 3 * step_3 + 4 * step_4 + 5 * step_5
{%- endmacro %}
