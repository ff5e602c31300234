"""Responses and the runs they belong to."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from ingest.contract import RESPONSE_COLUMNS, RESPONSES, RUNS, cast, trimmed
from ingest.formats import Format
from ingest.landing import LINE_BITS
from ingest.merging.shared import LINE_MASK, count, mapped_view, metadata_sql, placed

RUN_ID = """
    left(md5(concat_ws('|', dataset_id, coalesce(model, ''), coalesce(prompt, ''), key)), 16)
"""


def map_responses(
    connection: duckdb.DuckDBPyConnection, form: Format, options: Mapping[str, str | None]
) -> set[str]:
    """Fill `response_keys`; reject a reply that contradicts one stored under the same identity.

    Returns the columns the format fills.
    """
    assert form.responses is not None
    filled = mapped_view(
        connection, form.name, "mapped_responses", form.responses, RESPONSE_COLUMNS
    )
    connection.execute("create or replace temp table given (model varchar, prompt varchar)")
    connection.execute("insert into given values (?, ?)", [options["model"], options["prompt"]])
    more = f"""
        coalesce((select model from given), {trimmed("model")}) as model,
        coalesce((select prompt from given), {trimmed("prompt")}) as prompt,
        {trimmed("run_id")} as given_run_id,
        coalesce(shared_run_key, sha256 || coalesce('|' || run_key, '')) as key,
        try_cast(rollout_no as integer) as given_rollout,
        hash(response) as reply_hash,
        load_id
    """
    _find_named_later(
        connection, placed("mapped_responses", more), options, "shared_run_key" in filled
    )
    numbered = "given_rollout"
    if "rollout_no" not in filled or count(
        connection, "mapped_responses where try_cast(rollout_no as integer) is null"
    ):
        in_order = "row_number() over (partition by run_id, problem_id order by place)::integer"
        numbered = f"coalesce(given_rollout, {in_order})"
    connection.execute(f"""
        create or replace temp table response_keys as
        with identified as (
            select
                * exclude (given_run_id, key),
                coalesce(given_run_id, {RUN_ID}) as own_run_id,
            from ({placed("mapped_responses", more)})
        ),
        named as (
            select
                identified.* exclude (own_run_id),
                coalesce(named_later.stored_run_id, own_run_id) as run_id,
            from identified
            left join named_later on named_later.run_id = own_run_id
        ),
        numbered as (select *, {numbered} as rollout_no from named)
        select
            record_id, place, dataset_id, problem_id, run_id, model, prompt, rollout_no, reply_hash,
            load_id,
            left(md5(concat_ws('|', run_id, problem_id, rollout_no)), 20) as response_id,
        from numbered;
        insert into seen select record_id, false from response_keys;
        insert into rejected
        select record_id, 'rollout_no counts from 1, here it is ' || rollout_no
        from response_keys where rollout_no < 1;
        create or replace temp table known_runs as
        select run_id from raw.runs semi join response_keys using (run_id);
        create or replace temp table known_responses as
        select response_id, hash(response) as reply_hash, source_file || ':' || source_line as source,
            true as is_stored
        from raw.responses
        semi join known_runs using (run_id)
        semi join response_keys using (response_id);
        create or replace temp table repeated as
        select response_id, min(place) as place
        from response_keys anti join rejected using (record_id)
        group by response_id
        having count(*) > 1
    """)
    if count(connection, "known_responses") or count(connection, "repeated"):
        _reject_contradictions(connection)
    return filled


def _find_named_later(
    connection: duckdb.DuckDBPyConnection,
    keys: str,
    options: Mapping[str, str | None],
    spans_files: bool,
) -> None:
    """Fill `named_later`: the runs of these files that are stored without the name now given.

    Such a run keeps its identity and gets the name; a second run of the same replies would count
    every one of them twice.
    """
    connection.execute("""
        create or replace temp table named_later (
            run_id varchar, stored_run_id varchar, model varchar, prompt varchar
        )
    """)
    given = [name for name in ("model", "prompt") if options[name] is not None]
    of_these_files = "files where sha256 in (select file_sha256 from raw.runs)"
    if not given or not (spans_files or count(connection, of_these_files)):
        return
    unnamed = {name: f"unnest([{name}, null]) as {name}" for name in given}
    stored = " and ".join(f"(runs.{name} is null or runs.{name} = named.{name})" for name in given)
    connection.execute(f"""
        insert into named_later
        with named as (
            select distinct dataset_id, model, prompt, key, {RUN_ID} as run_id
            from ({keys})
            where given_run_id is null
        ),
        half_named as (
            select run_id as named_run_id, dataset_id, key, {unnamed.get("model", "model")}, prompt
            from named
        ),
        less_named as (
            select named_run_id, dataset_id, key, model, {unnamed.get("prompt", "prompt")}
            from half_named
        ),
        unnamed as (
            select named_run_id, {RUN_ID} as run_id,
                (model is not null)::integer + (prompt is not null)::integer as names,
            from less_named
        )
        select named.run_id, arg_max(runs.run_id, unnamed.names), any_value(named.model),
            any_value(named.prompt),
        from named
        inner join unnamed on unnamed.named_run_id = named.run_id
        inner join raw.runs on runs.run_id = unnamed.run_id
        where {stored}
        group by named.run_id
        having arg_max(runs.run_id, unnamed.names) <> named.run_id
    """)


def _reject_contradictions(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(f"""
        insert into rejected
        with firsts as (
            select keys.response_id, keys.reply_hash,
                files.file || ':' || (keys.record_id & {LINE_MASK}) as source,
                false as is_stored,
            from repeated
            inner join response_keys as keys using (place)
            inner join files on files.file_no = keys.record_id >> {LINE_BITS}
            anti join known_responses on known_responses.response_id = keys.response_id
        ),
        known as (select * from known_responses union all select * from firsts)
        select
            keys.record_id,
            'conflicts with rollout ' || keys.rollout_no || ' of problem ' || keys.problem_id
            || ' in run ' || keys.run_id || ' loaded from ' || known.source || ': another reply',
        from response_keys as keys
        inner join known using (response_id)
        where keys.reply_hash is distinct from known.reply_hash
            -- a sister file may hold the verdicts alone, or bring the reply that was missing
            and not (known.is_stored and (keys.reply_hash = hash(null) or known.reply_hash = hash(null)))
    """)


def insert_responses(connection: duckdb.DuckDBPyConnection, filled: set[str]) -> None:
    """Insert the new responses, their runs and the scores that came with them."""
    connection.execute("""
        create or replace temp table new_responses as
        select keys.*
        from response_keys as keys
        anti join rejected using (record_id)
        anti join known_responses using (response_id)
        left join repeated using (response_id)
        where coalesce(repeated.place = keys.place, true);
        insert into seen select record_id, true from new_responses
    """)
    values = ", ".join(
        f"{cast('mapped.' + name, kind)} as {name}"
        for name, kind in RESPONSES.items()
        if name not in ("rollout_no", "metadata") and name in filled
    )
    metadata = f"{metadata_sql(RESPONSES)} as metadata," if _may_have_metadata(filled) else ""
    connection.execute(f"""
        insert into raw.responses by name
        select
            news.response_id, news.run_id, news.problem_id, news.dataset_id, news.rollout_no,
            {values}, {metadata}
            files.file as source_file,
            news.record_id & {LINE_MASK} as source_line,
            news.load_id,
        from mapped_responses as mapped
        inner join new_responses as news using (place)
        inner join files on files.file_no = news.record_id >> {LINE_BITS}
    """)
    settings = ", ".join(
        f"{cast('mapped.' + name, kind)} as {'metadata' if name == 'run_metadata' else name}"
        for name, kind in RUNS.items()
        if name not in ("run_id", "model", "prompt")
    )
    connection.execute(f"""
        create or replace temp table new_runs as
        with firsts as (
            select min(place) as place
            from new_responses anti join known_runs using (run_id)
            group by run_id
        )
        select news.* from new_responses as news semi join firsts using (place);
        insert into raw.runs by name
        select
            news.run_id, news.model, news.prompt, news.dataset_id, {settings},
            (select source_format from batch) as source_format,
            files.file as source_file, files.sha256 as file_sha256, news.load_id,
        from mapped_responses as mapped
        -- record_id is a column of the landed table: its range narrows the scan
        inner join new_runs as news using (record_id, place)
        inner join files on files.file_no = news.record_id >> {LINE_BITS}
    """)
    connection.execute("""
        update raw.runs
        set model = coalesce(runs.model, named_later.model),
            prompt = coalesce(runs.prompt, named_later.prompt)
        from named_later
        where runs.run_id = named_later.stored_run_id
    """)
    if "scores" in filled:
        connection.execute("""
            insert into raw.reported_scores by name
            with scores as (
                select news.response_id, news.load_id, scores,
                    unnest(json_keys(mapped.scores)) as score_id,
                from mapped_responses as mapped
                inner join new_responses as news using (place)
                where mapped.scores is not null
            ),
            valued as (
                select response_id, score_id, load_id,
                    try_cast((json_member(scores, score_id) ->> '$') as double) as value,
                from scores
            )
            select * from valued where isfinite(value)
        """)


def _may_have_metadata(filled: set[str]) -> bool:
    doubles = {name for name, kind in RESPONSES.items() if kind == "double"}
    return "metadata" in filled or bool(doubles & filled)
