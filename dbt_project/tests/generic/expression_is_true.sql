{#- Rows for which the expression is false. Unknown is not false. -#}
{% test expression_is_true(model, expression) %}

select *
from {{ model }}
where not ({{ expression }})

{% endtest %}
