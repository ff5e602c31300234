-- At k: how the first k rollouts vote, and what k random ones would do (expected)
select
    at_k.dataset_id as dataset,
    at_k.model,
    at_k.prompt,
    at_k.k,
    at_k.n_covered as questions,
    round(at_k.rm_at_k, 4) as rm_at_k,
    round(at_k.rm_at_k_expected, 4) as rm_expected,
    round(at_k.major_at_k, 4) as major_at_k,
    round(at_k.major_at_k_expected, 4) as major_expected,
    round(at_k.plurality_at_k, 4) as plurality_at_k,
    at_k.n_tied as tied,
    round(at_k.reward_at_k, 4) as reward_at_k,
    round(at_k.all_at_k, 4) as all_at_k
from marts.at_k as at_k
inner join marts.runs as runs on at_k.run_id = runs.run_id
where at_k.verdict_source = 'judge' and at_k.slice_kind = 'all' and runs.n_rollouts > 1
order by dataset, at_k.model, at_k.prompt, at_k.k
