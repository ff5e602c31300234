-- Wide and long tell the same: accuracy and composite of every run, and no run with values is missing from the board.
with long_values as (

    select
        run_id,
        dataset_id,
        max(case when metric_id = 'accuracy' and metric_version = 1 then value end) as accuracy,
        max(case when metric_id = 'composite_score' and metric_version = 2 then value end) as composite_score
    from {{ ref('metric_values') }}
    where verdict_source = 'judge' and slice_kind = 'all'
    group by run_id, dataset_id

)

select
    long_values.run_id,
    long_values.accuracy,
    leaderboard.accuracy as accuracy_on_board
from long_values
full outer join {{ ref('leaderboard') }} as leaderboard
    on
        long_values.run_id = leaderboard.run_id
        and long_values.dataset_id = leaderboard.dataset_id
where
    long_values.run_id is null
    or leaderboard.run_id is null
    or long_values.accuracy is distinct from leaderboard.accuracy
    or long_values.composite_score is distinct from leaderboard.composite_score
