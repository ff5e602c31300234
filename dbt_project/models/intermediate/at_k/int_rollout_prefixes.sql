with sequences as (

    select * from {{ ref('int_rollout_sequences') }}

),

list_sequences as (

    select distinct
        sequence_no,
        outcome_codes
    from sequences

),

list_rollouts as (

    select
        sequence_no,
        {{ lists_to_rows(['outcome_codes'], ['outcome_code'], 'k') }}
    from list_sequences

),

sum_prefixes as (

    select
        cast(sequence_no as integer) as sequence_no,
        cast(k as integer) as k,
        cast(sum(case when outcome_code = 1 then 1 else 0 end) over first_k as integer) as n_correct,
        cast(sum(case when outcome_code = 2 then 1 else 0 end) over first_k as integer) as n_undecided
    from list_rollouts
    window first_k as (partition by sequence_no order by k rows between unbounded preceding and current row)

)

select * from sum_prefixes
