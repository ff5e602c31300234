with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

-- Verdicts that came with a file belong to the answers that came with it. An empty answer is none.
choose_answers as (

    select
        verdict_source,
        run_id,
        problem_id,
        rollout_no,
        is_correct,
        nullif(
            trim(
                case
                    when verdict_source = 'reported' then coalesce(reported_answer, extracted_answer)
                    else extracted_answer
                end
            ),
            ''
        ) as answer
    from outcomes

),

count_votes as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(answer as varchar) as answer,
        cast(count(*) as integer) as n_votes,
        cast(min(rollout_no) as integer) as first_vote,
        cast(
            {{ collect_sorted(pack_rollout('rollout_no', outcome_code('is_correct'), 4)) }} as bigint[]
        ) as packed_rollouts
    from choose_answers
    group by verdict_source, run_id, problem_id, answer

)

select * from count_votes
