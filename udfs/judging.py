"""Judging many pairs: with a progress line, and a journal from which a broken-off run is taken up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import lru_cache
from typing import cast

from udfs import equivalence
from udfs.equivalence import Verdict, workers
from udfs.extraction import reduce_gold
from udfs.journal import Journal, Judgement, Question
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

    A gold that is a whole worked solution counts as the answer it ends in. Pairs that need computer algebra are
    handed to the worker processes while this thread goes on with the others; verdicts do not depend on that.
    """
    progress.begin()
    journal.begin()
    book = _Book(journal, progress)
    verdicts: list[Verdict | None] = []
    waiting: dict[Future[Verdict], tuple[int, Question]] = {}

    def collect(finished: Iterable[Future[Verdict]]) -> None:
        for future in finished:
            position, question = waiting.pop(future)
            verdicts[position] = future.result()
            book.note((question, future.result()))

    executor = ThreadPoolExecutor(workers.MAX_WORKERS)
    try:
        for position, (spec, gold, answer) in enumerate(pairs):
            if waiting and book.is_due():
                collect([future for future in waiting if future.done()])
            question = (equivalence.JUDGE_VERSION, spec, gold, answer)
            verdict = journal.recall(question)
            if verdict is not None:
                verdicts.append(verdict)
                book.note(None)
                continue
            reduced = None if gold is None else _reduced(gold)
            try:
                with workers.deferring():
                    verdict = equivalence.judge(reduced, answer, spec)
            except workers.Deferred:
                future = executor.submit(equivalence.judge, reduced, answer, spec)
                waiting[future] = (position, question)
                verdicts.append(None)
                continue
            verdicts.append(verdict)
            book.note((question, verdict))
        collect(as_completed(list(waiting)))
    finally:
        # Where judging ends before its time nobody waits for what has not begun.
        executor.shutdown(cancel_futures=True)
    book.close()
    return cast(list[Verdict], verdicts)


class _Book:
    """Counts and journals verdicts, not each by itself but NOTE_SECONDS' worth at a time."""

    def __init__(self, journal: Journal, progress: Progress) -> None:
        self._journal = journal
        self._progress = progress
        self._count = 0
        self._judgements: list[Judgement] = []
        self._closed_at = time.monotonic()

    def note(self, judgement: Judgement | None) -> None:
        """One more verdict; None for one that came out of the journal."""
        self._count += 1
        if judgement is not None:
            self._judgements.append(judgement)
        if self.is_due():
            self.close()

    def is_due(self) -> bool:
        """Whether it is time to pass on what has been noted."""
        return time.monotonic() - self._closed_at >= NOTE_SECONDS

    def close(self) -> None:
        """Passes on what has been noted."""
        self._journal.record(self._judgements)
        self._progress.advance(self._count)
        self._count, self._judgements, self._closed_at = 0, [], time.monotonic()


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
