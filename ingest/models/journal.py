"""Finished answers on their way into the warehouse: first a line in a journal, then a row.

DuckDB lets one process write. A run that held the file would lock analysts out for hours, and one
that waited for the lock would lose paid answers. So every finished answer is one line appended to
`<warehouse>.asking/<run>.<n>.jsonl` at once, and every second the lines so far are merged into the
raw tables in one transaction, for which alone the file is opened. `kill -9` costs what was in
flight or just coming in; while another program holds the file, answers wait in the journal, and the next run takes
up what a dead one left there.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import duckdb

from ingest import __version__
from ingest.errors import MathmartError, WarehouseLocked
from ingest.models.credentials import Scrubber
from ingest.models.merge import merge, now, register_load
from ingest.warehouse import open_warehouse

COMMIT_SECONDS = 1.0  # promised are two; a merge takes a fraction of the second that is left
LOCKED_RETRY_SECONDS = 0.2
FINAL_WAIT_SECONDS = 60.0  # for another program to let go of the file, after the last answer


# Made once: json.dumps makes a new encoder per call unless all its arguments are the defaults.
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class AlreadyAsking(MathmartError):
    """Another live process asks the very same questions."""

    exit_code = 3


@dataclass(frozen=True)
class Load:
    """One invocation, as raw.loads records it. `source` names the endpoint or offline model."""

    kind: str
    source: str
    source_sha256: str
    dataset_id: str | None
    model: str | None
    prompt: str | None
    source_format: str = "endpoint"
    started_at: datetime = field(default_factory=now)

    @cached_property
    def load_id(self) -> str:
        seed = f"{self.kind}|{self.source_sha256}|{self.started_at.isoformat()}|{os.getpid()}"
        return hashlib.md5(seed.encode()).hexdigest()[:16]


class Journal:
    """The way of one run's answers. Use as a context; at its end everything is in the warehouse.

    `key` names what is asked, so that two processes cannot ask it twice at the same time. Opening
    it takes up what dead processes left, so plan what is missing after that; then `begin`.
    """

    def __init__(
        self,
        warehouse: Path,
        key: str,
        load: Load,
        *,
        final_wait: float = FINAL_WAIT_SECONDS,
    ) -> None:
        self.load = load
        self.is_waiting = False  # another program holds the warehouse
        self.n_committed = 0
        self._warehouse = warehouse
        self._folder = journal_folder(warehouse)
        self._key = key
        self._final_wait = final_wait
        self._scrub = Scrubber()
        self._mutex = threading.Lock()
        self._pending: list[dict[str, Any]] = []
        self._segments: list[Path] = []
        self._segment: TextIO | None = None
        self._is_flush_due = False
        self._n_segments = 0
        self._lock: _KeyLock | None = None

    def __enter__(self) -> Journal:
        self._folder.mkdir(exist_ok=True)
        self._lock = _KeyLock(self._folder / f"{self._key}.lock")
        if not self._lock.acquire():
            raise AlreadyAsking(
                f"{self._warehouse}: another process is asking the same questions. "
                "Wait for it, or change the prompt, the model or a setting."
            )
        try:
            with open_warehouse(self._warehouse) as connection:
                for key, segments in leftover_segments(self._folder, self._key):
                    with key:
                        absorb(connection, segments())
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._lock is not None
        try:
            self._commit_finally()
        finally:
            if self._segment is not None:
                self._segment.close()
            self._lock.release()
            with contextlib.suppress(OSError):
                self._folder.rmdir()  # stays while it holds anything

    def begin(self, runs: Sequence[dict[str, Any]] = ()) -> None:
        """Write the load, and those of `runs` (raw.runs rows) that are not there yet."""
        with open_warehouse(self._warehouse) as connection:
            register_load(connection, self.load, runs, __version__, self._scrub)

    def append(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Keep one finished answer: its `rows` of raw.`table`, without load_id."""
        complete = [{**self._scrub.value(row), "load_id": self.load.load_id} for row in rows]
        entry = {"table": table, "rows": complete}
        line = _encode(entry) + "\n"
        with self._mutex:
            if self._segment is None:
                self._n_segments += 1
                path = self._folder / f"{self._key}.{os.getpid()}-{self._n_segments}.jsonl"
                self._segment = path.open("a", encoding="utf-8", newline="\n")
                self._segments.append(path)
            self._segment.write(line)
            self._pending.append(entry)
            if self._is_flush_due:
                return
            self._is_flush_due = True
        try:
            # Once for all answers that arrived together: a system call each would halve the rate.
            asyncio.get_running_loop().call_soon(self._flush)
        except RuntimeError:
            self._flush()  # no loop: offline work

    def _flush(self) -> None:
        with self._mutex:
            self._is_flush_due = False
            if self._segment is not None:
                self._segment.flush()

    def commit(self) -> bool:
        """Merge what is pending into the warehouse; False if another program holds the file."""
        with self._mutex:
            entries, self._pending = self._pending, []
            segments, self._segments = self._segments, []
            if self._segment is not None:
                self._segment.close()
                self._segment = None
        if not entries:
            return True
        try:
            with open_warehouse(self._warehouse) as connection:
                merge(connection, entries)
        except BaseException as error:
            with self._mutex:
                self._pending = entries + self._pending
                self._segments = segments + self._segments
            if isinstance(error, WarehouseLocked):
                self.is_waiting = True
                return False
            raise
        for segment in segments:
            segment.unlink(missing_ok=True)
        self.is_waiting = False
        self.n_committed += len(entries)
        return True

    def _commit_finally(self) -> None:
        deadline = time.monotonic() + self._final_wait
        while not self.commit():
            if time.monotonic() > deadline:
                raise WarehouseLocked(
                    f"{self._warehouse}: another program holds the file. {len(self._pending)} "
                    f"answers are safe in {self._folder}: close that program and repeat the "
                    "command, which asks for nothing it already has."
                )
            time.sleep(LOCKED_RETRY_SECONDS)


def journal_folder(warehouse: Path) -> Path:
    """Where answers on their way into `warehouse` are kept."""
    return warehouse.with_name(f"{warehouse.name}.asking")


def absorb(connection: duckdb.DuckDBPyConnection, segments: list[Path]) -> None:
    """Merge a dead process's journal and remove it. A last line cut short was still in flight."""
    entries = []
    for segment in segments:
        text = segment.read_bytes().decode("utf-8", "replace")
        for line in text.split("\n")[:-1]:  # other line separators are part of an answer
            with contextlib.suppress(ValueError):
                entries.append(json.loads(line))
    if entries:
        merge(connection, entries)
    for segment in segments:
        segment.unlink(missing_ok=True)


def leftover_segments(folder: Path, own_key: str) -> Iterator[tuple[Any, Any]]:
    """Journals whose process is gone: a lock to hold while absorbing, and their segments."""
    keys = {path.name.partition(".")[0] for path in folder.glob("*.jsonl")}
    for key in sorted(keys):

        def segments(key: str = key) -> list[Path]:
            return sorted(folder.glob(f"{key}.*.jsonl"))

        if key == own_key:
            yield contextlib.nullcontext(), segments
            continue
        lock = _KeyLock(folder / f"{key}.lock")
        if lock.acquire():
            yield contextlib.closing(lock), segments


class _KeyLock:
    """An advisory lock that dies with its process; its file goes when it is released."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None

    def acquire(self) -> bool:
        while True:
            file = self._path.open("a")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                return False
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), self._path.stat()):
                    self._file = file
                    return True
            file.close()  # its last holder removed the file between our two steps

    def release(self) -> None:
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None

    close = release
