"""A process that dies while it judges loses seconds of judging, leaves no process behind, and the next run goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from udfs import equivalence
from udfs.equivalence import JUDGE_VERSION, Verdict
from udfs.journal import MAX_AGE_DAYS, Journal
from udfs.judging import judge_all
from udfs.policy import DEFAULT
from udfs.progress import Progress
from udfs.registry import register

ROOT = Path(__file__).resolve().parents[2]
SPEC = DEFAULT.spec()

# Judges pairs one batch after another until it is killed; each needs the worker processes.
JUDGE_FOR_EVER = """
import sys
import duckdb
from udfs.policy import DEFAULT
from udfs.registry import register
connection = duckdb.connect(sys.argv[1])
register(connection)
print("started", flush=True)
connection.execute(
    "select count(judge_answer($1, (2 * i)::varchar, chr(92) || 'int_0^1 ' || i::varchar || ' e^{x} dx').verdict)"
    " from range(2000) t(i)",
    [DEFAULT.spec()],
)
"""


def children(pid: int) -> list[int]:
    """Processes whose parent is this one."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it has just ended
        if parent == pid:
            found.append(int(status.parent.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def wait_for(condition, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_a_killed_process(tmp_path: Path) -> None:
    database = tmp_path / "killed.duckdb"
    journal = tmp_path / "killed.duckdb.verdicts"
    process = subprocess.Popen(
        [sys.executable, "-c", JUDGE_FOR_EVER, str(database)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None and process.stdout.readline()
        assert wait_for(lambda: journal.exists() and journal.stat().st_size > 0, 60)
        workers = children(process.pid)
        assert workers, "pairs like these are judged in worker processes"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert wait_for(lambda: not any(map(is_alive, workers)), 15), "workers outlive their process"

    noted = len(journal.read_text().splitlines())
    assert noted > 0
    with duckdb.connect(str(database)) as connection:
        register(connection)
        recorded = {key: taken for key, _, _, taken in map(json.loads, journal.open())}
        assert len(recorded) == noted
        asked = connection.execute(
            "select judge_answer($1, (2 * i)::varchar,"
            " chr(92) || 'int_0^1 ' || i::varchar || ' e^{x} dx').milliseconds"
            f" from range({noted // 2}) t(i)",
            [SPEC],
        ).fetchall()
        again = {taken for (taken,) in asked} - set(recorded.values())
        assert again == set(), "what was judged is judged again"
        connection.execute("select clear_verdict_journal()")
    assert not journal.exists()


def test_what_is_noted_is_known_to_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("udfs.journal.FLUSH_SECONDS", 0.0)
    path = tmp_path / "w.duckdb.verdicts"
    question = (JUDGE_VERSION, SPEC, "½", "0.5")
    first = Journal(path)
    first.begin()
    first.record([(question, Verdict(True, "numeric", 1.5))])
    assert Journal(path).recall(question) == Verdict(True, "numeric", 1.5)
    assert Journal(path).recall(("another version", *question[1:])) is None


def test_a_torn_line_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("udfs.journal.FLUSH_SECONDS", 0.0)
    path = tmp_path / "w.duckdb.verdicts"
    journal = Journal(path)
    journal.record([(("1", SPEC, "1", "1"), Verdict(True, "exact", 0.1))])
    journal.record([(("1", SPEC, "2", "3"), Verdict(False, "exact", 0.1))])
    path.write_bytes(path.read_bytes()[:-9])
    again = Journal(path)
    assert again.recall(("1", SPEC, "1", "1")) == Verdict(True, "exact", 0.1)
    assert again.recall(("1", SPEC, "2", "3")) is None


def test_an_old_journal_is_dropped_and_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("udfs.journal.FLUSH_SECONDS", 0.0)
    path = tmp_path / "w.duckdb.verdicts"
    old, new = ("1", SPEC, "1", "1"), ("1", SPEC, "2", "2")
    Journal(path).record([(old, Verdict(True, "exact", 0.1))])
    long_ago = time.time() - (MAX_AGE_DAYS + 1) * 86_400
    os.utime(path, (long_ago, long_ago))
    journal = Journal(path)
    assert journal.recall(old) is None
    journal.record([(new, Verdict(True, "exact", 0.1))])
    again = Journal(path)
    assert again.recall(new) is not None
    assert again.recall(old) is None, "writing made the old verdicts young"


NEEDS_ALGEBRA = ("0", "\\int_0^1 e^{x} dx")


def test_verdicts_of_the_workers_are_noted_while_others_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("udfs.journal.FLUSH_SECONDS", 0.0)
    monkeypatch.setattr("udfs.judging.NOTE_SECONDS", 0.0)
    path = tmp_path / "w.duckdb.verdicts"
    noted: list[int] = []

    def pairs():
        yield (SPEC, *NEEDS_ALGEBRA)
        for n in range(600):
            time.sleep(0.05)
            yield (SPEC, "1", str(n))
            question = (JUDGE_VERSION, SPEC, *NEEDS_ALGEBRA)
            if Journal(path).recall(question) is not None:
                noted.append(n)
                return

    judge_all(pairs(), Journal(path), Progress("judging answers", lambda line: None))
    assert noted, "the worker's verdict waits until all else is judged"


def test_judging_that_breaks_off_does_not_begin_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    n_pairs = 400
    begun: list[str] = []
    judge = equivalence.judge

    def counted(gold: str, answer: str, spec: str) -> Verdict:
        begun.append(answer)
        return judge(gold, answer, spec)

    def pairs():
        for n in range(n_pairs):
            yield (SPEC, str(n), f"\\int_0^{{{n}}} e^{{x^3}} dx")
        raise KeyboardInterrupt

    monkeypatch.setattr("udfs.equivalence.judge", counted)
    with pytest.raises(KeyboardInterrupt):
        judge_all(pairs(), Journal(None), Progress("judging answers", lambda line: None))
    waited_for = len(begun) - n_pairs  # each is tried here before it goes to the workers
    assert waited_for < n_pairs / 2, "begins hundreds of pairs that nobody asks for"


def test_quick_judging_writes_no_journal(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        register(connection)
        connection.execute("select judge_answer($1, '1', '2')", [SPEC])
    assert not (tmp_path / "w.duckdb.verdicts").exists()


def test_readers_write_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("udfs.journal.FLUSH_SECONDS", 0.0)
    duckdb.connect(str(tmp_path / "w.duckdb")).close()
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        register(connection)
        connection.execute("select judge_answer($1, '1', '2')", [SPEC])
    assert not (tmp_path / "w.duckdb.verdicts").exists()


def test_progress_speaks_every_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("udfs.progress.time.monotonic", lambda: now[0])
    lines: list[str] = []
    progress = Progress("judging answers", lines.append)
    progress.begin()
    for _ in range(10):
        now[0] += 0.5
        progress.advance(1_000)
    assert lines == [
        "judging answers: 4,000 done, 2,000 a second\n",
        "judging answers: 8,000 done, 2,000 a second\n",
    ]
