"""What the command line's solve, concepts, embed and judge do, as plain functions.

Each opens the warehouse only to plan and to commit, reports its progress through a callback, and
returns an `Outcome`. Errors are MathmartErrors; a run that some requests failed in is no error.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import uvloop

from ingest.errors import UsageError
from ingest.models import batch, concepts, embed, judge_model, solve
from ingest.models.budget import Budget
from ingest.models.credentials import base_url, describe_url
from ingest.models.embed import DEFAULT_EMBEDDER, OFFLINE
from ingest.models.endpoint import Endpoint
from ingest.models.estimate import Estimate
from ingest.models.examples import find_examples
from ingest.models.glossary import bundled
from ingest.models.journal import COMMIT_SECONDS, Journal, Load
from ingest.models.limits import DEFAULT_LIMITS, Limits
from ingest.models.prompt import read_prompt
from ingest.models.runner import (
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
GLOSSARY = "glossary"
VERDICT_TOKENS = 5  # of a judge that keeps to one word, for the estimate


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
    limits: Limits = DEFAULT_LIMITS,
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


def run_concepts(
    warehouse: Path,
    *,
    extractor: str = GLOSSARY,
    dataset: str | None = None,
    run_id: str | None = None,
    prompt: str = "concepts",
    max_tokens: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    dry_run: bool = False,
    on_progress: OnProgress = lambda _: None,
) -> Outcome:
    """Extract the concepts of human and generated solutions that lack them.

    `extractor` is `glossary` (offline, bundled) or the name of a model.
    """
    is_offline = extractor == GLOSSARY
    text = None if is_offline else read_prompt(prompt)
    url = "glossary" if text is None else describe_url(base_url())
    name = bundled().extractor_id if text is None else concepts.extractor_id(extractor, text)
    header = f"concepts by {name}"
    key = _key("concepts", url, name)
    load = Load(
        "concepts",
        name if is_offline else f"{url}#{extractor}",
        _sha256(key),
        dataset,
        extractor,
        text.name if text else None,
        source_format="glossary" if is_offline else "endpoint",
    )

    def plan() -> list[concepts.Solution]:
        with open_warehouse(warehouse, read_only=True) as connection:
            return concepts.plan(connection, name, dataset, run_id)

    def estimate(missing: Sequence[concepts.Solution]) -> Estimate:
        return Estimate.of_requests(
            (concepts.request_text(text, solution), max_tokens) if text else ("", 0)
            for solution in missing
        )

    price = None if is_offline else limits.price_of(extractor)
    if dry_run:
        missing = plan()
        if is_offline:
            return Outcome((header, f"{len(missing)} solutions, offline: no request, no cost"))
        return Outcome((header, *estimate(missing).lines(price)))
    with Journal(warehouse, key, load) as journal:
        missing = plan()
        total = sum(len(solution.response_ids) for solution in missing)
        if not missing:
            return Outcome((header, "every solution's concepts are already there"))
        journal.begin()
        if text is None:
            work = (
                ("concepts", rows)
                for solution in missing
                for rows in concepts.concept_rows(solution, name, bundled().find(solution.text), {})
            )
            return _offline(header, "solutions", work, journal, total, on_progress)
        budget = limits.budget(price, estimate(missing).dearest(price))
        limit = {} if max_tokens is None else {_max_tokens_field(url): max_tokens}
        summary = _ask(
            missing,
            lambda endpoint: concepts.asker(extractor, text, endpoint, budget, limit),
            journal,
            budget,
            total,
            limits,
            on_progress,
        )
    return _outcome(header, "solutions", summary)


def run_embed(
    warehouse: Path,
    *,
    embedder: str = DEFAULT_EMBEDDER,
    extractor: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    dry_run: bool = False,
    on_progress: OnProgress = lambda _: None,
) -> Outcome:
    """Embed the concepts that have no vector of this embedder yet.

    `embedder` is `wordllama` or `use` (offline), or the name of an endpoint's model. `extractor`
    narrows it to the concepts of extractors whose id starts so.
    """
    offline = OFFLINE.get(embedder)
    name = embedder if offline is None else offline.embedder_id
    url = describe_url(base_url()) if offline is None else "offline"
    header = f"embeddings by {name}"
    key = _key("embed", url, name)
    source = f"{url}#{embedder}" if offline is None else name
    kind = "endpoint" if offline is None else "offline"
    load = Load("embeddings", source, _sha256(key), None, embedder, None, source_format=kind)

    def plan() -> list[str]:
        with open_warehouse(warehouse, read_only=True) as connection:
            return embed.plan(connection, name, extractor)

    price = None if offline is not None else limits.price_of(embedder)
    if dry_run:
        texts = plan()
        if offline is not None:
            return Outcome((header, f"{len(texts)} texts, offline: no request, no cost"))
        parts = embed.batches(texts)
        estimate = Estimate.of_requests(("\n".join(part), 0) for part in parts)
        return Outcome((header, f"{len(texts)} texts", *estimate.lines(price)))
    with Journal(warehouse, key, load) as journal:
        texts = plan()
        if not texts:
            return Outcome((header, "every concept is already embedded"))
        journal.begin()
        if offline is not None:
            work = (
                ("embeddings", [row])
                for part, vectors in offline.vectors(texts)
                for row in embed.offline_rows(name, part, vectors)
            )
            return _offline(header, "texts", work, journal, len(texts), on_progress)
        parts = embed.batches(texts)
        estimate = Estimate.of_requests(("\n".join(part), 0) for part in parts)
        budget = limits.budget(price, estimate.dearest(price))
        summary = _ask(
            parts,
            lambda endpoint: embed.asker(embedder, source, load.source_sha256, endpoint, budget),
            journal,
            budget,
            len(texts),
            limits,
            on_progress,
        )
    return _outcome(header, "texts", summary)


def run_judge(
    warehouse: Path,
    *,
    model: str,
    dataset: str | None = None,
    run_id: str | None = None,
    prompt: str = "judge",
    max_tokens: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    dry_run: bool = False,
    on_progress: OnProgress = lambda _: None,
) -> Outcome:
    """Ask `model` whether responses reach the gold solution's answer, where it has not said yet."""
    text = read_prompt(prompt)
    url = describe_url(base_url())
    header = f"verdicts by {model}, {text.label}"
    key = _key("judge", url, model, text.label)
    load = Load("verdicts", f"{url}#{model}", _sha256(key), dataset, model, text.name)

    def plan() -> list[judge_model.Case]:
        with open_warehouse(warehouse, read_only=True) as connection:
            return judge_model.plan(connection, model, text.label, dataset, run_id)

    def estimate(missing: Sequence[judge_model.Case]) -> Estimate:
        return Estimate.of_requests(
            (judge_model.request_text(text, case), max_tokens or VERDICT_TOKENS) for case in missing
        )

    price = limits.price_of(model)
    if dry_run:
        return Outcome((header, *estimate(plan()).lines(price)))
    with Journal(warehouse, key, load) as journal:
        missing = plan()
        if not missing:
            return Outcome((header, "every verdict is already there"))
        journal.begin()
        budget = limits.budget(price, estimate(missing).dearest(price))
        limit = {} if max_tokens is None else {_max_tokens_field(url): max_tokens}
        summary = _ask(
            missing,
            lambda endpoint: judge_model.asker(model, text, endpoint, budget, limit),
            journal,
            budget,
            sum(len(case.response_ids) for case in missing),
            limits,
            on_progress,
        )
    return _outcome(header, "verdicts", summary)


def _offline(
    header: str,
    what: str,
    work: Iterable[tuple[str, list[dict[str, Any]]]],
    journal: Journal,
    total: int,
    on_progress: OnProgress,
) -> Outcome:
    """Work that needs no endpoint goes through the same journal, so that a kill costs as little."""
    progress = Progress(total)
    started = committed = time.monotonic()
    for table, rows in work:
        journal.append(table, rows)
        progress.done += 1
        if time.monotonic() - committed >= COMMIT_SECONDS:
            journal.commit()
            committed = time.monotonic()
            progress.seconds = committed - started
            progress.is_waiting = journal.is_waiting
            on_progress(progress)
    seconds = time.monotonic() - started
    return Outcome((header, f"{progress.done} {what} in {seconds:.1f} s"), progress.done)


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
            concurrency=limits.concurrency,
            timeout=limits.timeout,
            attempts=limits.attempts,
            budget=budget,
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
        # uvloop takes a fifth off the processor time of a request.
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:
            return loop.run(ask())
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


def _key(*parts: str | None) -> str:
    """Names a journal: the command, and a digest of all that tells its questions apart."""
    return f"{parts[0]}-{_sha256(json.dumps(parts))[:16]}"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
