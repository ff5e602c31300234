{#-
    Every metric model there is, as [metric id, versions]. A model refers to others before dbt has read the whole project, so
    the list is written out; `check_metric_models` stops a build whose list and folder differ.
-#}
{% macro metric_models() %}
    {{ return([
        ['accuracy', [1]],
        ['turn_accuracy', [1, 2]],
        ['overall_accuracy', [1, 2]],
        ['average_accuracy', [1, 2]],
        ['accuracy_composite', [1, 2]],
        ['turn_difference', [1, 2]],
        ['step_accuracy', [1, 2]],
        ['step_weighted_score', [1, 2]],
        ['composite_score', [1, 2]],
        ['instruction_following_rate', [1, 2]],
        ['answer_length', [1, 2]],
        ['bracket_answers', [1]],
        ['fallback_answers', [1]],
        ['unanswered_replies', [1]],
        ['missing_replies', [1]],
        ['all_at_k_expected', [1]],
        ['all_at_k', [1]],
        ['coverage_at_k', [1]],
        ['major_at_k_expected', [1]],
        ['major_at_k', [1]],
        ['plurality_at_k', [1]],
        ['plurality_ties_at_k', [1]],
        ['reward_at_k', [1]],
        ['rm_at_k_expected', [1]],
        ['rm_at_k', [1]],
        ['concept_f1', [1]],
        ['concept_precision', [1]],
        ['concept_recall', [1]],
        ['msu_coverage', [1]],
        ['msu_f1', [1]],
        ['msu_reported', [1]],
        ['msu', [1, 2]],
    ]) }}
{% endmacro %}


{% macro metric_nodes() %}
    {%- set nodes = [] -%}
    {%- for node in (graph.nodes.values() if execute else []) | sort(attribute='unique_id') -%}
        {%- if node.resource_type == 'model' and node.package_name == project_name and node.name.startswith('metric_')
            and node.version is not none -%}
            {%- do nodes.append(node) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(nodes) }}
{% endmacro %}


{% macro check_metric_models() %}
    {%- if execute -%}
        {%- set listed = [] -%}
        {%- for id, versions in metric_models() -%}
            {%- for version in versions -%}
                {%- do listed.append('metric_' ~ id ~ '_v' ~ version) -%}
            {%- endfor -%}
        {%- endfor -%}
        {%- for node in metric_nodes() -%}
            {%- if node.name ~ '_v' ~ node.version not in listed -%}
                {%- do exceptions.raise_compiler_error(
                    node.original_file_path ~ ' is no part of marts.metric_values: add it to the list in macros/metric_models.sql'
                ) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
{% endmacro %}
