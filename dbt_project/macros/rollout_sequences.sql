{#-
    The rollouts of a question as one list, in the order of rollout_no: prefix sums over lists that many questions share
    cost a fraction of a window over every rollout.

    A rollout is packed into one integer, rollout_no * width + payload, so that sorting the list sorts the rollouts;
    the payload must lie in 0..width-1.
-#}
{% macro pack_rollout(rollout_no, payload, width) -%}
cast({{ rollout_no }} as bigint) * {{ width }} + {{ payload }}
{%- endmacro %}


{#- Aggregate: the packed rollouts of a group, sorted. -#}
{% macro collect_sorted(packed) -%}
{{ return(adapter.dispatch('collect_sorted', 'mathmart')(packed)) }}
{%- endmacro %}

{% macro default__collect_sorted(packed) -%}
list_sort(list({{ packed }}))
{%- endmacro %}

{% macro spark__collect_sorted(packed) -%}
sort_array(collect_list({{ packed }}))
{%- endmacro %}


{#- Aggregate over lists of packed rollouts: all of them, sorted. -#}
{% macro collect_sorted_lists(packed_lists) -%}
{{ return(adapter.dispatch('collect_sorted_lists', 'mathmart')(packed_lists)) }}
{%- endmacro %}

{% macro default__collect_sorted_lists(packed_lists) -%}
list_sort(flatten(list({{ packed_lists }})))
{%- endmacro %}

{% macro spark__collect_sorted_lists(packed_lists) -%}
sort_array(flatten(collect_list({{ packed_lists }})))
{%- endmacro %}


{#-
    The payloads of rollouts 1, 2, … up to the first gap in the numbering: what "the first k rollouts" can mean.
    In a sorted list of distinct numbers the element at position i is rollout i exactly where nothing before it is missing.
-#}
{% macro leading_payloads(packed, width) -%}
{{ return(adapter.dispatch('leading_payloads', 'mathmart')(packed, width)) }}
{%- endmacro %}

{% macro default__leading_payloads(packed, width) -%}
list_transform(
            list_filter({{ packed }}, lambda rollout, position: rollout // {{ width }} = position),
            lambda rollout: rollout % {{ width }}
        )
{%- endmacro %}

{% macro spark__leading_payloads(packed, width) -%}
transform(
            filter({{ packed }}, (rollout, position) -> rollout div {{ width }} = position + 1),
            rollout -> rollout % {{ width }}
        )
{%- endmacro %}


{#- Select items that turn a list into rows: its elements, and their positions from 1. -#}
{% macro list_to_rows(list, element, position) -%}
{{ return(adapter.dispatch('list_to_rows', 'mathmart')(list, element, position)) }}
{%- endmacro %}

{% macro default__list_to_rows(list, element, position) -%}
unnest({{ list }}) as {{ element }},
        generate_subscripts({{ list }}, 1) as {{ position }}
{%- endmacro %}

{% macro spark__list_to_rows(list, element, position) -%}
inline(transform({{ list }}, (x, i) -> named_struct('{{ element }}', x, '{{ position }}', i + 1)))
{%- endmacro %}


{#- A select item that repeats its row for every whole number from 1 to that one. -#}
{% macro rows_up_to(number) -%}
{{ return(adapter.dispatch('rows_up_to', 'mathmart')(number)) }}
{%- endmacro %}

{% macro default__rows_up_to(number) -%}
unnest(range(1, {{ number }} + 1))
{%- endmacro %}

{% macro spark__rows_up_to(number) -%}
explode(sequence(1, {{ number }}))
{%- endmacro %}


{#- What a rollout contributes to a sequence: 0 not correct, 1 correct, 2 undecided. -#}
{% macro outcome_code(is_correct) -%}
case when {{ is_correct }} then 1 when not {{ is_correct }} then 0 else 2 end
{%- endmacro %}


{#-
    The columns by which questions are counted: verdict source, run, slices, and the cluster where questions share one.
    find_question_cells selects them from a relation of questions (with verdict_source, run_id) and int_questions;
    question_cells names them; cast_question_cells casts them.
-#}
{% macro find_question_cells(relation, questions) -%}
{{ relation }}.verdict_source,
        {{ relation }}.run_id,
        {{ questions }}.dataset_id,
        case when {{ questions }}.is_clustered then {{ questions }}.cluster_id end as cluster_id,
        {{ questions }}.is_clustered,
        {{ questions }}.turn,
        {{ questions }}.reasoning_steps,
        {{ questions }}.level,
        {{ questions }}.subject
{%- endmacro %}

{% macro question_cells(relation=none) -%}
{%- for column in [
    'verdict_source', 'run_id', 'dataset_id', 'cluster_id', 'is_clustered', 'turn', 'reasoning_steps', 'level', 'subject'
] -%}
{{ relation ~ '.' if relation }}{{ column }}{{ ',\n        ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{% macro cast_question_cells() -%}
cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(cluster_id as varchar) as cluster_id,
        cast(is_clustered as boolean) as is_clustered,
        cast(turn as integer) as turn,
        cast(reasoning_steps as integer) as reasoning_steps,
        cast(level as varchar) as level,
        cast(subject as varchar) as subject
{%- endmacro %}


{#-
    Votes of one answer (packed rollouts of width 4) as ballots: packed rollouts of width ballot_width() that also say
    which rollout cast the answer's first vote, 0 where the rollout has no answer.
-#}
{% macro votes_to_ballots(votes, first_vote) -%}
{{ return(adapter.dispatch('votes_to_ballots', 'mathmart')(votes, first_vote)) }}
{%- endmacro %}

{% macro default__votes_to_ballots(votes, first_vote) -%}
list_transform(
            {{ votes }},
            lambda vote: (vote // 4) * {{ ballot_width() }} + cast({{ first_vote }} as bigint) * 4 + vote % 4
        )
{%- endmacro %}

{% macro spark__votes_to_ballots(votes, first_vote) -%}
transform(
            {{ votes }},
            vote -> (vote div 4) * {{ ballot_width() }} + cast({{ first_vote }} as bigint) * 4 + vote % 4
        )
{%- endmacro %}


{#- Rollouts are numbered below 2^20, so that votes, order and winner of a prefix fit one 64-bit integer. -#}
{% macro max_rollouts() -%}1048576{%- endmacro %}

{% macro ballot_width() -%}4194304{%- endmacro %}


{#- The texts of a list as one, with a separator that no text contains (the unit separator of ASCII). -#}
{% macro join_texts(list) -%}
{{ return(adapter.dispatch('join_texts', 'mathmart')(list)) }}
{%- endmacro %}

{% macro default__join_texts(list) -%}
array_to_string({{ list }}, chr(31))
{%- endmacro %}

{% macro spark__join_texts(list) -%}
array_join({{ list }}, chr(31))
{%- endmacro %}
