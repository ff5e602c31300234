{#- Runs before every build: a database without a raw layer gets one plain sentence, not forty failed models. -#}
{% macro require_warehouse() %}
    {% if execute %}
        {% set found = run_query(
            "select count(*) from information_schema.tables where table_schema = 'raw' and table_name = 'warehouse_info'"
        ) %}
        {% if found.rows[0][0] == 0 %}
            {% do exceptions.raise_compiler_error(
                "The database " ~ env_var('MATHMART_DB', '../mathmart.duckdb')
                ~ " holds no mathmart warehouse. Load something first: mathmart load problems|outputs PATH,"
                ~ " or name another file with MATHMART_DB."
            ) %}
        {% endif %}
    {% endif %}
{% endmacro %}
