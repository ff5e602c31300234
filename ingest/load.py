"""Load files into the warehouse: recognise, land, map, merge, account; one transaction per batch.

A big file is a batch of its own; small files of one format share one, wherever they lie, so that ten
thousand of them do not cost ten thousand commits. A batch is in the warehouse whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ingest import __version__
from ingest.errors import FileError, MathmartError, UnreadableFile, UsageError
from ingest.examining import File, examine
from ingest.formats import KINDS, Format, all_formats, format_named, recognise
from ingest.json_sql import MEMBER_MACRO
from ingest.landing import LINE_BITS, land, raw_texts
from ingest.merging import merge
from ingest.merging.datasets import find_datasets, notes_on_golds, notes_on_replies
from ingest.sources import Source, find_sources
from ingest.tabular import QuotesAstray
from ingest.warehouse import open_warehouse

# DuckDB's share; Python, Arrow blocks and allocator slack need the rest of the 2 GB promised.
MEMORY_LIMIT = "1300MB"
# For a file that does not fit: parsing a line takes some ten times its length.
LARGE_MEMORY_LIMIT = "4GB"
# Files smaller than this share transactions; those that wait for one have at most as many bytes in all.
BATCH_BYTES = 16 << 20
BATCH_FILES = 2000
# Files that lie beside results and hold no records; given alone, such a file is an error.
DOCUMENTS = frozenset(
    ".md .rst .html .htm .pdf .png .jpg .svg .webp .py .ipynb .sh .log .yaml .yml .toml .cfg .ini "
    ".done .lock .duckdb .wal .bib .tex".split()
)
# Files that come later keep what was seen of them if it is no longer than this, in characters.
SMALL_HEAD = 20_000
# How many rejects a report carries; all of them are in raw.rejects.
REPORTED_REJECTS = 5
# What a file's content can make DuckDB say; anything else (a slip in a format's SQL) is not hidden.
_DATA_ERRORS = (
    duckdb.InvalidInputException,
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
    duckdb.OutOfMemoryException,
    duckdb.IOException,
)


@dataclass
class Reject:
    line: int
    reason: str


@dataclass
class LoadReport:
    """What became of one file. rows_read = rows_loaded + rows_already_there + rows_rejected."""

    file: str
    kind: str | None  # None: the file was not recognised
    load_id: str | None = None
    source_format: str | None = None
    dataset_id: str | None = None
    rows_read: int = 0
    rows_loaded: int = 0
    rows_already_there: int = 0
    rows_rejected: int = 0
    rejects: list[Reject] = field(default_factory=list)  # the first few
    seconds: float = 0.0
    note: str | None = None  # what the reader should know of the file
    error: MathmartError | None = None  # the file was not loaded at all, for this reason


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
    sources = find_sources(paths)
    connection = open_warehouse(warehouse, create=True)
    try:
        connection.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
        connection.execute("set preserve_insertion_order = false")
        connection.execute("set enable_progress_bar = false")
        connection.execute(MEMBER_MACRO)
        return _Loader(connection, kind, dataset, model, prompt, form, progress).run(sources)
    finally:
        connection.close()


@dataclass
class _Batch:
    """Files of one format that share a transaction."""

    form: Format
    files: list[File] = field(default_factory=list)
    contents: set[str] = field(default_factory=set)
    size: int = 0

    def add(self, one: File, size: int) -> None:
        self.files.append(one)
        self.contents.add(one.sha256)
        self.size += size

    def taken(self) -> tuple[Format, list[File]]:
        return self.form, self.files


class _Loader:
    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        kind: str | None,
        dataset: str | None,
        model: str | None,
        prompt: str | None,
        form: Format | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.connection = connection
        self.kind = kind
        self.dataset = dataset
        self.model = model
        self.prompt = prompt
        self.form = form
        self.progress = progress
        self.version = __version__
        self.done = self.total = 0
        # contents that raw.loads knows, so that ten thousand new files do not ask it one by one
        known = connection.execute("select distinct file_sha256 from raw.loads").fetchall()
        self.known_contents = {row[0] for row in known}
        self.journal: list[dict[str, Any]] = []  # rows of raw.loads not yet written
        self.examined: dict[str, tuple[File | None, Format | None]] = {}  # of files that come later
        self.found: dict[int, str] = {}  # dataset by file number, of the batch being loaded

    def run(self, sources: list[Source]) -> list[LoadReport]:
        self.total = len(sources)
        reports: dict[str, LoadReport] = {}
        for form, files in self._batches(sources, reports):
            started = time.monotonic()
            for report in self._load_isolated(form, files):
                report.seconds = time.monotonic() - started
                reports[report.file] = report
            self.done += len(files)
        return [reports[source.name] for source in sources]

    def _batches(
        self, sources: list[Source], reports: dict[str, LoadReport]
    ) -> Iterator[tuple[Format, list[File]]]:
        """Files grouped for loading; those that fail or are already there get their report here.

        Files that look for their problems come last, behind those that may bring them.
        """
        later: list[Source] | None = [] if len(sources) > 1 and self.dataset is None else None
        yield from self._grouped(sources, reports, later)
        yield from self._grouped(later or [], reports, None)

    def _grouped(
        self, sources: list[Source], reports: dict[str, LoadReport], later: list[Source] | None
    ) -> Iterator[tuple[Format, list[File]]]:
        """One batch per format is held, so that a folder of many formats has few of them."""
        held: dict[str, _Batch] = {}
        for source in sources:
            try:
                sha256, file_bytes = source.fingerprint()
                for batch in [one for one in held.values() if sha256 in one.contents]:
                    yield held.pop(batch.form.name).taken()
                if known := self._known(source, sha256):
                    reports[source.name] = known
                    self.done += 1
                    continue
                one, form = self.examined.pop(source.name, (None, None))
                if one is None or form is None:
                    one = examine(source, sha256, file_bytes)
                    form = self.form or recognise(one.sample, self.kind)
                if later is not None and form.finds_dataset:
                    later.append(source)
                    if len(one.head) < SMALL_HEAD:
                        self.examined[source.name] = (one, form)
                    continue
                one.about = _about(form, source)
            except FileError as error:
                report = LoadReport(source.name, self.kind, error=error)
                if self.total > 1 and source.inner_path.suffix.lower() in DOCUMENTS:
                    report.error, report.note = None, "left out: not a file of records"
                reports[source.name] = report
                self.done += 1
                continue
            one.load_id = uuid.uuid4().hex[:16]
            settled = self._settled_dataset(sha256, form)
            one.is_settled = settled is not None
            one.default_dataset = str(
                settled or one.about.get("dataset_id") or form.dataset_id or one.source.stem
            )
            size = one.unpacked_bytes()
            while held and size + sum(batch.size for batch in held.values()) > BATCH_BYTES:
                largest = max(held.values(), key=lambda batch: batch.size)
                yield held.pop(largest.form.name).taken()
            batch = held.setdefault(form.name, _Batch(form))
            batch.add(one, size)
            if len(batch.files) == BATCH_FILES:
                yield held.pop(form.name).taken()
        for batch in held.values():
            yield batch.taken()

    def _settled_dataset(self, sha256: str, form: Format) -> str | None:
        """The dataset that a file of a format that finds its dataset was loaded under before."""
        if not form.finds_dataset or sha256 not in self.known_contents:
            return None
        row = self.connection.execute(
            """
            select dataset_id from raw.loads
            where file_sha256 = ? and source_format = ? and dataset_id is not null
            order by started_at limit 1
            """,
            [sha256, form.name],
        ).fetchone()
        return None if row is None else str(row[0])

    def _known(self, source: Source, sha256: str) -> LoadReport | None:
        """The report for a file whose content was loaded before, with options that agree."""
        if sha256 not in self.known_contents:
            return None
        rows = self.connection.execute(
            """
            select source_format, dataset_id, rows_read, rows_rejected, kind, metadata ->> 'role'
            from raw.loads
            where file_sha256 = ? and tool_version = ?
                and (? is null or kind = ?)
                and (? is null or dataset_id = ?)
                and (? is null or model = ?)
                and (? is null or prompt = ?)
                and (? is null or source_format = ?)
            order by started_at
            """,
            [sha256, self.version]
            + [
                value
                for value in (self.kind, self.dataset, self.model, self.prompt)
                for _ in range(2)
            ]
            + [self.form.name if self.form else None] * 2,
        ).fetchall()
        row = next((row for row in rows if row[5] == _role(row[0], source)), None)
        if row is None:
            return None
        report = LoadReport(source.name, row[4], uuid.uuid4().hex[:16], row[0], row[1])
        report.rows_read, report.rows_rejected = row[2], row[3]
        report.rows_already_there = row[2] - row[3]
        report.rejects = self._rejects(sha256)
        now = _now()
        self._record(report, source, sha256, now, metadata=_metadata(row[5]))
        self._write_journal()
        return report

    def _load_isolated(
        self, form: Format, files: list[File], is_retry: bool = False
    ) -> list[LoadReport]:
        """Load a batch; if it fails, its files one by one, so that only the broken one is left out."""
        try:
            return self._load_batch(form, files)
        except (FileError, *_DATA_ERRORS) as error:
            self._roll_back()
            if len(files) > 1:
                return [report for one in files for report in self._load_isolated(form, [one])]
            if isinstance(error, duckdb.OutOfMemoryException) and not is_retry:
                self.connection.execute(f"set memory_limit = '{LARGE_MEMORY_LIMIT}'")
                reports = self._load_isolated(form, files, is_retry=True)
                self.connection.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
                return reports
            if isinstance(error, QuotesAstray):
                return self._load_isolated(form, files)
            name = files[0].source.name
            cause = files[0].failure
            if cause is None:
                cause = error if isinstance(error, FileError) else _explain(name, form, error)
            return [LoadReport(name, form.kind, source_format=form.name, error=cause)]

    def _roll_back(self) -> None:
        # without a transaction, the error came before it began
        with contextlib.suppress(duckdb.TransactionException):
            self.connection.execute("rollback")

    def _load_batch(self, form: Format, files: list[File]) -> list[LoadReport]:
        started = _now()
        connection = self.connection
        connection.execute("begin")
        connection.execute("create or replace temp table batch (source_format varchar)")
        connection.execute("insert into batch values (?)", [form.name])
        total = sum(one.size for one in files)
        land(
            connection,
            files,
            form,
            self.dataset,
            lambda done: self._tell(files[0].source, done, total, "reading"),
        )
        self._tell(files[0].source, total, total, "merging")
        self.found = find_datasets(connection, form)
        merge(connection, form, {"model": self.model, "prompt": self.prompt})
        self._keep_rejects(form, files)
        reports = self._account(form, files, started)
        connection.execute("commit")
        self._tell(files[-1].source, total, total, "done")
        return reports

    def _keep_rejects(self, form: Format, files: list[File]) -> None:
        """Put the batch's rejected records into raw.rejects, each with its raw text."""
        if not self.connection.execute(
            "from outcomes where status = 'rejected' limit 1"
        ).fetchall():
            return
        missing = self.connection.execute(f"""
            select outcomes.record_id >> {LINE_BITS}, outcomes.record_id & {(1 << LINE_BITS) - 1}
            from outcomes inner join landed using (record_id)
            where status = 'rejected' and raw_text is null
        """).fetchall()
        wanted: dict[int, set[int]] = {}
        for number, line in missing:
            wanted.setdefault(number, set()).add(line)
        self.connection.execute(
            "create or replace temp table again (file_no bigint, line bigint, text varchar)"
        )
        for number, line, text in raw_texts(files, form, wanted):
            self.connection.execute("insert into again values (?, ?, ?)", [number, line, text])
        self.connection.execute(f"""
            insert into raw.rejects by name
            select
                files.load_id,
                files.file,
                files.sha256 as file_sha256,
                landed.record_id & {(1 << LINE_BITS) - 1} as line,
                outcomes.reason,
                coalesce(landed.raw_text, again.text, landed.extra::varchar, landed.r::varchar)
                    as raw_text,
            from outcomes
            inner join landed using (record_id)
            inner join files on files.file_no = landed.record_id >> {LINE_BITS}
            left join again on again.file_no = files.file_no
                and again.line = landed.record_id & {(1 << LINE_BITS) - 1}
            where outcomes.status = 'rejected'
                and not exists (
                    from raw.rejects as known
                    where known.file_sha256 = files.sha256
                        and known.line = landed.record_id & {(1 << LINE_BITS) - 1}
                        and known.reason = outcomes.reason
                )
        """)

    def _account(self, form: Format, files: list[File], started: datetime) -> list[LoadReport]:
        """One raw.loads row and one report per file of the batch."""
        counts: dict[int, dict[str, int]] = {}
        for number, status, count in self.connection.execute(f"""
            select record_id >> {LINE_BITS}, status, count(*) from outcomes group by all
        """).fetchall():
            counts.setdefault(number, {})[status] = count
        said = self._what_files_said(form)
        notes = self._notes(form)
        reports = []
        for number, one in enumerate(files):
            found = counts.get(number, {})
            dataset, model, prompt = said.get(number, (None, None, None))
            report = LoadReport(
                one.source.name,
                form.kind,
                one.load_id,
                form.name,
                dataset or self.dataset or one.default_dataset,
                sum(found.values()),
                found.get("loaded", 0),
                found.get("already_there", 0),
                found.get("rejected", 0),
            )
            if report.rows_rejected:
                report.rejects = self._rejects(one.sha256)
            report.note = notes.get(number)
            metadata = _metadata(one.about.get("role"))
            self._record(report, one.source, one.sha256, started, model, prompt, metadata)
            reports.append(report)
        self._write_journal()
        return reports

    def _what_files_said(
        self, form: Format
    ) -> dict[int, tuple[str | None, str | None, str | None]]:
        """Dataset, model and prompt of each file, where all its rows agree on one."""
        keys = "response_keys" if form.responses else "problem_keys" if form.problems else None
        if keys is None:
            return {}
        one = "case when count(distinct {0}) = 1 then min({0}) end"
        runs = f"{one.format('model')}, {one.format('prompt')}" if form.responses else "null, null"
        return {
            row[0]: (row[1], row[2], row[3])
            for row in self.connection.execute(f"""
                select record_id >> {LINE_BITS}, {one.format("dataset_id")}, {runs}
                from {keys} group by 1
            """).fetchall()
        }

    def _notes(self, form: Format) -> dict[int, str]:
        """What the reader should know of a file: figures without replies, no model, no golds."""
        notes: dict[int, str] = {}
        if form.metrics and not form.responses:
            counted = self.connection.execute(f"""
                select record_id >> {LINE_BITS}, count(*) from metric_keys group by 1
            """).fetchall()
            for number, count in counted:
                notes[number] = f"{count} summary figures (raw.reported_metrics), no replies"
        said: dict[int, list[str]] = {}
        if form.responses:
            for number, dataset in self.found.items():
                said.setdefault(number, []).append(
                    f"all its problem ids are those of dataset {dataset}, and of no other one loaded"
                )
            for (number,) in self.connection.execute(f"""
                select record_id >> {LINE_BITS} from response_keys group by 1 having count(model) = 0
            """).fetchall():
                said.setdefault(number, []).append(
                    "names no model: load it again with --model NAME"
                )
            for number, note in notes_on_golds(self.connection).items():
                said.setdefault(number, []).append(note)
        elif form.problems:
            for number, note in notes_on_replies(self.connection).items():
                said.setdefault(number, []).append(note)
        notes.update((number, "; ".join(parts)) for number, parts in said.items())
        return notes

    def _rejects(self, sha256: str) -> list[Reject]:
        rows = self.connection.execute(
            "select line, reason from raw.rejects where file_sha256 = ? order by line limit ?",
            [sha256, REPORTED_REJECTS],
        ).fetchall()
        return [Reject(*row) for row in rows]

    def _record(
        self,
        report: LoadReport,
        source: Source,
        sha256: str,
        started: datetime,
        model: str | None = None,
        prompt: str | None = None,
        metadata: str | None = None,
    ) -> None:
        self.known_contents.add(sha256)
        self.journal.append(
            {
                "load_id": report.load_id,
                "kind": report.kind,
                "source_format": report.source_format,
                "file": source.name,
                "file_sha256": sha256,
                "file_bytes": source.size(),
                "dataset_id": report.dataset_id,
                "model": model or self.model,
                "prompt": prompt or self.prompt,
                "rows_read": report.rows_read,
                "rows_loaded": report.rows_loaded,
                "rows_already_there": report.rows_already_there,
                "rows_rejected": report.rows_rejected,
                "started_at": started.isoformat(),
                "finished_at": _now().isoformat(),
                "tool_version": self.version,
                "metadata": metadata,
            }
        )

    def _write_journal(self) -> None:
        """Put the rows that `_record` noted into raw.loads, in one statement."""
        rows = pa.Table.from_pylist(self.journal)
        self.journal = []
        self.connection.register("journal_rows", rows)
        self.connection.execute("""
            insert into raw.loads by name
            select
                * replace (
                    started_at::timestamp as started_at,
                    finished_at::timestamp as finished_at,
                    metadata::varchar::json as metadata
                )
            from journal_rows
        """)
        self.connection.unregister("journal_rows")

    def _tell(self, source: Source, done: int, total: int, stage: str) -> None:
        if self.progress:
            self.progress(Progress(source.name, self.done, self.total, done, total, stage))


def _explain(name: str, form: Format, error: Exception) -> UnreadableFile:
    first_line = str(error).strip().splitlines()[0]
    return UnreadableFile(
        f"{name}: cannot be read as {form.name} ({first_line}). Nothing of it was loaded. "
        "Choose another format with --format, or mend the file."
    )


def _about(form: Format, source: Source) -> dict[str, Any]:
    return dict(form.about(source.inner_path)) if form.about else {}


def _role(format_name: str, source: Source) -> str | None:
    """What the file's name makes of its content, where the format tells files apart by it."""
    form = all_formats().get(format_name)
    role = _about(form, source).get("role") if form else None
    return None if role is None else str(role)


def _metadata(role: str | None) -> str | None:
    return None if role is None else json.dumps({"role": role})


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
