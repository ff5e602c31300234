"""Summary figures that a tool wrote beside the replies, or instead of them."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from ingest.contract import METRIC_COLUMNS, METRICS, cast
from ingest.formats import Format
from ingest.landing import LINE_BITS
from ingest.merging.shared import LINE_MASK, mapped_view, metadata_sql

# SQL: whether `known` and `keys` are one figure of one file, its model aside.
_SAME_FIGURE = """
    known.file_sha256 = keys.sha256
    and (known.dataset_id = keys.dataset_id or keys.is_default_dataset)
    and known.metric = keys.metric
    and known.variant is not distinct from keys.variant
"""


def map_metrics(
    connection: duckdb.DuckDBPyConnection, form: Format, options: Mapping[str, str | None]
) -> None:
    """Fill `metric_keys`. A record of a format of figures alone counts as read whatever it holds."""
    assert form.metrics is not None
    mapped_view(connection, form.name, "mapped_metrics", form.metrics, METRIC_COLUMNS)
    columns = [name for name in METRICS if name not in ("model", "prompt", "metadata")]
    values = ", ".join(f"{cast('mapped.' + name, METRICS[name])} as {name}" for name in columns)
    connection.execute("create or replace temp table given (model varchar, prompt varchar)")
    connection.execute("insert into given values (?, ?)", [options["model"], options["prompt"]])
    connection.execute(f"""
        create or replace temp table metric_keys as
        select
            mapped.record_id,
            coalesce(
                files.given_dataset, nullif(trim(mapped.dataset_id), ''), files.default_dataset
            ) as dataset_id,
            coalesce((select model from given), nullif(trim(mapped.model), '')) as model,
            coalesce((select prompt from given), nullif(trim(mapped.prompt), '')) as prompt,
            {values},
            {metadata_sql(METRICS)} as metadata,
            files.given_dataset is null and nullif(trim(mapped.dataset_id), '') is null
                and files.about ->> 'dataset_id' is null as is_default_dataset,
            files.file,
            files.sha256,
            files.load_id,
        from mapped_metrics as mapped
        inner join files on files.file_no = mapped.record_id >> {LINE_BITS}
        where mapped.metric is not null
    """)
    connection.execute("insert into seen select distinct record_id, false from mapped_metrics")
    if not (form.problems or form.responses):
        connection.execute(f"""
            insert into seen
            select record_id, not exists (
                from raw.reported_metrics as known where known.file_sha256 = files.sha256
            )
            from landed
            inner join files on files.file_no = landed.record_id >> {LINE_BITS}
            where landed.reject is null
        """)


def insert_metrics(connection: duckdb.DuckDBPyConnection) -> None:
    """Insert the figures of accepted records that are not there yet.

    What a file does not say tells no figures apart: one loaded again under another name or without a
    model is there already, and one whose model is given later gets its name.
    """
    connection.execute(f"""
        update raw.reported_metrics as known
        set model = keys.model, prompt = coalesce(known.prompt, keys.prompt)
        from (from metric_keys anti join rejected using (record_id)) as keys
        where known.model is null and keys.model is not null and {_SAME_FIGURE}
            and not exists (
                from raw.reported_metrics as named
                where named.file_sha256 = known.file_sha256
                    and named.dataset_id = known.dataset_id
                    and named.model = keys.model
                    and named.metric = known.metric
                    and named.variant is not distinct from known.variant
            );
        create or replace temp table new_metrics as
        select keys.* exclude is_default_dataset
        from metric_keys as keys
        anti join rejected using (record_id)
        where not exists (
            from raw.reported_metrics as known
            where (known.model = keys.model or keys.model is null) and {_SAME_FIGURE}
        )
        qualify row_number() over (
            partition by record_id, dataset_id, model, metric, variant order by value
        ) = 1;
        insert into seen select distinct record_id, true from new_metrics;
        insert into raw.reported_metrics by name
        select
            dataset_id, model, prompt, metric, variant, value, std_error, n_questions, metadata,
            (select source_format from batch) as source_format,
            file as source_file,
            record_id & {LINE_MASK} as source_line,
            sha256 as file_sha256,
            load_id,
        from new_metrics
    """)
