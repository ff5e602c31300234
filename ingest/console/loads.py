"""Loads as the command line tells them: progress while they run, one row per file when they are
done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.console import tables
from ingest.errors import MathmartError
from ingest.formats import KINDS, all_formats
from ingest.load import LoadReport, Progress, load

COLUMNS = ["file", "kind", "format", "dataset", "read", "loaded", "already there", "rejected"]
REJECTS_SHOWN = 5  # per file; `mathmart show rejects` has them all
FILES_SHOWN = 40  # of a folder of thousands; the sums always stand below


def split_kind(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The kind, where the first word is one, and the paths."""
    if words and words[0] in KINDS:
        return words[0], list(words[1:])
    return None, list(words)


def run(
    database: Path,
    kind: str | None,
    paths: Sequence[str | Path],
    report: Callable[[str], None],
    **options: str | None,
) -> list[LoadReport]:
    """`ingest.load.load`, its progress put into words for `report`."""
    return load(database, kind, paths, **options, progress=lambda p: report(_words(p)))


def _words(progress: Progress) -> str:
    name = Path(progress.file).name
    counted = f" ({progress.files_done + 1} of {progress.files_total} files)"
    files = counted if progress.files_total > 1 else ""
    if progress.stage == "reading" and progress.bytes_total:
        share = f" {100 * progress.bytes_done // progress.bytes_total} %"
        return f"reading {name}{files}{share} of {progress.bytes_total / 1e6:.1f} MB"
    return f"{progress.stage} {name}{files}"


def told(reports: Sequence[LoadReport]) -> str:
    """The table of what was loaded, and below it the first rejects of each file."""
    done = [report for report in reports if report.error is None]
    rows = [
        (
            Path(report.file).name,
            report.kind,
            report.source_format,
            report.dataset_id,
            report.rows_read,
            report.rows_loaded,
            report.rows_already_there,
            report.rows_rejected,
        )
        for report in done
    ]
    shown: list[tuple[object, ...]] = [*rows[:FILES_SHOWN]]
    if len(rows) > 1:
        sums = (
            sum(report.rows_read for report in done),
            sum(report.rows_loaded for report in done),
            sum(report.rows_already_there for report in done),
            sum(report.rows_rejected for report in done),
        )
        shown.append((f"{len(rows)} files", "", "", "", *sums))
    lines = [tables.aligned(COLUMNS, shown)] if done else []
    for report in done:
        name = Path(report.file).name
        if report.note:
            lines.append(f"{name}: {report.note}\n")
        lines += [
            f"{name}:{r.line}: rejected: {r.reason}\n" for r in report.rejects[:REJECTS_SHOWN]
        ]
        more = report.rows_rejected - min(len(report.rejects), REJECTS_SHOWN)
        if more > 0:
            lines.append(f"{name}: {more} more rejected; mathmart show rejects\n")
    return "".join(lines)


def failure(reports: Sequence[LoadReport]) -> MathmartError | None:
    """What to say at the end where files could not be loaded, or nothing of a file was."""
    errors = [str(report.error) for report in reports if report.error is not None]
    errors += [
        f"{report.file}: none of its {report.rows_read} records could be loaded (reasons above)."
        for report in reports
        if report.error is None and report.rows_read and report.rows_rejected == report.rows_read
    ]
    return MathmartError("\n".join(errors)) if errors else None


def formats() -> tuple[list[str], list[tuple[str, str, str, str]]]:
    """Every format that is read, with an example record each: columns and rows."""
    rows = [
        (form.name, form.kind, form.title, tables.compact(dict(form.example)))
        for form in all_formats().values()
    ]
    return ["format", "kind", "what it is", "example"], rows
