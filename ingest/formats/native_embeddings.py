"""Native embeddings: the vector of a text, and which embedder made it.

Trap: vectors of different embedders are never compared, so `embedder_id` must tell them apart, version
included.
"""

from ingest.formats import Format

FORMAT = Format(
    name="native_embeddings",
    kind="embeddings",
    title="Native embeddings: embedder_id, text, embedding",
    example={"embedder_id": "my-embedder-1", "text": "addition", "embedding": [0.1, -0.2, 0.3]},
    fields={"embedder_id": "VARCHAR", "text": "VARCHAR", "embedding": "JSON"},
    requires=("embedder_id", "text", "embedding"),
    embeddings="""
        select
            record_id,
            r.embedder_id as embedder_id,
            r.text as text,
            case when json_type(r.embedding) = 'VARCHAR' then r.embedding ->> '$' else r.embedding::varchar
                end as embedding,
        from records
    """,
)
