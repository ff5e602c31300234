{%- set switches = [
    'extraction', 'equivalence', 'relative_tolerance', 'absolute_tolerance', 'rounding', 'percent', 'units',
    'degrees', 'base_subscript', 'renamed_parameters', 'unordered_lists', 'truncated',
] -%}

with grading_policies as (

    select * from {{ ref('grading_policies') }}

),

write_spec as (

    select
        cast(policy_id as varchar) as policy_id,
        cast(description as varchar) as description,
        cast(extraction as varchar) as extraction_policy,
        cast(equivalence as varchar) as equivalence_policy,
        cast(
            concat_ws(
                ';',
                {% for switch in switches -%}
                '{{ switch }}=' || cast({{ switch }} as varchar){{ ',' if not loop.last }}
                {% endfor %}
            ) as varchar
        ) as policy_spec
    from grading_policies

)

select * from write_spec
