{{ config(materialized='view') }}

with comparisons as (

    select * from {{ ref('run_comparisons') }}

),

responses as (

    select * from {{ ref('responses') }}

),

-- One value per question: the share of correct rollouts among those that our judge decided.
score_questions as (

    select
        run_id,
        problem_id,
        avg(case when is_correct then 1.0e0 when not is_correct then 0.0e0 end) as score
    from responses
    group by run_id, problem_id

),

list_pairs as (

    select
        run_a,
        run_b
    from comparisons
    where metric_id = 'accuracy' and verdict_source = 'judge' and status = 'compared'

),

pair_questions as (

    select
        list_pairs.run_a,
        list_pairs.run_b,
        a.problem_id,
        true as is_in_a,
        b.problem_id is not null as is_in_b,
        a.score as score_a,
        b.score as score_b
    from list_pairs
    inner join score_questions as a on list_pairs.run_a = a.run_id
    left join score_questions as b on list_pairs.run_b = b.run_id and a.problem_id = b.problem_id

    union all

    select
        list_pairs.run_a,
        list_pairs.run_b,
        b.problem_id,
        false as is_in_a,
        true as is_in_b,
        cast(null as double) as score_a,
        b.score as score_b
    from list_pairs
    inner join score_questions as b on list_pairs.run_b = b.run_id
    where
        not exists (
            select 1
            from score_questions as a
            where list_pairs.run_a = a.run_id and b.problem_id = a.problem_id
        )

),

name_changes as (

    select
        cast(run_a as varchar) as run_a,
        cast(run_b as varchar) as run_b,
        cast(problem_id as varchar) as problem_id,
        cast(score_a as double) as score_a,
        cast(score_b as double) as score_b,
        cast(
            case
                when not is_in_b then 'missing'
                when not is_in_a then 'new'
                when score_a is null or score_b is null then 'undecided'
                when score_b > score_a then 'improved'
                when score_b < score_a then 'regressed'
                else 'unchanged'
            end as varchar
        ) as change
    from pair_questions

)

select * from name_changes
