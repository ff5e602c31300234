"""Problems: the first record of a problem stands; others must agree with it, and may fill its gaps."""

from __future__ import annotations

import duckdb

from ingest.contract import PROBLEM_COLUMNS, PROBLEMS, cast
from ingest.formats import Format
from ingest.landing import ITEM_BITS, LINE_BITS
from ingest.merging.shared import (
    LINE_MASK,
    SAME_TEXT,
    count,
    mapped_view,
    metadata_sql,
    placed,
)

_COLUMNS = [name for name in PROBLEMS if name not in ("gold_is_text", "metadata")]


def map_problems(connection: duckdb.DuckDBPyConnection, form: Format) -> set[str]:
    """Fill `problem_keys` and `known_problems`; reject what contradicts an earlier record.

    Contradiction: another question (white space aside), another gold answer (as text, and as
    number), other choices. Returns the columns the format fills.
    """
    assert form.problems is not None
    filled = mapped_view(connection, form.name, "mapped_problems", form.problems, PROBLEM_COLUMNS)
    if form.kind == "problems":
        connection.execute("""
            insert into rejected
            select record_id, 'holds neither a question nor a problem id'
            from mapped_problems where question is null and native_id is null
        """)
    more = "hash(question) as question_hash, gold_answer, hash(choices::varchar) as choices_hash"
    connection.execute(f"""
        create or replace temp table problem_keys as {placed("mapped_problems", more)};
        insert into seen select record_id, false from problem_keys;
        create or replace temp table first_problems as
        select problem_id, min(place) as place
        from problem_keys anti join rejected using (record_id)
        group by problem_id;
        create or replace temp table known_problems as
        select problem_id, question, gold_answer, choices::varchar as choices,
            coalesce(metadata ->> 'question_is_prompt', 'false') = 'true' as is_prompt,
            source_file || ':' || source_line as source
        from raw.problems
        semi join first_problems using (problem_id)
    """)
    connection.execute("""
        create or replace temp table doubtful as
        with firsts as (
            select keys.*
            from first_problems
            inner join problem_keys as keys using (place)
        ),
        known as (
            select problem_id, hash(question) as question_hash, gold_answer, hash(choices) as choices_hash
            from known_problems
            union all
            select problem_id, question_hash, gold_answer, choices_hash
            from firsts
            anti join known_problems using (problem_id)
        )
        select keys.place, keys.problem_id
        from problem_keys as keys
        inner join known using (problem_id)
        where keys.question_hash is distinct from known.question_hash
            or keys.gold_answer is distinct from known.gold_answer
            or keys.choices_hash is distinct from known.choices_hash
    """)
    if count(connection, "doubtful"):
        _reject_contradictions(connection)
    return filled


