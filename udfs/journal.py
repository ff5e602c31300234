"""The journal of verdicts under way: what has been judged but does not lie in the warehouse yet.

A model that judges is one SQL statement: if its process dies, all its verdicts are gone. So verdicts are also
appended to a file beside the warehouse, and the next run takes them from there instead of judging again. The
file is one JSON list a line: key, verdict, method, milliseconds. A line that is cut off is left out.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from contextlib import suppress
from pathlib import Path

from udfs.equivalence import Verdict

# At most so much judging is lost with the process; a build that judges for less writes no journal at all.
FLUSH_SECONDS = 3.0

# A journal that no build has taken up for so long is of a warehouse that was rebuilt or left.
MAX_AGE_DAYS = 30

SUFFIX = ".verdicts"

# Judge version, policy spec, gold and answer.
Question = tuple[str, str | None, str | None, str | None]
Judgement = tuple[Question, Verdict]


def _key(question: Question) -> str:
    return hashlib.blake2b(json.dumps(question).encode(), digest_size=16).hexdigest()


class Journal:
    """Verdicts by content, kept in memory and appended to `path`; without a path, kept nowhere."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._known: dict[str, Verdict] | None = None
        self._pending: list[Judgement] = []
        self._flushed_at = time.monotonic()
        self._lock = threading.Lock()

    def recall(self, question: Question) -> Verdict | None:
        """The verdict that an earlier, broken-off run reached."""
        known = self._read()
        return known.get(_key(question)) if known else None

    def record(self, judgements: list[Judgement]) -> None:
        """Notes verdicts, and writes what is noted when FLUSH_SECONDS have passed since the last writing."""
        if self.path is None:
            return
        with self._lock:
            self._pending += judgements
            if time.monotonic() - self._flushed_at >= FLUSH_SECONDS:
                self._write()

    def begin(self) -> None:
        """Starts the clock of the first writing: nothing judged so far is lost with the process."""
        with self._lock:
            if not self._pending:
                self._flushed_at = time.monotonic()

    def clear(self) -> bool:
        """Forgets everything, the verdicts lie in the warehouse; whether there was a journal."""
        with self._lock:
            self._pending = []
            self._known = {}
            existed = self.path is not None and self.path.exists()
            if self.path is not None:
                self.path.unlink(missing_ok=True)
            return existed

    def _write(self) -> None:
        assert self.path is not None
        lines = [
            json.dumps([_key(question), v.verdict, v.method, v.milliseconds]) + "\n"
            for question, v in self._pending
        ]
        # On a full disk or in a folder that is read-only the build itself says so.
        with suppress(OSError), self.path.open("a", encoding="ascii") as file:
            file.writelines(lines)
        self._pending = []
        self._flushed_at = time.monotonic()

    def _read(self) -> dict[str, Verdict]:
        if self._known is not None:
            return self._known
        with self._lock:
            known: dict[str, Verdict] = {}
            if self.path is not None and self.path.exists():
                age_days = (time.time() - self.path.stat().st_mtime) / 86_400
                if age_days >= MAX_AGE_DAYS:  # nor does it become young again by what is appended
                    self.path.unlink(missing_ok=True)
                    self._known = known
                    return known
                for line in self.path.read_text("ascii", "replace").splitlines():
                    try:
                        key, verdict, method, milliseconds = json.loads(line)
                    except ValueError:  # the line at which the process died
                        continue
                    known[key] = Verdict(verdict, method, milliseconds)
            self._known = known
        return known
