-- Every response has one of five outcomes; is_correct says the same; reported verdicts are those of the file.
select
    outcomes.response_id,
    outcomes.verdict_source,
    outcomes.outcome,
    outcomes.is_correct
from {{ ref('int_outcomes') }} as outcomes
inner join {{ ref('stg_responses') }} as responses on outcomes.response_id = responses.response_id
where
    outcomes.outcome not in ('correct', 'incorrect', 'no_answer', 'no_reply', 'undecided')
    or (outcomes.is_correct is null) <> (outcomes.outcome = 'undecided')
    or coalesce(outcomes.is_correct, false) <> (outcomes.outcome = 'correct')
    or (outcomes.verdict_source = 'reported' and outcomes.is_correct is distinct from responses.reported_correct)
    or (outcomes.verdict_source = 'judge' and outcomes.outcome = 'no_reply' and responses.response <> '')
