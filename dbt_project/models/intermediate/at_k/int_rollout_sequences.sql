with outcomes as (

    select * from {{ ref('int_outcomes') }}

),

collect_rollouts as (

    select
        verdict_source,
        run_id,
        problem_id,
        count(*) as n_rollouts,
        {{ collect_sorted(pack_rollout('rollout_no', outcome_code('is_correct'), 4)) }} as packed_rollouts
    from outcomes
    group by verdict_source, run_id, problem_id

),

end_at_gap as (

    select
        verdict_source,
        run_id,
        problem_id,
        n_rollouts,
        {{ leading_payloads('packed_rollouts', 4) }} as outcome_codes
    from collect_rollouts

),

-- Most questions share their sequence with others: what follows from a sequence is computed once.
number_sequences as (

    select
        cast(verdict_source as varchar) as verdict_source,
        cast(run_id as varchar) as run_id,
        cast(problem_id as varchar) as problem_id,
        cast(n_rollouts as integer) as n_rollouts,
        cast(outcome_codes as tinyint[]) as outcome_codes,
        cast(len(outcome_codes) as integer) as n_leading_rollouts,
        cast(dense_rank() over (order by outcome_codes) as integer) as sequence_no
    from end_at_gap

)

select * from number_sequences
