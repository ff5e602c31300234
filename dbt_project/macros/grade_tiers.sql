{#-
    Tiers of SuperCLUE-Math6 (arXiv 2401.11819 and the repository's page). Scores are integer hundredths of a point: as
    doubles, 468 of the 9,501 pairs exactly 5.00 apart differ by less than 5.
-#}

{#-
    Levels of a whole set: sorted by score, a gap of tier_gap_hundredths or more to the next better model starts a new tier;
    level = greatest(1, 5 - number of such gaps above). The best model of a set is level 5 whatever its score.
    relation: columns of partition_by, score_hundredths, and any others, which are kept. Adds: level.
-#}
{% macro tier_levels(relation, partition_by) %}
(

    with mark_gaps as (

        select
            *,
            case
                when
                    lag(score_hundredths) over (
                        partition by {{ partition_by | join(', ') }} order by score_hundredths desc
                    ) - score_hundredths >= {{ var('tier_gap_hundredths') }}
                    then 1
                else 0
            end as is_gap
        from {{ relation }}

    ),

    count_gaps as (

        select
            *,
            sum(is_gap) over (partition by {{ partition_by | join(', ') }} order by score_hundredths desc) as n_gaps
        from mark_gaps

    )

    select
        *,
        greatest(1, 5 - n_gaps) as level
    from count_gaps

)
{% endmacro %}


{#-
    A new model beside a reference set, in two ways.
    Frozen: nobody is regraded. The nearest reference model less than tier_gap_hundredths away gives its level (of two equally
    near ones, the higher level); above all: 5; below all: one lower than the lowest, at least 1; between two tiers and near
    neither: no level, and the status says between which.
    Retiered: the level the model would have if the set were tiered anew with it, and how many of the set would change theirs.
    reference: columns reference_set, model, score_hundredths, level. candidates: columns candidate_id, score_hundredths.
    Gives one row per reference set and candidate: reference_set, candidate_id, level_frozen, placement_status, level_retiered,
    n_existing_changed.
-#}
{% macro place_in_tiers(reference, candidates) %}
{%- set gap = var('tier_gap_hundredths') -%}
(

    with measure_distances as (

        select
            reference_models.reference_set,
            candidates.candidate_id,
            candidates.score_hundredths,
            reference_models.level as reference_level,
            reference_models.score_hundredths as reference_hundredths,
            abs(candidates.score_hundredths - reference_models.score_hundredths) as distance
        from {{ candidates }} as candidates
        cross join {{ reference }} as reference_models

    ),

    rank_neighbours as (

        select
            *,
            row_number() over (
                partition by reference_set, candidate_id order by distance asc, reference_level desc
            ) as neighbour_rank
        from measure_distances

    ),

    look_around as (

        select
            reference_set,
            candidate_id,
            score_hundredths,
            min(distance) as nearest_distance,
            max(case when neighbour_rank = 1 then reference_level end) as nearest_level,
            count(distinct case when distance < {{ gap }} then reference_level end) as n_levels_near,
            max(reference_hundredths) as best_hundredths,
            min(reference_hundredths) as worst_hundredths,
            min(reference_level) as lowest_level,
            min(case when reference_hundredths > score_hundredths then reference_level end) as level_above,
            max(case when reference_hundredths < score_hundredths then reference_level end) as level_below
        from rank_neighbours
        group by reference_set, candidate_id, score_hundredths

    ),

    place_frozen as (

        select
            reference_set,
            candidate_id,
            case
                when nearest_distance < {{ gap }} then nearest_level
                when score_hundredths > best_hundredths then 5
                when score_hundredths < worst_hundredths then greatest(1, lowest_level - 1)
            end as level_frozen,
            case
                when nearest_distance < {{ gap }} and n_levels_near > 1 then 'bridges_tiers_nearest'
                when nearest_distance < {{ gap }} then 'within_one_tier'
                when score_hundredths > best_hundredths then 'above_all'
                when score_hundredths < worst_hundredths then 'below_all_new_tier'
                else 'between_tiers_' || cast(level_above as varchar) || '_' || cast(level_below as varchar)
            end as placement_status
        from look_around

    ),

    unite_with_set as (

        select
            reference_models.reference_set,
            candidates.candidate_id,
            reference_models.score_hundredths,
            reference_models.level as level_before
        from {{ reference }} as reference_models
        cross join {{ candidates }} as candidates

        union all

        select
            reference_sets.reference_set,
            candidates.candidate_id,
            candidates.score_hundredths,
            cast(null as integer) as level_before
        from {{ candidates }} as candidates
        cross join (select distinct reference_set from {{ reference }}) as reference_sets

    ),

    tier_anew as (

        select * from {{ tier_levels('unite_with_set', ['reference_set', 'candidate_id']) }}

    ),

    count_changes as (

        select
            reference_set,
            candidate_id,
            max(case when level_before is null then level end) as level_retiered,
            count(case when level_before <> level then 1 end) as n_existing_changed
        from tier_anew
        group by reference_set, candidate_id

    )

    select
        place_frozen.reference_set,
        place_frozen.candidate_id,
        place_frozen.level_frozen,
        place_frozen.placement_status,
        count_changes.level_retiered,
        count_changes.n_existing_changed
    from place_frozen
    inner join count_changes
        on
            place_frozen.reference_set = count_changes.reference_set
            and place_frozen.candidate_id = count_changes.candidate_id

)
{% endmacro %}
