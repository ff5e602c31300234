with votes as (

    select * from {{ ref('int_votes') }}

),

answer_sets as (

    select * from {{ ref('int_answer_sets') }}

),

answer_classes as (

    select * from {{ ref('int_answer_classes') }}

),

versions as (

    select * from {{ ref('int_versions') }}

),

current_classes as (

    select answer_classes.*
    from answer_classes
    inner join versions on answer_classes.judge_version = versions.judge_version

),

classify_sets as (

    select
        answer_sets.verdict_source,
        answer_sets.run_id,
        answer_sets.problem_id,
        current_classes.answer,
        current_classes.class_no
    from answer_sets
    inner join current_classes
        on
            answer_sets.answers_key = current_classes.answers_key
            and answer_sets.policy_spec = current_classes.policy_spec

),

-- A question with a single answer has a single class, 1; class 0 is no answer, and no vote.
classify_votes as (

    select
        votes.verdict_source,
        votes.run_id,
        votes.problem_id,
        votes.first_vote,
        votes.packed_rollouts,
        case when votes.answer is null then 0 else coalesce(classify_sets.class_no, 1) end as class_no
    from votes
    left join classify_sets
        on
            votes.verdict_source = classify_sets.verdict_source
            and votes.run_id = classify_sets.run_id
            and votes.problem_id = classify_sets.problem_id
            and votes.answer = classify_sets.answer

),

-- Equivalent answers vote together; a class is known by the rollout that cast its first vote.
pool_votes as (

    select
        verdict_source,
        run_id,
        problem_id,
        case when class_no > 0 then min(first_vote) else 0 end as first_vote,
        {{ collect_sorted_lists('packed_rollouts') }} as packed_rollouts
    from classify_votes
    group by verdict_source, run_id, problem_id, class_no

),

label_votes as (

    select
        verdict_source,
        run_id,
        problem_id,
        first_vote,
        {{ votes_to_ballots('packed_rollouts', 'first_vote') }} as packed_ballots
    from pool_votes

),

order_ballots as (

    select
        verdict_source,
        run_id,
        problem_id,
        count(case when first_vote > 0 then 1 end) as n_classes,
        {{ collect_sorted_lists('packed_ballots') }} as packed_ballots
    from label_votes
    group by verdict_source, run_id, problem_id

),

end_at_gap as (

    select
        verdict_source,
        run_id,
        problem_id,
        n_classes,
        {{ leading_payloads('packed_ballots', ballot_width()) }} as ballots
    from order_ballots

),

number_ballots as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(n_classes as integer) as n_classes,
        cast(ballots as integer[]) as ballots,
        cast(dense_rank() over (order by ballots) as integer) as ballots_no
    from end_at_gap

)

select * from number_ballots
