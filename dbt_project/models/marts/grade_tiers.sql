with published as (

    select * from {{ ref('published_scmath6_leaderboards') }}

),

composite_scores as (

    select * from {{ ref('metric_composite_score', v=1) }}

),

runs as (

    select * from {{ ref('stg_runs') }}

),

score_published as (

    select
        reference_set,
        model,
        published_level,
        cast(round(composite_score * 100) as integer) as score_hundredths
    from published

),

tier_published as (

    select * from {{ tier_levels('score_published', ['reference_set']) }}

),

-- A run counts by our own judge's verdicts; its composite is rounded to hundredths by definition.
score_runs as (

    select
        run_id as candidate_id,
        cast(round(value * 100) as integer) as score_hundredths
    from composite_scores
    where verdict_source = 'judge' and value is not null

),

place_runs as (

    select * from {{ place_in_tiers('tier_published', 'score_runs') }}

),

stack_rows as (

    select
        reference_set,
        model,
        cast(null as varchar) as run_id,
        score_hundredths,
        level as level_frozen,
        'published' as placement_status,
        level as level_retiered,
        published_level,
        0 as n_existing_changed
    from tier_published

    union all

    select
        place_runs.reference_set,
        coalesce(runs.model, runs.run_id) as model,
        runs.run_id,
        score_runs.score_hundredths,
        place_runs.level_frozen,
        place_runs.placement_status,
        place_runs.level_retiered,
        cast(null as integer) as published_level,
        place_runs.n_existing_changed
    from place_runs
    inner join score_runs on place_runs.candidate_id = score_runs.candidate_id
    inner join runs on place_runs.candidate_id = runs.run_id

),

cast_columns as (

    select
        cast(reference_set as varchar) as reference_set,
        cast(model as varchar) as model,
        cast(run_id as varchar) as run_id,
        cast(score_hundredths / 100.0 as decimal(6, 2)) as composite_score,
        cast(level_frozen as integer) as level_frozen,
        cast(placement_status as varchar) as placement_status,
        cast(level_retiered as integer) as level_retiered,
        cast(published_level as integer) as published_level,
        cast(n_existing_changed as integer) as n_existing_changed
    from stack_rows

)

select * from cast_columns
