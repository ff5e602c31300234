-- Leaderboard: every run's headline numbers, judged by our own judge
select
    dataset_id as dataset,
    model,
    prompt,
    n_questions as questions,
    n_undecided as undecided,
    round(accuracy, 4) as accuracy,
    round(accuracy_std_error, 4) as std_error,
    round(turn_1_accuracy, 4) as turn_1,
    round(turn_2_accuracy, 4) as turn_2,
    round(overall_accuracy, 4) as overall,
    round(composite_score, 2) as composite
from marts.leaderboard
order by dataset, accuracy desc nulls last, model, prompt
