"""Asks many questions at once, no more than allowed, and says how far it is."""

from __future__ import annotations

import asyncio
import gc
import math
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from ingest.errors import MathmartError
from ingest.models.budget import Budget, BudgetSpent
from ingest.models.endpoint import EndpointUnusable
from ingest.models.journal import COMMIT_SECONDS, Journal
from ingest.models.limits import DEFAULT_CONCURRENCY

PROGRESS_SECONDS = 0.5
# For every two questions in flight one more waits, put together and ready to be sent.
READY_SHARE = 0.5
# So many questions in a row without one answer: the server is gone, or refuses them all.
MAX_FAILURES_IN_A_ROW = 50

Item = TypeVar("Item")


class Unanswered(MathmartError):
    """The endpoint answered none of many questions."""


@dataclass
class Progress:
    """How far a run is. Rates and times are of this invocation alone."""

    total: int  # rows that this invocation is to write
    done: int = 0
    failed: int = 0
    requests: int = 0
    cost: float | None = None  # US dollars; None where the price is unknown
    seconds: float = 0.0
    is_waiting: bool = False  # another program holds the warehouse

    @property
    def rate(self) -> float:
        """Rows per second so far."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Time left at the rate so far; None before the first answer."""
        return (self.total - self.done) / self.rate if self.done else None

    def line(self) -> str:
        """One line for people: counts, rate, cost so far, time left."""
        parts = [f"{self.done} of {self.total}", f"{self.rate:.1f}/s"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.cost is not None:
            parts.append(f"${self.cost:.4f}")
        if self.seconds_left is not None:
            parts.append(f"{_clock(self.seconds_left)} left")
        if self.is_waiting:
            parts.append("another program holds the warehouse; answers wait in the journal")
        return ", ".join(parts)


@dataclass(frozen=True)
class Summary:
    """How a run ended."""

    progress: Progress
    stopped_by: str | None  # the budget's words where it stopped the run


class Recorder:
    """What a question's handler reports to: rows go to the journal, counts to the progress."""

    def __init__(self, journal: Journal, progress: Progress, budget: Budget) -> None:
        self._journal = journal
        self._progress = progress
        self._budget = budget
        self._failures_in_a_row = 0

    @property
    def load_row_no(self) -> int:
        """Number of the next answer of this load, from 1."""
        return self._progress.done + 1

    def record(
        self, table: str, rows: list[dict[str, Any]], *, failure: str | None = None, n: int = 1
    ) -> None:
        """Keep one finished answer (or its failure's reason) that stands for `n` rows of work."""
        self._journal.append(table, rows)
        self._progress.done += n
        if failure is None:
            self._failures_in_a_row = 0
            return
        self._progress.failed += n
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise Unanswered(
                f"{self._failures_in_a_row} questions in a row had no answer; the last: {failure}. "
                "Check the endpoint; the next run asks them again."
            )

    def refresh(self, seconds: float) -> Progress:
        """The progress, brought up to date."""
        progress = self._progress
        progress.seconds = seconds
        progress.requests = self._budget.requests
        progress.cost = None if self._budget.price is None else self._budget.spent
        progress.is_waiting = self._journal.is_waiting
        return progress


async def ask_all(
    items: Iterable[Item],
    handle: Callable[[Item, Recorder], Awaitable[None]],
    *,
    journal: Journal,
    budget: Budget,
    total: int,
    concurrency: int = DEFAULT_CONCURRENCY,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Summary:
    """Handle every item, `concurrency` of them in flight; commit what is finished every second.

    Returns when all are done or the budget stops the run. Raises EndpointUnusable and Unanswered,
    and on a signal CancelledError; what was finished by then is in the journal in every case.
    """
    progress = Progress(total=total)
    recorder = Recorder(journal, progress, budget)
    queue = iter(items)
    gc.freeze()  # the plan lives as long as the run: looking through it again and again is waste
    stopped_by: list[str] = []
    started = time.monotonic()

    async def work() -> None:
        for item in queue:
            if stopped_by:
                return
            try:
                await handle(item, recorder)
            except BudgetSpent as spent:
                stopped_by.append(str(spent))

    async def commit() -> None:
        while True:
            await asyncio.sleep(COMMIT_SECONDS)
            await asyncio.to_thread(journal.commit)

    async def tell() -> None:
        while True:
            await asyncio.sleep(PROGRESS_SECONDS)
            on_progress(recorder.refresh(time.monotonic() - started))

    n_workers = math.ceil(max(1, concurrency) * (1 + READY_SHARE))
    workers = [asyncio.create_task(work()) for _ in range(n_workers)]
    chores = [asyncio.create_task(commit()), asyncio.create_task(tell())]
    try:
        with _stop_on_sigterm():
            await _until_done(workers, chores)
    finally:
        for task in workers + chores:
            task.cancel()
        await asyncio.gather(*workers, *chores, return_exceptions=True)
        gc.unfreeze()
        on_progress(recorder.refresh(time.monotonic() - started))
    return Summary(progress, stopped_by[0] if stopped_by else None)


async def _until_done(workers: list[asyncio.Task[None]], chores: list[asyncio.Task[None]]) -> None:
    """Wait for all workers; raise at once what any task raised."""
    waiting = set(workers)
    while waiting:
        done, _ = await asyncio.wait(waiting | set(chores), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        waiting -= done


@contextmanager
def _stop_on_sigterm() -> Iterator[None]:
    """Let a polite kill end the run as Ctrl-C does: stop asking, commit, go."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    try:
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    except (NotImplementedError, RuntimeError, ValueError):
        yield  # not the main thread
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


__all__ = ["EndpointUnusable", "Progress", "Recorder", "Summary", "Unanswered", "ask_all"]
