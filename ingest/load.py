"""Load files into the warehouse: recognise, land, map, merge, account; one transaction per batch.

A batch (`batching.py`) is in the warehouse whole or not at all, and so is each file of it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ingest.batching import Batch, Batching
from ingest.errors import (
    MathmartError,
    UnreadableFile,
    UsageError,
    WarehouseError,
    blame,
    is_interrupt,
    too_large,
)
from ingest.formats import KINDS, Format, format_named
from ingest.json_sql import MEMBER_MACRO
from ingest.landing import land
from ingest.ledger import Ledger, LoadReport, Options, Reject, now
from ingest.merging import merge
from ingest.merging.datasets import find_datasets
from ingest.sources import OpenArchive, Source, find_sources
from ingest.tabular import QuotesAstray
from ingest.warehouse import open_warehouse

__all__ = ["LoadReport", "Progress", "Reject", "load"]

# DuckDB's share; Python, Arrow blocks and allocator slack need the rest of the 2 GB promised.
MEMORY_LIMIT = "1300MB"
# For a file that does not fit: parsing a line takes some ten times its length.
LARGE_MEMORY_LIMIT = "4GB"
# What a file's content can make DuckDB say; anything else is a slip in a format's SQL or in DuckDB.
_DATA_ERRORS = (
    duckdb.InvalidInputException,
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
    duckdb.IOException,
)
# After one of these DuckDB answers nothing more until the database is opened anew.
_FATAL_ERRORS = (duckdb.InternalException, duckdb.FatalException)


@dataclass(frozen=True)
class Progress:
    """How far a load is; bytes are those of the file being read, decompressed where packed."""

    file: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    stage: str  # reading | merging | done


def load(
    warehouse: str | Path,
    kind: str | None,
    paths: Iterable[str | Path],
    dataset: str | None = None,
    model: str | None = None,
    prompt: str | None = None,
    format: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[LoadReport]:
    """Load files, folders and globs of one kind (problems, outputs, concepts, embeddings).

    Without a kind every file is taken for what it is recognised as.
    Creates the warehouse if it is missing. Returns one report per file, in the order found; a file
    that cannot be loaded has its reason in `error` and does not stop the others. Raises UsageError
    for a path that leads nowhere, WarehouseError for a database that cannot be used.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind}: no such kind of file. There are: {', '.join(KINDS)}.")
    form = format_named(format, kind) if format else None
    options = Options(kind, dataset, model, prompt, form)
    with OpenArchive() as archive:
        sources = find_sources(paths, archive)
        loader = _Loader(Path(warehouse), options, progress)
        try:
            return loader.run(sources)
        finally:
            loader.connection.close()


