"""What the command line's solve, concepts, embed and judge do, as plain functions.

Each opens the warehouse only to plan and to commit, reports its progress through a callback, and
returns an `Outcome`. Errors are MathmartErrors; a run that some requests failed in is no error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from ingest.errors import UsageError
from ingest.models import batch, solve
from ingest.models.budget import Budget
from ingest.models.credentials import base_url, describe_url
from ingest.models.endpoint import DEFAULT_ATTEMPTS, DEFAULT_TIMEOUT_SECONDS, Endpoint
from ingest.models.examples import find_examples
from ingest.models.journal import Journal, Load
from ingest.models.prices import PRICE_TABLE, Price, PriceTable
from ingest.models.prompt import read_prompt
from ingest.models.runner import (
    DEFAULT_CONCURRENCY,
    Progress,
    Recorder,
    Summary,
    ask_all,
)
from ingest.models.solve import Run, Settings
from ingest.warehouse import open_warehouse

Item = TypeVar("Item")
OnProgress = Callable[[Progress], None]
OPENAI_HOST = "api.openai.com"


@dataclass(frozen=True)
class Limits:
    """How fast, how long and how much a command may ask."""

    concurrency: int = DEFAULT_CONCURRENCY
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    attempts: int = DEFAULT_ATTEMPTS
    max_cost: float | None = None
    max_requests: int | None = None
    prices: Path = PRICE_TABLE

    def price_of(self, model: str) -> Price | None:
        """Today's price. Raises UsageError where --max-cost is given and there is none."""
        try:
            price = PriceTable.read(self.prices).find(model, date.today())
        except (OSError, ValueError) as error:
            raise UsageError(f"price table: {error}") from error
        if price is None and self.max_cost is not None:
            raise UsageError(
                f"--max-cost: no price is known for model {model!r}. Add a row for it to "
                f"{self.prices}, or use --max-requests."
            )
        return price

    def budget(self, price: Price | None, first_guess: float = 0.0) -> Budget:
        """A fresh budget within these limits."""
        return Budget(
            price=price,
            max_requests=self.max_requests,
            max_cost=self.max_cost,
            first_guess=first_guess,
        )


@dataclass(frozen=True)
class Outcome:
    """What a command did, or with a dry run or a batch file, would have asked."""

    lines: tuple[str, ...]
    done: int = 0
    failed: int = 0
    stopped_by: str | None = None


def run_solve(
    warehouse: Path,
    *,
    dataset: str,
    model: str,
    prompt: str = "zeroshot",
    rollouts: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    examples_from: str | None = None,
    limits: Limits = Limits(),
    dry_run: bool = False,
    batch_file: Path | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Outcome:
    """Pose what is missing of `rollouts` rollouts of every problem of `dataset` to `model`.

    With `dry_run` nothing is sent or written. With `batch_file` the requests are written there for
    the OpenAI Batch API instead of being sent.
    """
    if rollouts < 1:
        raise UsageError(f"-n {rollouts}: there must be at least one rollout.")
    if examples_from is not None and not read_prompt(prompt).uses("example_question"):
        raise UsageError(f"--examples-from: the prompt {prompt!r} takes no example.")
    text = read_prompt(prompt)
    url = describe_url(base_url())
    settings = Settings(temperature, max_tokens, top_p, seed, _max_tokens_field(url))
    price = limits.price_of(model)
    with open_warehouse(warehouse, read_only=True) as connection:
        examples = None
        if text.uses("example_question"):
            examples = find_examples(connection, dataset, examples_from)
        run = Run(
            dataset,
            model,
            text,
            settings,
            url,
            examples_from=examples.origin if examples else None,
            examples_hash=examples.hash if examples else None,
        )
        missing = solve.plan(connection, run, rollouts)
    header = f"run {run.run_id}: {dataset}, {model}, {text.label}"
    if dry_run:
        estimate = solve.estimate(run, missing, examples)
        return Outcome((header, *estimate.lines(price)))
    load = Load("outputs", run.source, run.key_sha256, dataset, model, text.name)
    with Journal(warehouse, run.run_id, load) as journal:
        with open_warehouse(warehouse, read_only=True) as connection:
            missing = solve.plan(connection, run, rollouts)
        if not missing:
            return Outcome((header, "every answer is already there"))
        journal.begin([run.row()])
        if batch_file is not None:
            # The run is registered, so that the results need nothing but their ids.
            written = batch.write(batch_file, run, missing, examples)
            return Outcome((header, *written.lines(batch_file)))
        budget = limits.budget(price, solve.estimate(run, missing, examples).dearest(price))
        summary = _ask(
            missing,
            lambda endpoint: solve.asker(run, endpoint, budget, examples),
            journal,
            budget,
            sum(len(conversation.missing) for conversation in missing),
            limits,
            on_progress,
        )
    return _outcome(header, "answers", summary)


def _ask(
    items: Sequence[Item],
    asker: Callable[[Endpoint], Callable[[Item, Recorder], Awaitable[None]]],
    journal: Journal,
    budget: Budget,
    total: int,
    limits: Limits,
    on_progress: OnProgress,
) -> Summary:
    """Run an asynchronous job to its end; a signal ends it as KeyboardInterrupt."""

    async def ask() -> Summary:
        async with Endpoint(
            timeout=limits.timeout, attempts=limits.attempts, budget=budget
        ) as endpoint:
            return await ask_all(
                items,
                asker(endpoint),
                journal=journal,
                budget=budget,
                total=total,
                concurrency=limits.concurrency,
                on_progress=on_progress,
            )

    try:
        return asyncio.run(ask())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _outcome(header: str, what: str, summary: Summary) -> Outcome:
    progress = summary.progress
    line = f"{progress.done - progress.failed} {what}, {progress.failed} without a reply"
    if progress.cost is not None:
        line += f", ${progress.cost:.4f}"
    lines = [header, f"{line}; {progress.requests} requests in {progress.seconds:.1f} s"]
    if summary.stopped_by:
        lines.append(f"stopped: {summary.stopped_by}; the same command goes on from here")
    elif progress.failed:
        lines.append("the same command asks again for what had no reply")
    return Outcome(tuple(lines), progress.done, progress.failed, summary.stopped_by)


def _max_tokens_field(url: str) -> str:
    """OpenAI's newer models refuse `max_tokens`; many other servers know no other name."""
    return "max_completion_tokens" if urlsplit(url).hostname == OPENAI_HOST else "max_tokens"
