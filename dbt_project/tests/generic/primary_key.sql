{#- The columns together identify a row, and each of them is there; `nullable` ones are part of the key but may be NULL. -#}
{% test primary_key(model, columns, nullable=[]) %}

select
    {{ (columns + nullable) | join(', ') }},
    count(*) as n_rows
from {{ model }}
group by {{ (columns + nullable) | join(', ') }}
having
    count(*) > 1
    {% for column in columns -%}
    or {{ column }} is null
    {% endfor %}

{% endtest %}