class _Loader:
    def __init__(
        self, warehouse: Path, options: Options, progress: Callable[[Progress], None] | None
    ) -> None:
        self.warehouse = warehouse
        self.options = options
        self.progress = progress
        self.done = self.total = 0
        self.untold: BaseException | None = None  # what the caller's `progress` raised
        self.connection = self._connect(create=True)
        try:
            self.ledger = Ledger(self.connection, options)
        except BaseException:
            self.connection.close()
            raise

    def _connect(self, create: bool) -> duckdb.DuckDBPyConnection:
        connection = open_warehouse(self.warehouse, create=create)
        try:
            connection.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
            connection.execute("set preserve_insertion_order = false")
            connection.execute("set enable_progress_bar = false")
            connection.execute(MEMBER_MACRO)
        except BaseException:
            connection.close()
            raise
        return connection

    def run(self, sources: list[Source]) -> list[LoadReport]:
        self.total = len(sources)
        reports: dict[str, LoadReport] = {}

        def settle(report: LoadReport) -> None:
            reports[report.file] = report
            self.done += 1

        for batch in Batching(self.options, self.ledger, settle).batches(sources):
            started = time.monotonic()
            for report in self._load_isolated(batch):
                report.seconds = time.monotonic() - started
                reports[report.file] = report
            self.done += len(batch.files)
            size = sum(one.size for one in batch.files)
            self._tell(batch.files[-1].source, size, size, "done")
        return [reports[source.name] for source in sources]

    def _load_isolated(self, batch: Batch, is_retry: bool = False) -> list[LoadReport]:
        """Load a batch; if it fails, its files one by one, so that only the broken one is left out."""
        try:
            return self._load_batch(batch)
        except (duckdb.InterruptException, WarehouseError):
            raise
        except Exception as caught:
            self._pass_on(caught, batch)
            # without its frames, which hold on to the connection
            error = caught.with_traceback(None)
        self._recover(error)
        form, files = batch.form, batch.files
        if len(files) > 1:
            alone = [Batch(form, [one], {one.sha256}) for one in files]
            return [report for one in alone for report in self._load_isolated(one)]
        if isinstance(error, duckdb.OutOfMemoryException) and not is_retry:
            self.connection.execute(f"set memory_limit = '{LARGE_MEMORY_LIMIT}'")
            reports = self._load_isolated(batch, is_retry=True)
            self.connection.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
            return reports
        if isinstance(error, QuotesAstray):
            return self._load_isolated(batch)
        name = files[0].source.name
        cause = files[0].failure
        if not isinstance(cause, MathmartError):
            cause = _explain(name, form, error)
        return [LoadReport(name, form.kind, source_format=form.name, error=cause)]

    def _pass_on(self, error: Exception, batch: Batch) -> None:
        """Raise what is no word on the files, in whose stead DuckDB raises errors of its own."""
        if self.untold is not None:
            raise self.untold
        ended = [one.failure for one in batch.files if isinstance(one.failure, KeyboardInterrupt)]
        if ended or is_interrupt(error):
            raise KeyboardInterrupt from error

    def _recover(self, error: Exception) -> None:
        """Be ready for the next batch: nothing of the failed one stays."""
        if isinstance(error, _FATAL_ERRORS):
            self._reconnect()
            return
        try:
            self.connection.execute("rollback")
        except duckdb.TransactionException:
            pass  # the error came before one began
        except duckdb.Error:
            self._reconnect()

    def _reconnect(self) -> None:
        with contextlib.suppress(duckdb.Error):
            self.connection.close()
        self.connection = self.ledger.connection = self._connect(create=False)

    def _load_batch(self, batch: Batch) -> list[LoadReport]:
        started = now()
        form, files = batch.form, batch.files
        connection, options = self.connection, self.options
        connection.execute("begin")
        connection.execute("create or replace temp table batch (source_format varchar)")
        connection.execute("insert into batch values (?)", [form.name])
        total = sum(one.size for one in files)
        land(
            connection,
            files,
            form,
            options.dataset,
            lambda done: self._tell(files[0].source, done, total, "reading"),
        )
        self._tell(files[0].source, total, total, "merging")
        found = find_datasets(connection, form)
        merge(connection, form, {"model": options.model, "prompt": options.prompt})
        reports = self.ledger.account(form, files, started, found)
        connection.execute("commit")
        self.ledger.keep(files)
        return reports

    def _tell(self, source: Source, done: int, total: int, stage: str) -> None:
        if self.progress is None:
            return
        try:
            self.progress(Progress(source.name, self.done, self.total, done, total, stage))
        except BaseException as error:
            self.untold = error
            raise


def _explain(name: str, form: Format, error: Exception) -> MathmartError:
    task = f"reading this file as {form.name}"
    if isinstance(error, duckdb.OutOfMemoryException):
        return too_large(name, task)
    if not isinstance(error, _DATA_ERRORS):
        return blame(name, task, error)
    first_line = str(error).strip().splitlines()[0]
    return UnreadableFile(
        f"{name}: cannot be read as {form.name} ({first_line}). Nothing of it was loaded. "
        "Choose another format with --format, or mend the file."
    )
