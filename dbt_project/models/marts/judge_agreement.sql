with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

model_verdicts as (

    select * from {{ ref('stg_model_verdicts') }}

),

pair_verdicts as (

    select
        outcomes.run_id,
        outcomes.dataset_id,
        model_verdicts.judge_model,
        model_verdicts.judge_prompt,
        outcomes.is_correct as by_rules,
        case model_verdicts.verdict when 'true' then true when 'false' then false end as by_model
    from model_verdicts
    inner join outcomes on model_verdicts.response_id = outcomes.response_id
    where outcomes.verdict_source = 'judge'

),

count_pairs as (

    select
        run_id,
        dataset_id,
        judge_model,
        judge_prompt,
        count(*) as n_responses,
        count(case when by_rules is null then 1 end) as n_rules_undecided,
        count(case when by_model is null then 1 end) as n_model_undecided,
        count(case when by_rules is not null and by_model is not null then 1 end) as n_compared,
        count(case when by_rules and by_model then 1 end) as n_both_correct,
        count(case when not by_rules and not by_model then 1 end) as n_both_incorrect,
        count(case when by_rules and not by_model then 1 end) as n_only_rules_correct,
        count(case when not by_rules and by_model then 1 end) as n_only_model_correct
    from pair_verdicts
    group by run_id, dataset_id, judge_model, judge_prompt

),

-- Cohen's kappa: agreement beyond what the two judges' shares of correct would give by chance. In pairs of responses, n_compared
-- squared in all: whole numbers, so that no rounding comes in before the division.
expect_chance as (

    select
        *,
        n_compared * (n_both_correct + n_both_incorrect) as n_agreeing_pairs,
        (n_both_correct + n_only_rules_correct) * (n_both_correct + n_only_model_correct)
        + (n_both_incorrect + n_only_model_correct) * (n_both_incorrect + n_only_rules_correct) as n_chance_pairs,
        n_compared * n_compared as n_pairs
    from count_pairs

),

rate_agreement as (

    select
        cast(run_id as varchar) as run_id,
        cast(dataset_id as varchar) as dataset_id,
        cast(judge_model as varchar) as judge_model,
        cast(judge_prompt as varchar) as judge_prompt,
        cast(n_responses as bigint) as n_responses,
        cast(n_compared as bigint) as n_compared,
        cast(n_rules_undecided as bigint) as n_rules_undecided,
        cast(n_model_undecided as bigint) as n_model_undecided,
        cast(n_both_correct as bigint) as n_both_correct,
        cast(n_both_incorrect as bigint) as n_both_incorrect,
        cast(n_only_rules_correct as bigint) as n_only_rules_correct,
        cast(n_only_model_correct as bigint) as n_only_model_correct,
        cast(
            cast(n_both_correct + n_both_incorrect as double) / nullif(n_compared, 0) as double
        ) as agreement,
        cast(
            cast(n_agreeing_pairs - n_chance_pairs as double) / nullif(n_pairs - n_chance_pairs, 0) as double
        ) as kappa
    from expect_chance

)

select * from rate_agreement
