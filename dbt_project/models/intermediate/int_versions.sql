with ask_functions as (

    select
        cast(extractor_version() as varchar) as extractor_version,
        cast(judge_version() as varchar) as judge_version

)

select * from ask_functions
