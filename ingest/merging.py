"""Merge mapped records into the raw layer: identities, checks, rejects, and only what is new."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from ingest.contract import (
    CONCEPT_COLUMNS,
    EMBEDDING_COLUMNS,
    PROBLEM_COLUMNS,
    PROBLEMS,
    RESPONSE_COLUMNS,
    RESPONSES,
    RUNS,
    cast,
    misfit,
    not_finite,
    padded,
)
from ingest.formats import Format
from ingest.landing import LINE_BITS

_LINE = f"record_id & {(1 << LINE_BITS) - 1}"
_FILE = f"files.file_no = mapped.record_id >> {LINE_BITS}"
# Two spellings of one question: white space is no difference.
_SAME_TEXT = "regexp_replace(trim({0}), '\\s+', ' ', 'g')"


def merge(
    connection: duckdb.DuckDBPyConnection, form: Format, options: Mapping[str, str | None]
) -> None:
    """Map the landed records and insert what is new; fills the temporary table `outcomes`.

    `outcomes`: record_id, status (loaded | already_there | rejected), reason. Runs inside the
    caller's transaction.
    """
    connection.execute("""
        create or replace temp table rejected (record_id bigint, reason varchar);
        create or replace temp table seen (record_id bigint, is_new boolean);
        insert into rejected select record_id, reject from landed where reject is not null
    """)
    if form.problems:
        _map_problems(connection, form)
    if form.responses:
        _map_responses(connection, form, options)
    if form.concepts:
        _map_concepts(connection, form)
    if form.embeddings:
        _map_embeddings(connection, form)
    connection.execute("""
        insert into rejected
        select record_id, 'nothing to load in this record: it names no problem and no reply'
        from landed
        where record_id not in (select record_id from seen)
            and record_id not in (select record_id from rejected)
    """)
    if form.problems:
        _insert_problems(connection, form.kind)
    if form.responses:
        _insert_responses(connection)
    if form.problems or form.responses or form.concepts:
        _insert_concepts(connection, form)
    if form.embeddings:
        _insert_embeddings(connection)
    connection.execute("""
        create or replace temp table outcomes as
        with reasons as (
            select record_id, string_agg(distinct reason, '; ' order by reason) as reason
            from rejected group by record_id
        ),
        news as (select record_id, bool_or(is_new) as is_new from seen group by record_id)
        select
            landed.record_id,
            case
                when reasons.record_id is not null then 'rejected'
                when news.is_new then 'loaded'
                else 'already_there'
            end as status,
            reasons.reason,
        from landed
        left join reasons using (record_id)
        left join news using (record_id)
    """)


def _mapped_view(
    connection: duckdb.DuckDBPyConnection,
    form: Format,
    name: str,
    sql: str,
    columns: dict[str, str],
) -> None:
    given = {row[0]: row[1] for row in connection.execute(f"describe {sql}").fetchall()}
    connection.execute(
        f"create or replace temp view {name} as {padded(sql, given, columns, form.name)}"
    )
    connection.execute(
        f"insert into rejected select record_id, reject from {name} where reject is not null"
    )
    for column, data_type in columns.items():
        reason = misfit(column, data_type) if column in given and column != "record_id" else None
        if reason and given[column] in ("VARCHAR", "JSON") and given[column].lower() != data_type:
            connection.execute(
                f"insert into rejected select record_id, reason from "
                f"(select record_id, {reason} as reason from {name}) where reason is not null"
            )


def _place(alias: str = "mapped") -> str:
    """SQL for dataset_id and native_id of a mapped row."""
    return f"""
        coalesce(files.given_dataset, nullif(trim({alias}.dataset_id), ''), files.default_dataset)
            as dataset_id,
        coalesce(
            nullif(trim({alias}.native_id), ''),
            left(files.sha256, 12) || ':' || ({alias}.{_LINE})
        ) as native_id,
        try_cast({alias}.turn as integer) as turn
    """


_PROBLEM_ID = """
    case
        when starts_with(native_id, dataset_id || '/') then native_id
        else dataset_id || '/' || native_id
    end || case when turn is null then '' else '#' || turn end
