{#- Whether an extraction only guessed: it read no statement of an answer, but the end of a reply that the provider says was
    cut off by its token limit. A number in the middle of a reply is not an answer, unless the policy says so. -#}
{% macro is_cut_off_guess(gradings, extractions) -%}
(
            {{ gradings }}.hit_token_limit
            and {{ extractions }}.extraction_method in ('last_sentence', 'last_number', 'whole_reply')
            and {{ gradings }}.policy_spec not like '%truncated=true%'
        )
{%- endmacro %}
