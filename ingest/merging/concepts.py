"""Concepts of solutions and embeddings of texts."""

from __future__ import annotations

import duckdb

from ingest.contract import CONCEPT_COLUMNS, EMBEDDING_COLUMNS
from ingest.formats import Format
from ingest.landing import LINE_BITS
from ingest.merging.shared import mapped_view, placed

# Who named the concepts where a file does not say.
_UNNAMED = "file"


def map_concepts(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    """A concepts file names problems, and responses by id or by run and rollout, loaded before."""
    assert form.concepts is not None
    mapped_view(connection, form.name, "mapped_concepts", form.concepts, CONCEPT_COLUMNS)
    more = """
        coalesce(
            response_id,
            case
                when run_id is not null then left(
                    md5(concat_ws(
                        '|', run_id, problem_id, coalesce(try_cast(rollout_no as integer), 1)
                    )),
                    20
                )
            end
        ) as response_id,
        extractor_id, concepts, load_id
    """
    connection.execute(f"""
        create or replace temp table concept_keys as {placed("mapped_concepts", more)};
        insert into seen select record_id, false from concept_keys;
        insert into rejected
        select record_id, 'problem ' || problem_id || ' is not in the warehouse; load its file first'
        from concept_keys anti join raw.problems using (problem_id)
        union all
        select record_id, 'response ' || response_id || ' is not in the warehouse; load its file first'
        from concept_keys anti join raw.responses using (response_id)
        where response_id is not null
        union all
        select record_id, 'extractor_id is missing: say who named the concepts'
        from concept_keys where extractor_id is null
    """)


def insert_concepts(
    connection: duckdb.DuckDBPyConnection, in_problems: bool, in_responses: bool, in_file: bool
) -> None:
    """Insert concept lists from the mapped relations; a list is there whole or not at all."""
    sources = []
    if in_responses:
        sources.append("""
            select keys.record_id, keys.problem_id, keys.response_id, mapped.extractor_id,
                mapped.concepts, keys.load_id
            from mapped_responses as mapped inner join response_keys as keys using (place)
        """)
    if in_problems:
        sources.append(f"""
            select keys.record_id, keys.problem_id, null as response_id, mapped.extractor_id, mapped.concepts,
                files.load_id
            from mapped_problems as mapped
            inner join problem_keys as keys using (place)
            inner join files on files.file_no = keys.record_id >> {LINE_BITS}
        """)
    if in_file:
        sources.append("""
            select record_id, problem_id, response_id, extractor_id, concepts, load_id
            from concept_keys
        """)
    if not sources:
        return
    connection.execute(f"""
        create or replace temp table new_concepts as
        with lists as (
            select
                record_id, problem_id, response_id, load_id,
                coalesce(extractor_id, '{_UNNAMED}') as extractor_id,
                from_json(concepts, '["VARCHAR"]') as concepts,
            from ({" union all ".join(sources)})
            where concepts is not null
        )
        select
            problem_id, response_id, extractor_id,
            arg_min(concepts, record_id) as concepts,
            min(record_id) as record_id,
            arg_min(load_id, record_id) as load_id,
        from lists
        anti join rejected using (record_id)
        where concepts is not null and not exists (
            from raw.concepts as known
            where known.problem_id = lists.problem_id
                and known.response_id is not distinct from lists.response_id
                and known.extractor_id = lists.extractor_id
        )
        group by problem_id, response_id, extractor_id
    """)
    connection.execute("""
        insert into seen select record_id, true from new_concepts;
        insert into raw.concepts by name
        select
            problem_id, response_id, extractor_id, item.no as concept_no,
            item.concept as concept, load_id,
        from (
            select
                problem_id, response_id, extractor_id, load_id,
                unnest(case
                    when len(concepts) = 0 then [struct_pack(no := 0, concept := null::varchar)]
                    else list_transform(
                        concepts,
                        lambda concept, no: struct_pack(no := no::integer, concept := concept)
                    )
                end) as item,
            from new_concepts
        )
    """)


def map_embeddings(connection: duckdb.DuckDBPyConnection, form: Format) -> None:
    """Vectors must be lists of finite numbers, and the same wherever the same text comes again."""
    assert form.embeddings is not None
    mapped_view(connection, form.name, "mapped_embeddings", form.embeddings, EMBEDDING_COLUMNS)
    connection.execute(f"""
        create or replace temp table embedding_keys as
        select mapped.record_id, embedder_id, text, load_id,
            try(from_json(embedding, '["DOUBLE"]')) as embedding,
        from mapped_embeddings as mapped
        inner join files on files.file_no = mapped.record_id >> {LINE_BITS};
        insert into seen select record_id, false from embedding_keys;
        insert into rejected
        select record_id, 'embedder_id or text is missing'
        from embedding_keys where embedder_id is null or text is null
        union all
        select record_id, 'embedding is not a list of finite numbers'
        from embedding_keys
        where coalesce(len(embedding), 0) = 0
            or len(list_filter(embedding, lambda x: isfinite(x))) < len(embedding)
        union all
        select keys.record_id, 'conflicts with the embedding of this text that is there already'
        from embedding_keys as keys
        inner join raw.embeddings as known using (embedder_id, text)
        where known.embedding <> keys.embedding
    """)


def insert_embeddings(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("""
        create or replace temp table new_embeddings as
        select embedder_id, text, arg_min(embedding, record_id) as embedding,
            min(record_id) as record_id, arg_min(load_id, record_id) as load_id,
        from embedding_keys
        anti join rejected using (record_id)
        anti join raw.embeddings using (embedder_id, text)
        group by embedder_id, text;
        insert into seen select record_id, true from new_embeddings;
        insert into raw.embeddings by name
        select embedder_id, text, embedding, load_id from new_embeddings
    """)
