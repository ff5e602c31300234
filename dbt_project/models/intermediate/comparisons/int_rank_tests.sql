with scores as (

    select * from {{ ref('int_compared_scores') }}

),

pairs as (

    select * from {{ ref('int_run_pairs') }}

),

-- Scores that are not 0 or 1 alone: ranks of verdicts would be all ties.
join_questions as (

    select
        pairs.pair_no,
        a.score as a,
        b.score as b
    from pairs
    inner join scores as a on pairs.basis_no = a.basis_no and pairs.run_a = a.run_id and pairs.dataset_a = a.dataset_id
    inner join scores as b
        on
            pairs.basis_no = b.basis_no
            and pairs.run_b = b.run_id
            and pairs.dataset_b = b.dataset_id
            and a.problem_id = b.problem_id
    where pairs.refusal is null and pairs.metric_id <> 'accuracy' and a.score is not null and b.score is not null

),

stack_samples as (

    select
        pair_no,
        true as is_a,
        a as score
    from join_questions

    union all

    select
        pair_no,
        false as is_a,
        b as score
    from join_questions

),

rank_samples as (

    select
        pair_no,
        is_a,
        count(*) over (partition by pair_no, score) as n_tied,
        rank() over (partition by pair_no order by score) as first_rank
    from stack_samples

),

-- Mann and Whitney 1947: how often a run's score exceeds the other's, over all pairs of questions. Equal scores share their
-- mean rank; a sum over rows of t^2 - 1 is the sum over ties of t^3 - t.
sum_ranks as (

    select
        pair_no,
        count(case when is_a then 1 end) as n_a,
        count(case when not is_a then 1 end) as n_b,
        sum(case when is_a then first_rank + (n_tied - 1) / 2.0e0 end) as rank_sum_a,
        sum(cast(n_tied as double) * n_tied - 1) as tie_term
    from rank_samples
    group by pair_no

),

approximate_mann_whitney as (

    select
        pair_no,
        rank_sum_a - n_a * (n_a + 1) / 2.0e0 as u_a,
        n_a * cast(n_b as double) as n_pairs,
        sqrt(
            n_a * cast(n_b as double) / 12 * (n_a + n_b + 1 - tie_term / ((n_a + n_b) * (n_a + n_b - 1.0e0)))
        ) as spread
    from sum_ranks

),

standardise_mann_whitney as (

    select
        pair_no,
        u_a,
        (greatest(u_a, n_pairs - u_a) - n_pairs / 2 - 0.5e0) / nullif(spread, 0) as z
    from approximate_mann_whitney

),

rank_differences as (

    select
        pair_no,
        a > b as is_a_larger,
        count(*) over (partition by pair_no, abs(a - b)) as n_tied,
        rank() over (partition by pair_no order by abs(a - b)) as first_rank
    from join_questions
    where a <> b

),

-- Wilcoxon 1945: the signed ranks of the differences on the same questions; questions without a difference are left out.
sum_signed_ranks as (

    select
        pair_no,
        cast(count(*) as double) as n,
        sum(case when is_a_larger then first_rank + (n_tied - 1) / 2.0e0 else 0 end) as rank_sum_positive,
        sum(case when not is_a_larger then first_rank + (n_tied - 1) / 2.0e0 else 0 end) as rank_sum_negative,
        sum(cast(n_tied as double) * n_tied - 1) as tie_term
    from rank_differences
    group by pair_no

),

standardise_wilcoxon as (

    select
        pair_no,
        least(rank_sum_positive, rank_sum_negative) as statistic,
        (least(rank_sum_positive, rank_sum_negative) - n * (n + 1) / 4)
        / nullif(sqrt((n * (n + 1) * (2 * n + 1) - tie_term / 2) / 24), 0) as z
    from sum_signed_ranks

),

find_p_values as (

    select
        cast(standardise_mann_whitney.pair_no as integer) as pair_no,
        cast(standardise_mann_whitney.u_a as double) as mann_whitney_u,
        -- the continuity correction can carry z past 0: the samples are as alike as can be
        cast(
            case
                when standardise_mann_whitney.z <= 0 then 1
                else {{ two_sided_p_value('standardise_mann_whitney.z') }}
            end as double
        ) as mann_whitney_p,
        cast(standardise_wilcoxon.statistic as double) as wilcoxon_w,
        cast({{ two_sided_p_value('standardise_wilcoxon.z') }} as double) as wilcoxon_p
    from standardise_mann_whitney
    left join standardise_wilcoxon on standardise_mann_whitney.pair_no = standardise_wilcoxon.pair_no

)

select * from find_p_values
