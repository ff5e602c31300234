with question_scores as (

    select * from {{ ref('int_question_scores') }}

),

list_tallies as (

    select distinct
        n_decided as n,
        n_correct as c
    from question_scores
    where n_decided > 0

),

list_sizes as (

    select
        n,
        c,
        {{ rows_up_to('n') }} as k
    from list_tallies

),

-- Draw the n decided rollouts in random order. With x of the first k - 1 draws correct, the k-th draw can make a majority
-- only at odd k (x is exactly half, and it is correct) and undo one only at even k (x is one more than the rest, and it
-- is wrong). So the probability of a majority at k is a running sum of single hypergeometric terms.
find_turning_points as (

    select
        n,
        c,
        k,
        k // 2 as x,
        k - 1 - k // 2 as y
    from list_sizes

),

weigh_turning_points as (

    select
        n,
        c,
        k,
        case
            when x > c or y > n - c then 0
            else
                exp(
                    {{ log_choose('c', 'x') }}
                    + {{ log_choose('n - c', 'y') }}
                    - {{ log_choose('n', '(k - 1)') }}
                )
                * case when k % 2 = 1 then c - x else -(n - c - y) end
                / (n - k + 1.0)
        end as change_of_majority
    from find_turning_points

),

add_up_changes as (

    select
        n,
        c,
        k,
        sum(change_of_majority) over (
            partition by n, c order by k rows between unbounded preceding and current row
        ) as share_majority
    from weigh_turning_points

),

-- What is certain is exact: no share of a certain question may differ from 0 or 1 by rounding.
settle_certainties as (

    select
        cast(n as integer) as n_decided,
        cast(c as integer) as n_correct,
        cast(k as integer) as k,
        cast(
            case
                when 2 * c <= k then 0
                when 2 * (n - c) < k then 1
                else least(greatest(share_majority, 0), 1)
            end as double
        ) as major_expected,
        cast(
            case
                when c = 0 then 0
                when n - c < k then 1
                else 1 - exp({{ log_choose('n - c', 'k') }} - {{ log_choose('n', 'k') }})
            end as double
        ) as rm_expected,
        cast(
            case
                when c = n then 1
                when c < k then 0
                else exp({{ log_choose('c', 'k') }} - {{ log_choose('n', 'k') }})
            end as double
        ) as all_expected
    from add_up_changes

)

select * from settle_certainties
