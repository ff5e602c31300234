"""What an earlier file left open of a reply (its verdict, its cost, its text), a sister file fills."""

from __future__ import annotations

import duckdb

from ingest.contract import RESPONSES, cast
from ingest.merging.shared import count, metadata_sql


def fill_responses(connection: duckdb.DuckDBPyConnection, filled: set[str]) -> None:
    """Fill NULL columns, and add metadata, of stored responses that the batch names again.

    Only where the reply is the same, or one of the two files holds none: everything else has been
    rejected. Nothing that is stored changes.
    """
    columns = [name for name in RESPONSES if name not in ("rollout_no", "metadata")]
    values = ", ".join(f"{cast('mapped.' + name, RESPONSES[name])} as {name}" for name in columns)
    gains = " or ".join(
        f"(known.{name} is null and fills.{name} is not null)" for name in columns if name in filled
    )
    new_members = """
        coalesce(len(list_filter(
            json_keys(fills.metadata),
            lambda key: not list_contains(coalesce(json_keys(known.metadata), []), key)
        )) > 0, false)
    """
    connection.execute(f"""
        create or replace temp table fills as
        with mapped_known as (
            select
                keys.response_id, keys.record_id, keys.place, keys.load_id, mapped.scores,
                {values},
                {metadata_sql(RESPONSES)} as metadata,
            from mapped_responses as mapped
            inner join response_keys as keys using (place)
            semi join known_responses using (response_id)
            anti join rejected on rejected.record_id = keys.record_id
        )
        select fills.*
        from mapped_known as fills
        inner join raw.responses as known on known.response_id = fills.response_id
        where fills.load_id <> known.load_id and ({gains or "false"} or {new_members})
        qualify row_number() over (partition by fills.response_id order by fills.place) = 1
    """)
    if not count(connection, "fills"):
        return
    # A reply that comes after a failure takes its place: a row with both would be neither.
    answered = "known.response is null and fills.response is not null"
    listed = ", ".join(
        f"{name} = case when {answered} then fills.{name} else coalesce(known.{name}, fills.{name}) end"
        if name in ("failure_kind", "failure_reason", "finish_reason")
        else f"{name} = coalesce(known.{name}, fills.{name})"
        for name in columns
    )
    connection.execute(f"""
        insert into seen select record_id, true from fills;
        update raw.responses as known
        set {listed},
            metadata = nullif(json_merge_patch(
                coalesce(fills.metadata, '{{}}'::json), coalesce(known.metadata, '{{}}'::json)
            ), '{{}}'::json)
        from fills
        where fills.response_id = known.response_id;
        insert into raw.reported_scores by name
        with scores as (
            select response_id, load_id, scores, unnest(json_keys(scores)) as score_id,
            from fills where scores is not null
        ),
        valued as (
            select response_id, score_id, load_id,
                try_cast((json_member(scores, score_id) ->> '$') as double) as value,
            from scores
        )
        select valued.*
        from valued
        anti join raw.reported_scores using (response_id, score_id)
        where isfinite(value)
    """)
