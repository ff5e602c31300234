with differences as (

    select * from {{ ref('int_paired_differences') }}

),

list_tables as (

    select distinct
        n_improved + n_regressed as n,
        least(n_improved, n_regressed) as smaller
    from differences
    where is_binary

),

list_tail as (

    select
        n,
        smaller,
        {{ rows_up_to('smaller + 1') }} - 1 as i
    from list_tables

),

-- Twice the probability of a split as lopsided as this one or more, had each discordant question been a fair coin.
add_up_tail as (

    select
        cast(n as bigint) as n_discordant,
        cast(smaller as bigint) as n_smaller,
        cast(least(1, 2 * sum(exp({{ log_choose('n', 'i') }} - n * ln(2.0e0)))) as double) as p_value
    from list_tail
    group by n, smaller

)

select * from add_up_tail
