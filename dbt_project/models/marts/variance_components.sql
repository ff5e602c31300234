with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

score_questions as (

    select
        verdict_source,
        run_id,
        dataset_id,
        n_decided,
        cast(n_correct as double) / n_decided as score,
        -- the sample variance of n rollouts of which c are correct
        case
            when n_decided >= 2
                then cast(n_correct as double) * (n_decided - n_correct) / n_decided / (n_decided - 1)
        end as rollout_variance
    from question_scores
    where n_decided > 0

),

average_questions as (

    select
        verdict_source,
        run_id,
        dataset_id,
        count(*) as n_questions,
        count(rollout_variance) as n_repeated,
        min(n_decided) as min_rollouts,
        max(n_decided) as max_rollouts,
        avg(rollout_variance) as within_variance,
        avg(1.0e0 / n_decided) as mean_inverse_rollouts,
        var_samp(score) as variance_of_means
    from score_questions
    group by verdict_source, run_id, dataset_id

),

-- Miller 2024, section 3: what rollouts of one question differ by, and what questions differ by beyond that.
separate_variances as (

    select
        *,
        case
            when within_variance is not null
                then greatest(variance_of_means - within_variance * mean_inverse_rollouts, 0)
        end as between_variance
    from average_questions

),

cast_columns as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(n_questions as bigint) as n_questions,
        cast(n_repeated as bigint) as n_repeated_questions,
        cast(min_rollouts as integer) as min_rollouts,
        cast(max_rollouts as integer) as max_rollouts,
        cast(within_variance as double) as within_variance,
        cast(variance_of_means as double) as variance_of_means,
        cast(between_variance as double) as between_variance,
        cast(sqrt((between_variance + within_variance) / n_questions) as double) as std_error_one_rollout,
        cast(sqrt(variance_of_means / n_questions) as double) as std_error,
        cast(sqrt(between_variance / n_questions) as double) as std_error_many_rollouts
    from separate_variances

)

select * from cast_columns
