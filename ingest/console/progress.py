"""Progress on stderr: one changing line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType

from rich.console import Console
from rich.status import Status

QUIET_SECONDS = 1.0  # what is done sooner needs no word
LINE_SECONDS = 10.0  # between plain lines, so that a log of a long job stays short
# A closed pipe, a terminal that is gone, a full disk; a closed stream.
_UNHEARD = contextlib.suppress(OSError, ValueError)


class Progress:
    """Says what is being done. Use as a context; `update` as often as you like.

    On a terminal the latest message stands on one line that vanishes at the end. In a log a message
    is written when the work has taken a second, and then at most every ten.
    """

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, markup=False)
        self._status: Status | None = None
        self._next_line = time.monotonic() + QUIET_SECONDS

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            with _UNHEARD:
                self._status.stop()

    def update(self, message: str) -> None:
        """The work is now at `message` (one line, no final dot)."""
        if self._console.is_terminal:
            with _UNHEARD:
                if self._status is None:
                    self._status = self._console.status(message)
                    self._status.start()
                else:
                    self._status.update(message)
        elif time.monotonic() >= self._next_line:
            self.note(message)
            self._next_line = time.monotonic() + LINE_SECONDS

    def note(self, line: str) -> None:
        """A line that stays. Where nobody reads stderr any more the work goes on unseen."""
        with _UNHEARD:
            if self._console.is_terminal:
                self._console.print(line)
            else:
                print(line, file=sys.stderr, flush=True)
