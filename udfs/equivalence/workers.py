"""A pool of worker processes for computer algebra, with deadlines and memory limits.

A worker is a fresh interpreter that speaks JSON lines over pipes: nothing of this process is inherited, so it works
under any start method, after a fork, and from any thread, and needs no signals here. It answers each question
from a child of its own, which the system ends when its processor time is spent: so every question meets the same
state, and a verdict does not depend on what was asked before or on how many workers run. The deadline on the
clock only catches what sleeps; a worker that passes it is killed and replaced.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, NamedTuple

from udfs.equivalence.limits import (
    WORKER_CPU_SECONDS,
    WORKER_MEMORY_BYTES,
    WORKER_START_SECONDS,
    WORKER_WALL_SECONDS,
)
from udfs.equivalence.tree import Node, Num, Sym

# Symbolic questions are rare (one pair in some hundred), and two cores are what the smallest machines have.
MAX_WORKERS = max(1, min(2, os.cpu_count() or 1))
_ROOT = str(Path(__file__).resolve().parents[2])


class Answer(NamedTuple):
    """verdict: None where undecided; method: symbolic, numeric, timeout or error."""

    verdict: bool | None
    method: str
    value: str | None = None


TIMEOUT = Answer(None, "timeout")
ERROR = Answer(None, "error")


class Deferred(BaseException):
    """A question for the workers, asked where nobody waits for them.

    No `Exception`: it has to pass the guards that keep the judge from raising.
    """


_thread = threading.local()


@contextmanager
def deferring() -> Iterator[None]:
    """Within it, this thread's questions raise `Deferred`: who judges many pairs asks for those again, all at once."""
    _thread.defers = True
    try:
        yield
    finally:
        _thread.defers = False


def prepare() -> None:
    """Has a worker start in the background, once a process, so that the first question finds it ready.

    Nothing where questions are deferred: whoever defers does not wait for the start either.
    """
    if _current is not None and _current.is_prepared and _current.owner == os.getpid():
        return
    if not getattr(_thread, "defers", False):
        _pool().prepare()


def equal(a: Node, b: Node) -> Answer:
    """Whether two expressions are equal, by computer algebra within the limits. Total but for `deferring`; callable
    from any thread."""
    if getattr(_thread, "defers", False):
        raise Deferred
    question = json.dumps({"a": encode(a), "b": encode(b)})
    return _pool().ask(question)


def value(node: Node) -> Fraction | None:
    """The value of a sum, integral or limit without variables, to some 25 digits; None where there is none."""
    answer = _pool().ask(json.dumps({"value": encode(node)}))
    return Fraction(answer.value) if answer.value is not None else None


def encode(node: Node) -> Any:
    """The tree as JSON: numbers as strings, symbols as {"s": name}, operations as lists."""
    if isinstance(node, Num):
        return str(node.value)
    if isinstance(node, Sym):
        return {"s": node.name}
    return [node.head, *(encode(x) for x in node.args)]


class _Worker:
    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": _ROOT, "PYTHONHASHSEED": "0"}
        limits = [str(WORKER_CPU_SECONDS), str(WORKER_MEMORY_BYTES)]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", "udfs.equivalence.symbolic", *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        assert self.process.stdout is not None
        threading.Thread(target=_pump, args=(self.process.stdout, self.lines), daemon=True).start()

    def ready(self) -> bool:
        return bool(self._line(WORKER_START_SECONDS))

    def ask(self, question: str) -> str:
        """The answer line, '' where the worker died or passed its deadline."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            return ""
        return self._line(WORKER_WALL_SECONDS)

    def _line(self, seconds: float) -> str:
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return ""

    def kill(self) -> None:
        # The worker leads a group with the child that answers; once it is reaped the number may be another's.
        if hasattr(os, "killpg") and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _pump(stream: IO[str], lines: queue.Queue[str]) -> None:
    """Moves lines from a pipe into a queue; an empty one at the end says that the worker is gone."""
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            lines.put(line)
    lines.put("")


class _Pool:
    def __init__(self) -> None:
        self.owner = os.getpid()
        self.slots = threading.Semaphore(MAX_WORKERS)
        self.lock = threading.Lock()
        self.idle: list[_Worker] = []
        self.all: set[_Worker] = set()
        self.is_closed = False
        self.is_prepared = False
        self.preparing: threading.Thread | None = None

    def prepare(self) -> None:
        with self.lock:
            if self.is_prepared or self.is_closed:
                return
            self.is_prepared = True
            if self.all:
                return
            thread = threading.Thread(target=self._prepare, name="first-worker", daemon=True)
            with contextlib.suppress(RuntimeError):  # no threads any more, or no more threads
                thread.start()
                self.preparing = thread

    def _prepare(self) -> None:
        worker = self._start()
        if worker is not None:
            with self.lock:
                self.idle.append(worker)

    def ask(self, question: str) -> Answer:
        with self.slots:
            worker = self._worker()
            if worker is None:
                return ERROR
            line = worker.ask(question)
            answer = _parse(line)
            if answer is None:
                with self.lock:
                    self.all.discard(worker)
                worker.kill()
                return TIMEOUT
            with self.lock:
                self.idle.append(worker)
            return answer

    def _worker(self) -> _Worker | None:
        with self.lock:
            if self.idle:
                return self.idle.pop()
            preparing, self.preparing = self.preparing, None
        if (
            preparing is not None
        ):  # one question waits for the worker under way, others start theirs
            preparing.join()
            with self.lock:
                if self.idle:
                    return self.idle.pop()
        return self._start()

    def _start(self) -> _Worker | None:
        with self.lock:  # so that `close` misses none
            if self.is_closed:
                return None
            try:
                worker = _Worker()
            except (OSError, RuntimeError):
                return None
            self.all.add(worker)
        if not worker.ready():
            with self.lock:
                self.all.discard(worker)
            worker.kill()
            return None
        return worker

    def close(self) -> None:
        if self.owner != os.getpid():
            return  # a forked child does not own its parent's workers
        with self.lock:
            self.is_closed = True
            workers, self.all, self.idle = list(self.all), set(), []
        for worker in workers:
            worker.kill()


def _parse(line: str) -> Answer | None:
    try:
        reply = json.loads(line)
    except ValueError:
        return None
    return Answer(reply["verdict"], reply["method"], reply.get("value"))


_current: _Pool | None = None
_creation = threading.Lock()


def _pool() -> _Pool:
    """This process's pool; a forked child makes its own."""
    global _current
    with _creation:
        if _current is None or _current.owner != os.getpid():
            _current = _Pool()
            atexit.register(_current.close)
        return _current


def _after_fork() -> None:
    """A fork may happen while another thread holds the lock; the child starts afresh."""
    global _creation, _current
    _creation = threading.Lock()
    _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
