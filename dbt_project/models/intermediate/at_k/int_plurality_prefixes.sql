with ballots as (

    select * from {{ ref('int_ballots') }}

),

list_ballots as (

    select distinct
        ballots_no,
        ballots
    from ballots

),

list_rollouts as (

    select
        ballots_no,
        {{ lists_to_rows(['ballots'], ['ballot'], 'k') }}
    from list_ballots

),

-- A ballot says which rollout cast its answer's first vote, and the rollout's own outcome.
read_ballots as (

    select
        ballots_no,
        k,
        ballot // 4 as first_vote,
        ballot % 4 as outcome_code
    from list_rollouts

),

-- The verdict on an answer is the verdict on the rollout that gave it first.
count_votes as (

    select
        ballots_no,
        k,
        first_vote,
        outcome_code,
        case when first_vote > 0 then row_number() over answer_so_far else 0 end as n_votes,
        first_value(outcome_code) over answer_so_far as answer_code
    from read_ballots
    window answer_so_far as (partition by ballots_no, first_vote order by k)

),

-- Answers that have reached the same number of votes, in the order in which they reached it. An answer reaches a number
-- once, so at any k the answers that lead are those that have reached the highest number so far.
rank_leaders as (

    select
        ballots_no,
        k,
        outcome_code,
        n_votes,
        row_number() over same_votes as n_leaders,
        min(cast(first_vote as bigint) * 4 + answer_code) over same_votes as winner
    from count_votes
    window same_votes as (
        partition by ballots_no, n_votes order by k rows between unbounded preceding and current row
    )

),

-- The last row that reached the highest number knows all who did: packed, it is the largest so far.
find_winners as (

    select
        ballots_no,
        k,
        max((cast(n_votes as bigint) * {{ max_rollouts() }} + n_leaders) * {{ ballot_width() }} + winner)
            over first_k as packed_winner,
        max(case when outcome_code = 2 then 1 else 0 end) over first_k as has_undecided
    from rank_leaders
    window first_k as (partition by ballots_no order by k rows between unbounded preceding and current row)

),

unpack_winners as (

    select
        ballots_no,
        k,
        has_undecided,
        packed_winner // {{ ballot_width() }} // {{ max_rollouts() }} as n_votes,
        packed_winner // {{ ballot_width() }} % {{ max_rollouts() }} as n_leaders,
        packed_winner % 4 as winner_code
    from find_winners

),

-- Where nobody has voted no answer wins, which is wrong, unless it is unknown what right would be.
judge_winners as (

    select
        cast(ballots_no as integer) as ballots_no,
        cast(k as integer) as k,
        cast(n_votes as integer) as n_votes,
        cast(case when n_votes > 0 then n_leaders else 0 end as integer) as n_leaders,
        cast(
            case
                when n_votes > 0 and winner_code = 2 then null
                when n_votes > 0 then winner_code = 1
                when has_undecided = 0 then false
            end as boolean
        ) as is_correct
    from unpack_winners

)

select * from judge_winners
