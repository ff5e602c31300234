"""Judging many pairs: with a progress line, and a journal from which a broken-off run is taken up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import lru_cache

from udfs import equivalence
from udfs.equivalence import Verdict
from udfs.extraction import reduce_gold
from udfs.journal import Journal, Judgement
from udfs.progress import Progress

# How much judging may pass before it is counted and noted in the journal.
NOTE_SECONDS = 0.5

# Golds repeat with every answer to their problem; the largest sets have some ten thousand problems.
CACHED_GOLDS = 32_768

_reduced = lru_cache(maxsize=CACHED_GOLDS)(reduce_gold)


def judge_all(
    pairs: Iterable[tuple[str | None, str | None, str | None]],
    journal: Journal,
    progress: Progress,
) -> list[Verdict]:
    """The verdict of each (policy spec, gold, answer), in order.

    A gold that is a whole worked solution counts as the answer it ends in.
    """
    progress.begin()
    journal.begin()
    verdicts: list[Verdict] = []
    noted: list[Judgement] = []
    counted, noted_at = 0, time.monotonic()
    for spec, gold, answer in pairs:
        question = (equivalence.JUDGE_VERSION, spec, gold, answer)
        verdict = journal.recall(question)
        if verdict is None:
            verdict = equivalence.judge(None if gold is None else _reduced(gold), answer, spec)
            noted.append((question, verdict))
        verdicts.append(verdict)
        if time.monotonic() - noted_at >= NOTE_SECONDS:
            journal.record(noted)
            progress.advance(len(verdicts) - counted)
            noted, counted, noted_at = [], len(verdicts), time.monotonic()
    journal.record(noted)
    progress.advance(len(verdicts) - counted)
    return verdicts


def judge_columns(
    specs: Sequence[str | None],
    golds: Sequence[str | None],
    answers: Sequence[str | None],
    journal: Journal,
    progress: Progress,
) -> list[dict]:
    """`judge_all` over columns, as rows of the SQL type VERDICT."""
    verdicts = judge_all(zip(specs, golds, answers, strict=True), journal, progress)
    return [
        {"verdict": v.verdict, "method": v.method, "milliseconds": v.milliseconds} for v in verdicts
    ]
