"""A progress line for long judging, on stderr: how much is done, and how fast."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

# Often enough to see that it lives, and nothing at all for a build that judges in less.
EVERY_SECONDS = 2.0

# Work that starts after a pause as long as this is a new piece of work, counted from nothing.
PAUSE_SECONDS = 10.0


class Progress:
    """Counts units of work of several threads and says so every EVERY_SECONDS."""

    def __init__(self, noun: str, write: Callable[[str], object] | None = None) -> None:
        self.noun = noun
        self._write = write
        self._lock = threading.Lock()
        self._done = 0
        self._started_at = self._said_at = self._moved_at = float("-inf")

    def begin(self) -> None:
        """Says that work goes on, or begins."""
        now = time.monotonic()
        with self._lock:
            if now - self._moved_at > PAUSE_SECONDS:
                self._done = 0
                self._started_at = self._said_at = now
            self._moved_at = now

    def advance(self, count: int) -> None:
        """Counts finished work, and says how much there is when it is time."""
        now = time.monotonic()
        with self._lock:
            self._done += count
            self._moved_at = now
            if now - self._said_at < EVERY_SECONDS:
                return
            self._said_at = now
            rate = self._done / max(now - self._started_at, 1e-9)
            line = f"{self.noun}: {self._done:,} done, {rate:,.0f} a second\n"
        write = self._write or sys.stderr.write
        write(line)
        if self._write is None:
            sys.stderr.flush()
