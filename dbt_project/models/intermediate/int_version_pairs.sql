with verdicts as (

    select * from {{ ref('int_verdicts') }}

),

-- judge_version() is "judge.extractor", both whole numbers.
list_versions as (

    select distinct
        judge_version,
        split_part(judge_version, '.', 2) as extractor_version,
        coalesce(try_cast(split_part(judge_version, '.', 1) as integer), 0) as judge_no,
        coalesce(try_cast(split_part(judge_version, '.', 2) as integer), 0) as extractor_no
    from verdicts

),

find_predecessors as (

    select
        judge_version,
        extractor_version,
        lag(judge_version) over (order by judge_no, extractor_no) as earlier_judge_version,
        lag(extractor_version) over (order by judge_no, extractor_no) as earlier_extractor_version
    from list_versions

),

pair_versions as (

    select
        cast(earlier_judge_version as varchar) as earlier_judge_version,
        cast(earlier_extractor_version as varchar) as earlier_extractor_version,
        cast(judge_version as varchar) as later_judge_version,
        cast(extractor_version as varchar) as later_extractor_version
    from find_predecessors
    where earlier_judge_version is not null

)

select * from pair_versions
