"""What a load says about itself: reports and notes, rejected records, and its lines in raw.loads."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingest import __version__
from ingest.errors import MathmartError
from ingest.examining import File
from ingest.formats import Format, all_formats
from ingest.landing import LINE_BITS, raw_texts
from ingest.merging.datasets import notes_on_golds, notes_on_replies
from ingest.sources import Source

# How many rejects a report carries; all of them are in raw.rejects.
REPORTED_REJECTS = 5


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
class Options:
    """What the user said of the files; None where the files are to say it."""

    kind: str | None
    dataset: str | None
    model: str | None
    prompt: str | None
    form: Format | None


class Ledger:
    """What was loaded before and what is being loaded: reads and writes raw.loads and raw.rejects."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, options: Options) -> None:
        self.connection = connection
        self.options = options
        self.version = __version__
        # contents that raw.loads knows, so that ten thousand new files do not ask it one by one
        known = connection.execute("select distinct file_sha256 from raw.loads").fetchall()
        self.known_contents = {row[0] for row in known}

    def settled_dataset(self, sha256: str, form: Format) -> str | None:
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

    def known(self, source: Source, sha256: str, size: int) -> LoadReport | None:
        """The report for a file whose content was loaded before, with options that agree."""
        if sha256 not in self.known_contents:
            return None
        asked = self.options
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
                for value in (asked.kind, asked.dataset, asked.model, asked.prompt)
                for _ in range(2)
            ]
            + [asked.form.name if asked.form else None] * 2,
        ).fetchall()
        row = next((row for row in rows if row[5] == _role(row[0], source)), None)
        if row is None or self._are_figures_of_another(row[0], source, sha256):
            return None
        report = LoadReport(source.name, row[4], uuid.uuid4().hex[:16], row[0], row[1])
        report.rows_read, report.rows_rejected = row[2], row[3]
        report.rows_already_there = row[2] - row[3]
        report.rejects = self._rejects(sha256)
        line = self._line(report, source.name, sha256, size, now(), metadata=_metadata(row[5]))
        self._write([line])
        return report

    def _are_figures_of_another(self, format_name: str, source: Source, sha256: str) -> bool:
        """Whether the content is known as figures alone, and of other models or datasets.

        `{"accuracy": 50.0}` is what two models may well have in common: only the path tells whose it is.
        Replies tell themselves, so that a renamed copy of them is no other run.
        """
        form = all_formats().get(format_name)
        if form is None or form.metrics is None:
            return False
        said = about(form, source)
        ((figures, same),) = self.connection.execute(
            """
            select
                count(*),
                count(*) filter (
                    (known.model is null or known.model = coalesce($model, known.model))
                    and known.dataset_id = coalesce($dataset, known.dataset_id)
                )
            from raw.reported_metrics as known
            where known.file_sha256 = $sha256
                and not exists (from raw.runs where runs.file_sha256 = $sha256)
                and not exists (
                    from raw.loads where loads.file_sha256 = $sha256 and loads.file = $file
                )
            """,
            {
                "sha256": sha256,
                "file": source.name,
                "model": self.options.model or said.get("model"),
                "dataset": self.options.dataset or said.get("dataset_id"),
            },
        ).fetchall()
        return bool(figures and not same)

    def account(
        self, form: Format, files: list[File], started: datetime, found: dict[int, str]
    ) -> list[LoadReport]:
        """One raw.loads row and one report per file of the batch; its rejects to raw.rejects.

        `found` are the datasets that the batch's files were found to belong to, by file number.
        """
        self._keep_rejects(form, files)
        counts: dict[int, dict[str, int]] = {}
        for number, status, count in self.connection.execute(f"""
            select record_id >> {LINE_BITS}, status, count(*) from outcomes group by all
        """).fetchall():
            counts.setdefault(number, {})[status] = count
        said = self._what_files_said(form)
        notes = self._notes(form, found)
        reports, lines = [], []
        for number, one in enumerate(files):
            counted = counts.get(number, {})
            dataset, model, prompt = said.get(number, (None, None, None))
            report = LoadReport(
                one.source.name,
                form.kind,
                one.load_id,
                form.name,
                dataset or self.options.dataset or one.default_dataset,
                sum(counted.values()),
                counted.get("loaded", 0),
                counted.get("already_there", 0),
                counted.get("rejected", 0),
            )
            if report.rows_rejected:
                report.rejects = self._rejects(one.sha256)
            report.note = notes.get(number)
            metadata = _metadata(one.about.get("role"))
            lines.append(
                self._line(
                    report, report.file, one.sha256, one.size, started, model, prompt, metadata
                )
            )
            reports.append(report)
        self._write(lines)
        return reports

    def keep(self, files: list[File]) -> None:
        """The files are in the warehouse: their transaction is committed."""
        self.known_contents.update(one.sha256 for one in files)

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

    def _notes(self, form: Format, found: dict[int, str]) -> dict[int, str]:
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
            for number, dataset in found.items():
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

    def _line(
        self,
        report: LoadReport,
        file: str,
        sha256: str,
        size: int,
        started: datetime,
        model: str | None = None,
        prompt: str | None = None,
        metadata: str | None = None,
    ) -> dict[str, Any]:
        """A row of raw.loads."""
        return {
            "load_id": report.load_id,
            "kind": report.kind,
            "source_format": report.source_format,
            "file": file,
            "file_sha256": sha256,
            "file_bytes": size,
            "dataset_id": report.dataset_id,
            "model": model or self.options.model,
            "prompt": prompt or self.options.prompt,
            "rows_read": report.rows_read,
            "rows_loaded": report.rows_loaded,
            "rows_already_there": report.rows_already_there,
            "rows_rejected": report.rows_rejected,
            "started_at": started.isoformat(),
            "finished_at": now().isoformat(),
            "tool_version": self.version,
            "metadata": metadata,
        }

    def _write(self, lines: list[dict[str, Any]]) -> None:
        """Put rows into raw.loads, in one statement."""
        self.connection.register("ledger_lines", pa.Table.from_pylist(lines))
        self.connection.execute("""
            insert into raw.loads by name
            select
                * replace (
                    started_at::timestamp as started_at,
                    finished_at::timestamp as finished_at,
                    metadata::varchar::json as metadata
                )
            from ledger_lines
        """)
        self.connection.unregister("ledger_lines")


def about(form: Format, source: Source) -> dict[str, Any]:
    """What the format makes of the file's path."""
    return dict(form.about(source.inner_path)) if form.about else {}


def now() -> datetime:
    """The time in UTC, as the warehouse keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


def _role(format_name: str, source: Source) -> str | None:
    """What the file's name makes of its content, where the format tells files apart by it."""
    form = all_formats().get(format_name)
    role = about(form, source).get("role") if form else None
    return None if role is None else str(role)


def _metadata(role: str | None) -> str | None:
    return None if role is None else json.dumps({"role": role})
