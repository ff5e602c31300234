{#-
    Values of a metric that is a mean of scores of responses: rollouts are averaged to their question, questions to the slice.

    relation: name of a CTE with one row per response (and embedder and extractor) and the columns run_id, problem_id, score
        (NULL: undecided) and whatever extra_keys names.
    questions: name of a CTE over int_questions.
    verdict_source, extra_keys: as in ratio_metric.
-#}
{% macro score_metric(metric_id, metric_version, relation, questions, verdict_source='judge', extra_keys=[]) %}
(

    with average_rollouts as (

        select
            scores.run_id,
            scores.problem_id,
            {{ 'scores.' ~ (extra_keys | join(', scores.')) ~ ',' if extra_keys }}
            avg(scores.score) as numerator,
            count(*) - count(scores.score) as n_undecided
        from {{ relation }} as scores
        group by
            scores.run_id,
            scores.problem_id{{ ', scores.' ~ (extra_keys | join(', scores.')) if extra_keys }}

    ),

    describe_questions as (

        select
            '{{ verdict_source }}' as verdict_source,
            average_rollouts.*,
            questions.dataset_id,
            questions.cluster_id,
            questions.is_clustered,
            questions.turn,
            questions.reasoning_steps,
            questions.level,
            questions.subject,
            cast(1 as double) as denominator
        from average_rollouts
        inner join {{ questions }} as questions on average_rollouts.problem_id = questions.problem_id

    )

    select *
    from {{ ratio_metric(metric_id, metric_version, 'describe_questions', extra_keys=extra_keys, interval='normal') }}

)
{% endmacro %}