"""


def _placed(name: str, more: str) -> str:
    """SQL: the keys of the mapped view `name`, with problem_id and the columns `more`."""
    return f"""
        select record_id, item, dataset_id, native_id, turn, {_PROBLEM_ID} as problem_id, {more}
        from (
            select
                mapped.record_id,
                coalesce(try_cast(mapped.item as bigint), 0) as item,
                {_place()},
                mapped.* exclude (record_id, item, dataset_id, native_id, turn),
                files.sha256,
                files.load_id,
            from {name} as mapped
            inner join files on {_FILE}
        )
    """


def _map_problems(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    assert form.problems is not None
    _mapped_view(connection, form, "mapped_problems", form.problems, PROBLEM_COLUMNS)
    same = _SAME_TEXT.format("question")
    connection.execute(f"""
        create or replace temp table problem_keys as
        {_placed("mapped_problems", f"md5({same}) as question_key, gold_answer, choices::varchar as choices")};
        insert into seen select record_id, false from problem_keys;
        create or replace temp table first_problems as
        select problem_id, min((record_id, item)) as place
        from problem_keys
        where record_id not in (select record_id from rejected)
        group by problem_id;
        create or replace temp table known_problems as
        select problem_id, {same.replace("question", "problems.question")} as question_text,
            problems.gold_answer, problems.choices::varchar as choices,
            source_file || ':' || source_line as place, true as is_stored
        from raw.problems as problems
        where problem_id in (select problem_id from first_problems)
    """)
    connection.execute("""
        insert into rejected
        with first_keys as (
            select keys.problem_id, keys.question_key, keys.gold_answer, keys.choices,
                files.file || ':' || (keys.record_id & ((1::bigint << 40) - 1)) as place,
            from problem_keys as keys
            inner join first_problems on first_problems.problem_id = keys.problem_id
                and first_problems.place = (keys.record_id, keys.item)
            inner join files on files.file_no = keys.record_id >> 40
            where keys.problem_id not in (select problem_id from known_problems)
        ),
        known as (
            select problem_id, md5(question_text) as question_key, gold_answer, choices, place
            from known_problems
            union all
            select * from first_keys
        ),
        compared as (
            select
                keys.record_id,
                keys.problem_id,
                known.place,
                case
                    when keys.question_key <> known.question_key then 'question'
                    when trim(keys.gold_answer) <> trim(known.gold_answer)
                        and try_cast(keys.gold_answer as double)
                            is distinct from try_cast(known.gold_answer as double)
                        then 'gold answer'
                    when trim(keys.gold_answer) <> trim(known.gold_answer)
                        and try_cast(keys.gold_answer as double) is null then 'gold answer'
                    when keys.choices <> known.choices then 'choices'
                end as difference,
            from problem_keys as keys
            inner join known on known.problem_id = keys.problem_id
        )
        select
            record_id,
            'conflicts with problem ' || problem_id || ' (another ' || difference
            || ') loaded from ' || place || '; load it under another --dataset',
        from compared
        where difference is not null
    """)


def _insert_problems(connection: duckdb.DuckDBPyConnection, kind: str) -> None:
    columns = [name for name in PROBLEMS if name not in ("gold_is_text", "metadata")]
    values = ", ".join(f"{cast('mapped.' + name, PROBLEMS[name])} as {name}" for name in columns)
    connection.execute(f"""
        create or replace temp table new_problems as
        with kept as (
            select keys.*
            from problem_keys as keys
            inner join first_problems on first_problems.problem_id = keys.problem_id
                and first_problems.place = (keys.record_id, keys.item)
            where keys.record_id not in (select record_id from rejected)
        )
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
            {_metadata("problem", PROBLEMS)} as metadata,
            files.file,
            kept.{_LINE} as source_line,
            files.sha256,
            files.load_id,
            kept.record_id,
        from kept
        inner join mapped_problems as mapped on mapped.record_id = kept.record_id
            and coalesce(try_cast(mapped.item as bigint), 0) = kept.item
        inner join files on {_FILE}
    """)
    listed = ", ".join(columns)
    connection.execute(f"""
        insert into seen
        select record_id, true from new_problems
        where problem_id not in (select problem_id from known_problems);
        insert into raw.problems by name
        select
            problem_id, dataset_id, native_id, conversation_id, turn, {listed}, gold_is_text, metadata,
            (select source_format from batch) as source_format, file as source_file, source_line,
            sha256 as file_sha256, load_id,
        from new_problems
        where problem_id not in (select problem_id from known_problems)
    """)
    # What an earlier file left open (a question known from outputs alone) a later one may fill.
    fills = ", ".join(f"{name} = coalesce(problems.{name}, news.{name})" for name in columns)
    gains = " or ".join(
        f"(problems.{name} is null and news.{name} is not null)" for name in columns
    )
    source = f"""
        from new_problems as news
        where news.problem_id = problems.problem_id and ({gains})
    """
    connection.execute(f"""
        insert into seen
        select news.record_id, true
        from raw.problems as problems, new_problems as news
        where news.problem_id = problems.problem_id and news.load_id <> problems.load_id and ({gains})
    """)
    connection.execute(f"""
        update raw.problems as problems
        set gold_is_text = case
                when problems.gold_answer is null then news.gold_is_text else problems.gold_is_text
            end, {fills}
        {source} and news.problem_id in (select problem_id from known_problems)
    """)


def _map_responses(
    connection: duckdb.DuckDBPyConnection, form: Format, options: Mapping[str, str | None]
) -> None:
    assert form.responses is not None
    _mapped_view(connection, form, "mapped_responses", form.responses, RESPONSE_COLUMNS)
    connection.execute("create or replace temp table given (model varchar, prompt varchar)")
    connection.execute("insert into given values (?, ?)", [options["model"], options["prompt"]])
    keys = """
        coalesce((select model from given), nullif(trim(model), '')) as model,
        coalesce((select prompt from given), nullif(trim(prompt), '')) as prompt,
        nullif(trim(run_id), '') as given_run_id,
        coalesce(shared_run_key, sha256 || coalesce('|' || run_key, '')) as key,
        try_cast(rollout_no as integer) as given_rollout,
        md5(response) as reply_key,
        load_id
    """
    connection.execute(f"""
        create or replace temp table response_keys as
        with placed as ({_placed("mapped_responses", keys)}),
        identified as (
            select
                *,
                coalesce(
                    given_run_id,
                    left(md5(concat_ws('|', dataset_id, coalesce(model, ''), coalesce(prompt, ''), key)), 16)
                ) as run_id,
            from placed
        ),
        numbered as (
            select
                *,
                coalesce(
                    given_rollout,
                    row_number() over (partition by run_id, problem_id order by record_id, item)
                )::integer as rollout_no,
            from identified
        )
        select
            record_id, item, dataset_id, problem_id, run_id, model, prompt, rollout_no, reply_key, load_id,
            left(md5(concat_ws('|', run_id, problem_id, rollout_no)), 20) as response_id,
        from numbered
    """)
    connection.execute("insert into seen select record_id, false from response_keys")
    connection.execute("""
        insert into rejected
        select record_id, 'rollout_no counts from 1, here ' || rollout_no
        from response_keys where rollout_no < 1
    """)
    connection.execute("""
        create or replace temp table known_responses as
        select responses.response_id, md5(responses.response) as reply_key,
            source_file || ':' || source_line as place
        from raw.responses as responses
        where run_id in (
                select run_id from raw.runs where run_id in (select run_id from response_keys)
            )
            and response_id in (select response_id from response_keys)
    """)
    connection.execute("""
        create or replace temp table first_responses as
        select response_id, min((record_id, item)) as place, count(*) as copies
        from response_keys
        where record_id not in (select record_id from rejected)
        group by response_id
    """)
    connection.execute("""
        insert into rejected
        with firsts as (
            select keys.response_id, keys.reply_key,
                files.file || ':' || (keys.record_id & ((1::bigint << 40) - 1)) as place,
            from first_responses
            inner join response_keys as keys on keys.response_id = first_responses.response_id
                and (keys.record_id, keys.item) = first_responses.place
            inner join files on files.file_no = keys.record_id >> 40
            where first_responses.copies > 1
                and keys.response_id not in (select response_id from known_responses)
        ),
        known as (select * from known_responses union all select * from firsts)
        select
            keys.record_id,
            'conflicts with rollout ' || keys.rollout_no || ' of problem ' || keys.problem_id
            || ' in run ' || keys.run_id || ' (another reply) loaded from ' || known.place,
        from response_keys as keys
        inner join known on known.response_id = keys.response_id
        where keys.reply_key is distinct from known.reply_key
    """)


def _insert_responses(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        create or replace temp table new_responses as
        select keys.*
        from response_keys as keys
        where record_id not in (select record_id from rejected)
            and response_id not in (select response_id from known_responses)
    """)
    connection.execute("""
        delete from new_responses
        where response_id in (select response_id from first_responses where copies > 1)
            and (response_id, record_id, item) not in (
                select response_id, place[1], place[2] from first_responses
            )
    """)
    connection.execute("insert into seen select record_id, true from new_responses")
    values = ", ".join(
        f"{cast('mapped.' + name, kind)} as {name}"
        for name, kind in RESPONSES.items()
        if name not in ("rollout_no", "metadata")
    )
    connection.execute(f"""
        insert into raw.responses by name
        select
            news.response_id, news.run_id, news.problem_id, news.dataset_id, news.rollout_no,
            {values},
            {_metadata("response", RESPONSES)} as metadata,
            files.file as source_file,
            news.{_LINE} as source_line,
            news.load_id,
        from mapped_responses as mapped
        inner join new_responses as news on news.record_id = mapped.record_id
            and news.item = coalesce(try_cast(mapped.item as bigint), 0)
        inner join files on {_FILE}
    """)
    settings = ", ".join(
        f"{cast('mapped.' + name, kind)} as {'metadata' if name == 'run_metadata' else name}"
        for name, kind in RUNS.items()
        if name not in ("run_id", "model", "prompt")
    )
    connection.execute(f"""
        insert into raw.runs by name
        with firsts as (
            select run_id, min((record_id, item)) as place
            from new_responses
            where run_id not in (select run_id from raw.runs)
            group by run_id
        )
        select
            news.run_id, news.model, news.prompt, news.dataset_id,
            {settings},
            (select source_format from batch) as source_format,
            files.file as source_file, files.sha256 as file_sha256, news.load_id,
        from firsts
        inner join new_responses as news on news.run_id = firsts.run_id
            and (news.record_id, news.item) = firsts.place
        inner join mapped_responses as mapped on news.record_id = mapped.record_id
            and news.item = coalesce(try_cast(mapped.item as bigint), 0)
        inner join files on {_FILE}
    """)
    connection.execute("""
        insert into raw.reported_scores by name
        select news.response_id, score.key as score_id, try_cast(score.value as double) as value, news.load_id
        from mapped_responses as mapped
        inner join new_responses as news on news.record_id = mapped.record_id
            and news.item = coalesce(try_cast(mapped.item as bigint), 0)
        inner join lateral (select unnest(map_entries(mapped.scores::map(varchar, varchar)))) as s(score)
            on true
        where mapped.scores is not null and isfinite(try_cast(score.value as double))
    """)


