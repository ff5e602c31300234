-- Tiers: SC-Math6 grades, 5 the best, beside the published models
select
    reference_set,
    model,
    composite_score,
    published_level as published,
    level_frozen as frozen,
    level_retiered as retiered,
    placement_status as placement
from marts.grade_tiers
order by reference_set, composite_score desc nulls last, model
