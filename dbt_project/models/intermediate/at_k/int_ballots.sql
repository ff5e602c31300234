with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

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

find_classes as (

    select
        answer_sets.verdict_source,
        answer_sets.run_id,
        answer_sets.problem_id,
        answer_classes.answers,
        answer_classes.classes
    from answer_sets
    inner join answer_classes
        on
            answer_sets.answers_key = answer_classes.answers_key
            and answer_sets.policy_spec = answer_classes.policy_spec
    inner join versions on answer_classes.judge_version = versions.judge_version

),

classify_rollouts as (

    select
        sequences.verdict_source,
        sequences.run_id,
        sequences.problem_id,
        sequences.outcome_codes,
        {{ classify_answers('sequences.answers', 'find_classes.answers', 'find_classes.classes') }} as class_list
    from sequences
    left join find_classes
        on
            sequences.verdict_source = find_classes.verdict_source
            and sequences.run_id = find_classes.run_id
            and sequences.problem_id = find_classes.problem_id

),

-- Equivalent answers vote together; a class is known by the rollout that cast its first vote.
cast_votes as (

    select
        verdict_source,
        run_id,
        problem_id,
        {{ fill_ballots('class_list', 'outcome_codes') }} as ballots
    from classify_rollouts

),

number_ballots as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(ballots as integer[]) as ballots,
        cast(dense_rank() over (order by ballots) as integer) as ballots_no
    from cast_votes

)

select * from number_ballots
