with pairs as (

    select * from {{ ref('int_run_pairs') }}

),

differences as (

    select * from {{ ref('int_paired_differences') }}

),

mcnemar_tests as (

    select * from {{ ref('int_mcnemar_tests') }}

),

rank_tests as (

    select * from {{ ref('int_rank_tests') }}

),

runs as (

    select * from {{ ref('stg_runs') }}

),

test_pairs as (

    select
        pairs.*,
        differences.n_shared,
        differences.n_compared,
        differences.mean_a,
        differences.mean_b,
        differences.difference,
        differences.std_error,
        differences.unpaired_std_error,
        differences.correlation,
        differences.n_improved,
        differences.n_regressed,
        differences.n_unchanged,
        differences.difference / nullif(differences.std_error, 0) as z,
        mcnemar_tests.p_value as mcnemar_p,
        rank_tests.mann_whitney_u,
        rank_tests.mann_whitney_p,
        rank_tests.wilcoxon_p,
        coalesce(
            pairs.refusal,
            case
                when differences.n_shared is null then 'no shared problems'
                when differences.n_compared = 0 then 'no shared problem has a value in both'
            end
        ) as reason
    from pairs
    left join differences on pairs.pair_no = differences.pair_no
    left join mcnemar_tests
        on
            differences.is_binary
            and differences.n_improved + differences.n_regressed = mcnemar_tests.n_discordant
            and least(differences.n_improved, differences.n_regressed) = mcnemar_tests.n_smaller
    left join rank_tests on pairs.pair_no = rank_tests.pair_no

),

-- Each pair both ways round, so that either run can be asked for first.
mirror_pairs as (

    select
        metric_id,
        metric_version,
        verdict_source,
        embedder_id,
        extractor_id,
        run_a,
        run_b,
        dataset_a,
        dataset_b,
        n_problems_a,
        n_problems_b,
        n_rollouts_a,
        n_rollouts_b,
        reason,
        n_shared,
        n_compared,
        mean_a,
        mean_b,
        difference,
        std_error,
        unpaired_std_error,
        correlation,
        n_improved,
        n_regressed,
        n_unchanged,
        z,
        mcnemar_p,
        mann_whitney_u,
        mann_whitney_p,
        wilcoxon_p
    from test_pairs

    union all

    select
        metric_id,
        metric_version,
        verdict_source,
        embedder_id,
        extractor_id,
        run_b as run_a,
        run_a as run_b,
        dataset_b as dataset_a,
        dataset_a as dataset_b,
        n_problems_b as n_problems_a,
        n_problems_a as n_problems_b,
        n_rollouts_b as n_rollouts_a,
        n_rollouts_a as n_rollouts_b,
        reason,
        n_shared,
        n_compared,
        mean_b as mean_a,
        mean_a as mean_b,
        -difference as difference,
        std_error,
        unpaired_std_error,
        correlation,
        n_regressed as n_improved,
        n_improved as n_regressed,
        n_unchanged,
        -z as z,
        mcnemar_p,
        cast(n_compared as double) * n_compared - mann_whitney_u as mann_whitney_u,
        mann_whitney_p,
        wilcoxon_p
    from test_pairs

),

cast_columns as (

    select
        cast(mirror_pairs.metric_id as varchar) as metric_id,
        cast(mirror_pairs.metric_version as integer) as metric_version,
        cast(mirror_pairs.verdict_source as varchar) as verdict_source,
        cast(mirror_pairs.embedder_id as varchar) as embedder_id,
        cast(mirror_pairs.extractor_id as varchar) as extractor_id,
        cast(mirror_pairs.run_a as varchar) as run_a,
        cast(mirror_pairs.run_b as varchar) as run_b,
        cast(mirror_pairs.dataset_a as varchar) as dataset_a,
        cast(mirror_pairs.dataset_b as varchar) as dataset_b,
        cast(runs_a.model as varchar) as model_a,
        cast(runs_b.model as varchar) as model_b,
        cast(runs_a.prompt as varchar) as prompt_a,
        cast(runs_b.prompt as varchar) as prompt_b,
        cast(case when reason is null then 'compared' else 'refused' end as varchar) as status,
        cast(reason as varchar) as reason,
        cast(case when n_rollouts_a = n_rollouts_b then n_rollouts_a end as integer) as k,
        cast(n_compared as bigint) as n_questions,
        cast(mean_a as double) as mean_a,
        cast(mean_b as double) as mean_b,
        cast(difference as double) as difference,
        cast(std_error as double) as std_error,
        cast(difference - {{ var('z_95') }} * std_error as double) as ci_low,
        cast(difference + {{ var('z_95') }} * std_error as double) as ci_high,
        cast(z as double) as z,
        cast({{ two_sided_p_value('z') }} as double) as p_value,
        cast(correlation as double) as correlation,
        cast(unpaired_std_error as double) as unpaired_std_error,
        cast(({{ var('z_95') }} + {{ var('z_power_80') }}) * std_error as double) as minimum_detectable_difference,
        cast(n_improved as bigint) as n_improved,
        cast(n_regressed as bigint) as n_regressed,
        cast(n_unchanged as bigint) as n_unchanged,
        cast(n_shared - n_compared as bigint) as n_undecided,
        cast(case when n_shared is not null then n_problems_a - n_shared end as bigint) as n_missing,
        cast(case when n_shared is not null then n_problems_b - n_shared end as bigint) as n_new,
        cast(mcnemar_p as double) as mcnemar_p,
        cast(mann_whitney_u as double) as mann_whitney_u,
        cast(mann_whitney_p as double) as mann_whitney_p,
        cast(wilcoxon_p as double) as wilcoxon_p
    from mirror_pairs
    left join runs as runs_a on mirror_pairs.run_a = runs_a.run_id
    left join runs as runs_b on mirror_pairs.run_b = runs_b.run_id

)

select * from cast_columns
