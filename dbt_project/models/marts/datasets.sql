with problems as (

    select * from {{ ref('stg_problems') }}

),

dataset_policies as (

    select * from {{ ref('int_dataset_policies') }}

),

-- What makes a problem what it is; not where it came from, nor what it is called.
hash_problems as (

    select
        dataset_id,
        problem_id,
        conversation_id,
        gold_answer,
        md5(
            concat_ws(
                '|',
                cast(turn as varchar),
                coalesce(question, ''),
                coalesce(gold_answer, ''),
                coalesce(cast(choices as varchar), '')
            )
        ) as content_hash
    from problems

),

describe_datasets as (

    select
        dataset_id,
        left(md5(string_agg(content_hash, '' order by content_hash)), 16) as fingerprint,
        count(*) as n_problems,
        count(distinct conversation_id) as n_conversations,
        count(*) - count(gold_answer) as n_without_gold
    from hash_problems
    group by dataset_id

),

attach_policy as (

    select
        cast(describe_datasets.dataset_id as varchar) as dataset_id,
        cast(describe_datasets.fingerprint as varchar) as fingerprint,
        cast(describe_datasets.n_problems as bigint) as n_problems,
        cast(describe_datasets.n_conversations as bigint) as n_conversations,
        cast(describe_datasets.n_without_gold as bigint) as n_without_gold,
        cast(dataset_policies.policy_id as varchar) as policy_id,
        cast(dataset_policies.resolved_by as varchar) as policy_resolved_by,
        cast(dataset_policies.policy_spec as varchar) as policy_spec
    from describe_datasets
    inner join dataset_policies on describe_datasets.dataset_id = dataset_policies.dataset_id

)

select * from attach_policy
