"""Merge mapped records into the raw layer: identities, checks, rejects, and only what is new."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from ingest.formats import Format
from ingest.merging.concepts import (
    insert_concepts,
    insert_embeddings,
    map_concepts,
    map_embeddings,
)
from ingest.merging.filling import fill_responses
from ingest.merging.metrics import insert_metrics, map_metrics
from ingest.merging.problems import insert_problems, map_problems
from ingest.merging.responses import insert_responses, map_responses

__all__ = ["merge"]


def merge(
    connection: duckdb.DuckDBPyConnection, form: Format, options: Mapping[str, str | None]
) -> None:
    """Map the landed records and insert what is new; fill the temporary table `outcomes`.

    `outcomes`: record_id, status (loaded | already_there | rejected), reason. A record is rejected
    whole: nothing of it is inserted. Runs inside the caller's transaction.
    """
    connection.execute("""
        create or replace temp table rejected (record_id bigint, reason varchar);
        create or replace temp table seen (record_id bigint, is_new boolean);
        insert into rejected select record_id, reject from landed where reject is not null
    """)
    of_problems = map_problems(connection, form) if form.problems else set()
    of_responses = map_responses(connection, form, options) if form.responses else set()
    if form.concepts:
        map_concepts(connection, form)
    if form.embeddings:
        map_embeddings(connection, form)
    if form.metrics:
        map_metrics(connection, form, options)
    connection.execute("""
        insert into rejected
        select record_id, 'nothing to load: the record names no problem and no reply'
        from landed
        anti join seen using (record_id)
        anti join (select record_id from rejected) using (record_id)
    """)
    if form.problems:
        insert_problems(connection, of_problems)
    if form.responses:
        fill_responses(connection, of_responses)
        insert_responses(connection, of_responses)
    insert_concepts(
        connection, "concepts" in of_problems, "concepts" in of_responses, bool(form.concepts)
    )
    if form.embeddings:
        insert_embeddings(connection)
    if form.metrics:
        insert_metrics(connection)
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