def _reject_contradictions(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(f"""
        insert into rejected
        with open_problems as (
            select distinct problem_id
            from doubtful
            anti join (
                select problem_id from known_problems
                where question is not null and gold_answer is not null and choices is not null
            ) using (problem_id)
        ),
        stated as (
            select
                keys.problem_id, keys.place, mapped.question, mapped.gold_answer,
                mapped.choices::varchar as choices,
                coalesce(try_cast(mapped.question_is_prompt as boolean), false) as is_prompt,
                files.file || ':' || (keys.record_id & {LINE_MASK}) as source,
            from mapped_problems as mapped
            inner join problem_keys as keys using (place)
            semi join open_problems on open_problems.problem_id = keys.problem_id
            inner join files on files.file_no = keys.record_id >> {LINE_BITS}
            anti join rejected on rejected.record_id = keys.record_id
        ),
        -- of each value the first that is stated: arg_min passes over NULL
        firsts as (
            select
                problem_id,
                arg_min(question, place) as question,
                arg_min(gold_answer, place) as gold_answer,
                arg_min(choices, place) as choices,
                arg_min(is_prompt, place) filter (where question is not null) as is_prompt,
                coalesce(
                    arg_min(source, place) filter (where gold_answer is not null),
                    arg_min(source, place)
                ) as source,
            from stated
            group by problem_id
        ),
        known as (
            select
                problem_id,
                coalesce(stored.question, firsts.question) as question,
                coalesce(stored.gold_answer, firsts.gold_answer) as gold_answer,
                coalesce(stored.choices, firsts.choices) as choices,
                coalesce(if(stored.question is null, firsts.is_prompt, stored.is_prompt), false) as is_prompt,
                if(
                    stored.source is null
                    or (stored.gold_answer is null and firsts.gold_answer is not null),
                    firsts.source,
                    stored.source
                ) as source,
            from known_problems as stored
            full join firsts using (problem_id)
        ),
        compared as (
            select
                mapped.record_id,
                known.problem_id,
                known.source,
                case
                    when {SAME_TEXT.format("mapped.question")} <> {SAME_TEXT.format("known.question")}
                        and not known.is_prompt
                        and not coalesce(try_cast(mapped.question_is_prompt as boolean), false)
                        then 'question'
                    when trim(mapped.gold_answer) <> trim(known.gold_answer)
                        and coalesce(
                            try_cast(mapped.gold_answer as double)
                            <> try_cast(known.gold_answer as double),
                            true
                        )
                        then 'gold answer'
                    when mapped.choices::varchar <> known.choices then 'list of choices'
                end as difference,
            from doubtful
            inner join mapped_problems as mapped using (place)
            inner join known using (problem_id)
        )
        select
            record_id,
            'conflicts with problem ' || problem_id || ' loaded from ' || source || ': another '
            || difference || '; give --dataset if it is another set of problems',
        from compared
        where difference is not null
    """)


def insert_problems(connection: duckdb.DuckDBPyConnection, filled: set[str]) -> None:
    """Insert new problems; fill what an earlier record left open (a question known from outputs)."""
    values = ", ".join(f"{cast('mapped.' + name, PROBLEMS[name])} as {name}" for name in _COLUMNS)
    listed = ", ".join(_COLUMNS)
    metadata = metadata_sql(PROBLEMS)
    if "question_is_prompt" in filled:
        metadata = f"""
            case
                when try_cast(mapped.question_is_prompt as boolean)
                then json_merge_patch(
                    coalesce({metadata}, '{{}}'::json), '{{"question_is_prompt": true}}'
                )
                else {metadata}
            end
        """
    if count(connection, f"first_problems semi join rejected on record_id = place >> {ITEM_BITS}"):
        # a record that was rejected for its reply does not take its problem along: the next one stands
        connection.execute("""
            create or replace temp table first_problems as
            select problem_id, min(place) as place
            from problem_keys anti join rejected using (record_id)
            group by problem_id
        """)
    connection.execute(f"""
        create or replace temp table new_problems as
        with kept as (select keys.* from problem_keys as keys semi join first_problems using (place))
        select
            kept.problem_id,
            kept.dataset_id,
            case
                when starts_with(kept.native_id, kept.dataset_id || '/')
                    then substr(kept.native_id, length(kept.dataset_id) + 2)
                else kept.native_id
            end as native_id,
            case when kept.turn is not null then regexp_replace(kept.problem_id, '#[0-9]+$', '') end
                as conversation_id,
            coalesce(kept.turn, 1) as turn,
            {values},
            coalesce(try_cast(mapped.gold_is_text as boolean), true) as gold_is_text,
            {metadata} as metadata,
            files.file as source_file,
            kept.record_id & {LINE_MASK} as source_line,
            files.sha256 as file_sha256,
            files.load_id,
            kept.record_id,
            known.problem_id is not null as is_known,
        from kept
        inner join mapped_problems as mapped using (place)
        inner join files on files.file_no = kept.record_id >> {LINE_BITS}
        left join known_problems as known on known.problem_id = kept.problem_id
    """)
    connection.execute(f"""
        insert into seen select record_id, true from new_problems where not is_known;
        insert into raw.problems by name
        select
            problem_id, dataset_id, native_id, conversation_id, turn, {listed}, gold_is_text, metadata,
            (select source_format from batch) as source_format,
            source_file, source_line, file_sha256, load_id,
        from new_problems
        where not is_known
    """)
    gains = " or ".join(f"(old.{name} is null and news.{name} is not null)" for name in _COLUMNS)
    firsts = ", ".join(f"arg_min({name}, place) as {name}" for name in _COLUMNS)
    connection.execute(f"""
        create or replace temp table filling as
        with open_problems as (
            select problem_id
            from raw.problems
            semi join doubtful using (problem_id)
            where question is null or gold_answer is null
        ),
        stated as (
            select
                keys.problem_id, keys.record_id, keys.place, {values},
                coalesce(try_cast(mapped.gold_is_text as boolean), true) as gold_is_text,
            from mapped_problems as mapped
            inner join problem_keys as keys using (place)
            semi join open_problems on open_problems.problem_id = keys.problem_id
            anti join rejected on rejected.record_id = keys.record_id
        ),
        -- within one batch, too, a later record fills what the first left open; arg_min passes over NULL
        news as (
            select
                problem_id, record_id, {listed}, gold_is_text,
            from new_problems
            anti join open_problems using (problem_id)
            where is_known
            union all
            select
                problem_id, arg_min(record_id, place) filter (where gold_answer is not null), {firsts},
                arg_min(gold_is_text, place) filter (where gold_answer is not null),
            from stated
            group by problem_id
        )
        select news.*
        from news
        inner join raw.problems as old using (problem_id)
        where {gains}
    """)
    if count(connection, "filling"):
        fills = ", ".join(f"{name} = coalesce(old.{name}, news.{name})" for name in _COLUMNS)
        connection.execute(f"""
            insert into seen select record_id, true from filling where record_id is not null;
            update raw.problems as old
            set gold_is_text = if(
                    old.gold_answer is null, coalesce(news.gold_is_text, old.gold_is_text), old.gold_is_text
                ),
                {fills}
            from filling as news
            where news.problem_id = old.problem_id
        """)
