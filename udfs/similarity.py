"""Similarity of two texts by an embedding model that lies in an installed package: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

# The model reads whole documents, but its mean over tokens says little beyond a page.
MAX_TEXT = 20_000

_lock = Lock()


@lru_cache(maxsize=1)
def _model() -> Any:
    import wordllama  # 0.3 s to import: only for those who ask for a similarity

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def similarities(left: Sequence[str | None], right: Sequence[str | None]) -> list[float | None]:
    """Cosine of the embeddings of each pair of texts, -1 to 1.

    None where a text is missing or its embedding is the zero vector (an empty text): there is no angle.
    """
    texts = sorted({text[:MAX_TEXT] for text in (*left, *right) if text and text.strip()})
    if not texts:
        return [None] * len(left)
    with _lock:  # the tokenizer is shared, and DuckDB may call from several threads
        vectors = _model().embed(texts).astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    units = {
        text: vector / length
        for text, vector, length in zip(texts, vectors, lengths, strict=True)
        if length > 0
    }

    def similarity(a: str | None, b: str | None) -> float | None:
        u, v = units.get((a or "")[:MAX_TEXT]), units.get((b or "")[:MAX_TEXT])
        return None if u is None or v is None else float(np.clip(u @ v, -1.0, 1.0))

    return [similarity(a, b) for a, b in zip(left, right, strict=True)]
