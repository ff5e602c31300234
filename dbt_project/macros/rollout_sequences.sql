{#-
    The rollouts of a question as lists, in the order of rollout_no. One pass gathers what every metric at k needs, and
    prefix sums over lists that many questions share cost a fraction of a window over every rollout.
-#}

{#- Aggregate: the rollouts of a group as a list of structs, sorted by rollout_no. -#}
{% macro collect_rollouts(rollout_no, outcome_code, answer, reward_score) -%}
{{ return(adapter.dispatch('collect_rollouts', 'mathmart')(rollout_no, outcome_code, answer, reward_score)) }}
{%- endmacro %}

{% macro default__collect_rollouts(rollout_no, outcome_code, answer, reward_score) -%}
list_sort(
            list(
                {
                    'rollout_no': {{ rollout_no }},
                    'outcome_code': {{ outcome_code }},
                    'answer': {{ answer }},
                    'reward_score': {{ reward_score }}
                }
            )
        )
{%- endmacro %}

{% macro spark__collect_rollouts(rollout_no, outcome_code, answer, reward_score) -%}
sort_array(
            collect_list(
                named_struct(
                    'rollout_no', {{ rollout_no }},
                    'outcome_code', {{ outcome_code }},
                    'answer', {{ answer }},
                    'reward_score', {{ reward_score }}
                )
            )
        )
{%- endmacro %}


{#-
    Rollouts 1, 2, … up to the first gap in the numbering: what "the first k rollouts" can mean. In a sorted list of
    distinct numbers the element at position i is rollout i exactly where nothing before it is missing.
-#}
{% macro leading_rollouts(rollouts) -%}
{{ return(adapter.dispatch('leading_rollouts', 'mathmart')(rollouts)) }}
{%- endmacro %}

{% macro default__leading_rollouts(rollouts) -%}
list_filter({{ rollouts }}, lambda rollout, position: rollout.rollout_no = position)
{%- endmacro %}

{% macro spark__leading_rollouts(rollouts) -%}
filter({{ rollouts }}, (rollout, position) -> rollout.rollout_no = position + 1)
{%- endmacro %}


{#- One field of every struct in a list. -#}
{% macro pluck(list, field) -%}
{{ return(adapter.dispatch('pluck', 'mathmart')(list, field)) }}
{%- endmacro %}

{% macro default__pluck(list, field) -%}
list_transform({{ list }}, lambda item: item.{{ field }})
{%- endmacro %}

{% macro spark__pluck(list, field) -%}
transform({{ list }}, item -> item.{{ field }})
{%- endmacro %}


{#- The distinct elements of a list that are not NULL, sorted. -#}
{% macro distinct_elements(list) -%}
{{ return(adapter.dispatch('distinct_elements', 'mathmart')(list)) }}
{%- endmacro %}

{% macro default__distinct_elements(list) -%}
list_sort(list_distinct({{ list }}))
{%- endmacro %}

{% macro spark__distinct_elements(list) -%}
array_sort(array_compact(array_distinct({{ list }})))
{%- endmacro %}


{#- The class of every answer, given the classes of the distinct ones: NULL for no answer; one answer is one class. -#}
{% macro classify_answers(answers, distinct_answers, classes) -%}
{{ return(adapter.dispatch('classify_answers', 'mathmart')(answers, distinct_answers, classes)) }}
{%- endmacro %}

{% macro default__classify_answers(answers, distinct_answers, classes) -%}
list_transform(
            {{ answers }},
            lambda answer: case
                when answer is null then null
                when {{ classes }} is null then 1
                else {{ classes }}[list_position({{ distinct_answers }}, answer)]
            end
        )
{%- endmacro %}

{% macro spark__classify_answers(answers, distinct_answers, classes) -%}
transform(
            {{ answers }},
            answer -> case
                when answer is null then null
                when {{ classes }} is null then 1
                else element_at({{ classes }}, cast(array_position({{ distinct_answers }}, answer) as int))
            end
        )
{%- endmacro %}


{#-
    A ballot per rollout: 4 times the rollout that cast the first vote of its class (0 where it has no answer), plus its
    own outcome code.
-#}
{% macro fill_ballots(class_list, outcome_codes) -%}
{{ return(adapter.dispatch('fill_ballots', 'mathmart')(class_list, outcome_codes)) }}
{%- endmacro %}

{% macro default__fill_ballots(class_list, outcome_codes) -%}
list_transform(
            {{ class_list }},
            lambda class_no, position:
                case when class_no is null then 0 else list_position({{ class_list }}, class_no) end * 4
                + {{ outcome_codes }}[position]
        )
{%- endmacro %}

{% macro spark__fill_ballots(class_list, outcome_codes) -%}
transform(
            {{ class_list }},
            (class_no, position) ->
                case when class_no is null then 0 else array_position({{ class_list }}, class_no) end * 4
                + {{ outcome_codes }}[position]
        )
{%- endmacro %}


{#- Select items that turn lists of one length into rows: their elements, and the positions from 1. -#}
{% macro lists_to_rows(lists, elements, position) -%}
{{ return(adapter.dispatch('lists_to_rows', 'mathmart')(lists, elements, position)) }}
{%- endmacro %}

{% macro default__lists_to_rows(lists, elements, position) -%}
{%- for list in lists -%}
unnest({{ list }}) as {{ elements[loop.index0] }},
        {% endfor -%}
generate_subscripts({{ lists[0] }}, 1) as {{ position }}
{%- endmacro %}

{% macro spark__lists_to_rows(lists, elements, position) -%}
inline(
            transform(
                {{ lists[0] }},
                (item, i) -> named_struct(
                    {% for list in lists -%}
                    '{{ elements[loop.index0] }}', {{ list }}[i],
                    {% endfor -%}
                    '{{ position }}', i + 1
                )
            )
        )
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