def _metadata(noun: str, columns: Mapping[str, str]) -> str:
    """SQL: the mapped metadata, and in it the numbers that are NaN or infinite, as text."""
    doubles = [name for name, kind in columns.items() if kind == "double"]
    odd = " || ".join(
        f"case when {not_finite('mapped.' + name)} "
        f"then [struct_pack(k := '{name}', v := mapped.{name})] else [] end"
        for name in doubles
    )
    any_odd = " or ".join(f"coalesce({not_finite('mapped.' + name)}, false)" for name in doubles)
    return f"""
        case
            when {any_odd} then json_merge_patch(
                coalesce(try_cast(mapped.metadata as json), '{{}}'::json),
                to_json(map_from_entries({odd}))
            )
            else try_cast(mapped.metadata as json)
        end
    """


def _map_concepts(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    """A concepts file names problems, and responses by id or by run and rollout, already loaded."""
    assert form.concepts is not None
    _mapped_view(connection, form, "mapped_concepts", form.concepts, CONCEPT_COLUMNS)
    more = "response_id, run_id, try_cast(rollout_no as integer) as rollout_no, extractor_id, concepts, load_id"
    connection.execute(f"""
        create or replace temp table concept_keys as
        select
            * exclude (response_id, run_id, rollout_no, problem_id),
            coalesce(
                response_id,
                case
                    when run_id is not null
                    then left(md5(concat_ws('|', run_id, problem_id, coalesce(rollout_no, 1))), 20)
                end
            ) as response_id,
            problem_id,
        from ({_placed("mapped_concepts", more)});
        insert into seen select record_id, false from concept_keys;
        insert into rejected
        select record_id, 'problem ' || problem_id || ' is not in the warehouse; load its file first'
        from concept_keys where problem_id not in (select problem_id from raw.problems)
        union all
        select record_id, 'response ' || response_id || ' is not in the warehouse; load its file first'
        from concept_keys
        where response_id is not null and response_id not in (select response_id from raw.responses)
        union all
        select record_id, 'extractor_id is missing: who named the concepts' from concept_keys
        where extractor_id is null
    """)


def _insert_concepts(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    """Concept lists from any of the mapped relations; a list is there whole or not at all."""
    sources = []
    if form.responses:
        sources.append("""
            select news.record_id, news.problem_id, news.response_id, mapped.extractor_id,
                mapped.concepts, news.load_id
            from mapped_responses as mapped
            inner join response_keys as news on news.record_id = mapped.record_id
                and news.item = coalesce(try_cast(mapped.item as bigint), 0)
        """)
    if form.problems:
        sources.append("""
            select news.record_id, news.problem_id, null as response_id, mapped.extractor_id,
                mapped.concepts, files.load_id
            from mapped_problems as mapped
            inner join problem_keys as news on news.record_id = mapped.record_id
                and news.item = coalesce(try_cast(mapped.item as bigint), 0)
            inner join files on files.file_no = news.record_id >> 40
        """)
    if form.concepts:
        sources.append("""
            select record_id, problem_id, response_id, extractor_id, concepts, load_id
            from concept_keys
        """)
    connection.execute(f"""
        create or replace temp table new_concepts as
        with lists as ({" union all ".join(sources)})
        select
            problem_id, response_id, coalesce(extractor_id, 'file') as extractor_id,
            arg_min(from_json(concepts, '["VARCHAR"]'), record_id) as concepts,
            min(record_id) as record_id, arg_min(load_id, record_id) as load_id,
        from lists
        where concepts is not null and record_id not in (select record_id from rejected)
            and not exists (
                from raw.concepts as known
                where known.problem_id = lists.problem_id
                    and known.response_id is not distinct from lists.response_id
                    and known.extractor_id = coalesce(lists.extractor_id, 'file')
            )
        group by all
    """)
    connection.execute("""
        insert into seen select record_id, true from new_concepts;
        insert into raw.concepts by name
        select problem_id, response_id, extractor_id, item.no as concept_no, item.concept as concept, load_id
        from (
            select
                problem_id, response_id, extractor_id, load_id,
                unnest(case
                    when len(concepts) = 0 then [struct_pack(no := 0, concept := null::varchar)]
                    else list_transform(
                        concepts, lambda concept, no: struct_pack(no := no::integer, concept := concept)
                    )
                end) as item,
            from new_concepts
        )
    """)


def _map_embeddings(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    assert form.embeddings is not None
    _mapped_view(connection, form, "mapped_embeddings", form.embeddings, EMBEDDING_COLUMNS)
    connection.execute("""
        create or replace temp table embedding_keys as
        select record_id, embedder_id, text, from_json(embedding, '["DOUBLE"]') as embedding, load_id
        from mapped_embeddings as mapped
        inner join files on files.file_no = mapped.record_id >> 40;
        insert into seen select record_id, false from embedding_keys;
        insert into rejected
        select record_id, 'embedder_id or text is missing' from embedding_keys
        where embedder_id is null or text is null
        union all
        select record_id, 'embedding is not a list of finite numbers' from embedding_keys
        where coalesce(len(embedding), 0) = 0
            or len(list_filter(embedding, lambda x: isfinite(x))) < len(embedding)
        union all
        select keys.record_id, 'conflicts with the embedding of the same text already loaded'
        from embedding_keys as keys
        inner join raw.embeddings as known using (embedder_id, text)
        where known.embedding <> keys.embedding
    """)


def _insert_embeddings(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        create or replace temp table new_embeddings as
        select embedder_id, text, arg_min(embedding, record_id) as embedding,
            min(record_id) as record_id, arg_min(load_id, record_id) as load_id
        from embedding_keys as keys
        where record_id not in (select record_id from rejected)
            and not exists (
                from raw.embeddings as known
                where known.embedder_id = keys.embedder_id and known.text = keys.text
            )
        group by embedder_id, text;
        insert into seen select record_id, true from new_embeddings;
        insert into raw.embeddings by name
        select embedder_id, text, embedding, load_id from new_embeddings
    """)
