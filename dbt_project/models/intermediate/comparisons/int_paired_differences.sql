with scores as (

    select * from {{ ref('int_compared_scores') }}

),

pairs as (

    select * from {{ ref('int_run_pairs') }}

),

join_questions as (

    select
        pairs.pair_no,
        a.cluster_id,
        a.score as a,
        b.score as b,
        a.score - b.score as d
    from pairs
    inner join scores as a on pairs.basis_no = a.basis_no and pairs.run_a = a.run_id and pairs.dataset_a = a.dataset_id
    inner join scores as b
        on
            pairs.basis_no = b.basis_no
            and pairs.run_b = b.run_id
            and pairs.dataset_b = b.dataset_id
            and a.problem_id = b.problem_id
    where pairs.refusal is null

),

compare as (

    select
        pair_no,
        count(*) as n_shared,
        count(d) as n_compared,
        avg(case when d is not null then a end) as mean_a,
        avg(case when d is not null then b end) as mean_b,
        avg(d) as difference,
        {{ correlation('case when d is not null then a end', 'case when d is not null then b end') }} as correlation,
        var_samp(d) as variance_of_difference,
        var_samp(case when d is not null then a end) as variance_a,
        var_samp(case when d is not null then b end) as variance_b,
        count(case when d < 0 then 1 end) as n_improved,
        count(case when d > 0 then 1 end) as n_regressed,
        count(case when d = 0 then 1 end) as n_unchanged,
        count(case when d is not null and (a not in (0, 1) or b not in (0, 1)) then 1 end) as n_fractional
    from join_questions
    group by pair_no

),

-- Deviations are taken from the mean, not from sums of squares: differences of a thousandth keep their digits.
deviate as (

    select
        join_questions.pair_no,
        join_questions.cluster_id,
        join_questions.d - compare.difference as deviation
    from join_questions
    inner join compare on join_questions.pair_no = compare.pair_no
    where join_questions.d is not null

),

sum_clusters as (

    select
        pair_no,
        sum(deviation) as deviation
    from deviate
    where cluster_id is not null
    group by pair_no, cluster_id

),

stack_clusters as (

    select
        pair_no,
        sum(deviation * deviation) as squares,
        count(*) as n_clusters
    from deviate
    where cluster_id is null
    group by pair_no

    union all

    select
        pair_no,
        sum(deviation * deviation) as squares,
        count(*) as n_clusters
    from sum_clusters
    group by pair_no

),

add_up_clusters as (

    select
        pair_no,
        sum(squares) as squares,
        sum(n_clusters) as n_clusters
    from stack_clusters
    group by pair_no

),

cast_columns as (

    select
        cast(compare.pair_no as integer) as pair_no,
        cast(n_shared as bigint) as n_shared,
        cast(n_compared as bigint) as n_compared,
        cast(n_clusters as bigint) as n_clusters,
        cast(mean_a as double) as mean_a,
        cast(mean_b as double) as mean_b,
        cast(difference as double) as difference,
        cast(
            case when n_clusters >= 2 then sqrt(n_clusters / (n_clusters - 1.0) * squares) / n_compared end as double
        ) as std_error,
        cast(case when n_compared >= 2 then sqrt((variance_a + variance_b) / n_compared) end as double) as unpaired_std_error,
        cast(correlation as double) as correlation,
        cast(n_improved as bigint) as n_improved,
        cast(n_regressed as bigint) as n_regressed,
        cast(n_unchanged as bigint) as n_unchanged,
        cast(n_fractional = 0 and n_compared > 0 as boolean) as is_binary
    from compare
    left join add_up_clusters on compare.pair_no = add_up_clusters.pair_no

)

select * from cast_columns
