with problems as (

    select * from {{ ref('stg_problems') }}

),

dataset_policies as (

    select * from {{ ref('dataset_policies') }}

),

format_policies as (

    select * from {{ ref('format_policies') }}

),

policies as (

    select * from {{ ref('int_policies') }}

),

count_formats as (

    select
        dataset_id,
        source_format,
        count(*) as n_problems
    from problems
    group by dataset_id, source_format

),

-- A dataset that came in several formats takes the policy of the one that most of its problems came in.
rank_formats as (

    select
        dataset_id,
        source_format,
        row_number() over (partition by dataset_id order by n_problems desc, source_format asc) as format_rank
    from count_formats

),

choose_format as (

    select *
    from rank_formats
    where format_rank = 1

),

resolve_policy as (

    select
        choose_format.dataset_id,
        coalesce(dataset_policies.policy_id, format_policies.policy_id, 'auto') as policy_id,
        case
            when dataset_policies.policy_id is not null then 'dataset'
            when format_policies.policy_id is not null then 'format'
            else 'default'
        end as resolved_by
    from choose_format
    left join dataset_policies on choose_format.dataset_id = dataset_policies.dataset_id
    left join format_policies on choose_format.source_format = format_policies.source_format

),

attach_spec as (

    select
        cast(resolve_policy.dataset_id as varchar) as dataset_id,
        cast(resolve_policy.policy_id as varchar) as policy_id,
        cast(resolve_policy.resolved_by as varchar) as resolved_by,
        cast(policies.policy_spec as varchar) as policy_spec,
        cast(policies.extraction_policy as varchar) as extraction_policy,
        cast(policies.equivalence_policy as varchar) as equivalence_policy
    from resolve_policy
    inner join policies on resolve_policy.policy_id = policies.policy_id

)

select * from attach_spec
