"""How long a large JSONL file takes to load, beside DuckDB's own read_json, and with how much memory.

Usage: python benchmarks/load_jsonl.py [megabytes] [repetitions]

Two files are timed: replies of random words, and one reply said over and over, which DuckDB packs into
almost nothing, so that hardly anything but parsing is left to compare. The order alternates, and the
median of each is taken: a machine that is busy with something else slows both.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

REPEATED = "Let us think step by step. We have $x^2+2x+1=0$, so \\\\frac{1}{2} and then " * 12
WORDS = "we have so and then 因此 the total is 3*4=12 therefore apples triangle \\\\frac{1}{2} \\n".split()
ROW = (
    '{"problem_id": "p%d", "question": "How many apples are left of %d?", "gold_answer": "%d", '
    '"rollout_no": %d, "response": "%s %d: \\\\boxed{%d}", "model": "m1", "run_id": "r1", '
    '"reward_score": %r, "output_tokens": %d}\n'
)
BLOCK_ROWS = 5000
RUN = {
    "read_json": "import duckdb, sys; duckdb.connect(sys.argv[1]).execute("
    "'create table t as select * from read_json(?)', [sys.argv[2]])",
    "load": "import sys; from ingest.load import load; (r,) = load(sys.argv[1], 'outputs', [sys.argv[2]]);"
    "assert r.error is None and r.rows_loaded == r.rows_read > 0, r",
}


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 700
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    for kind, reply in (
        ("random words", _random_replies()),
        ("one reply", lambda number: REPEATED),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "big.jsonl")
            rows = _write(path, megabytes << 20, reply)
            print(f"{kind}: {rows} rows, {path.stat().st_size >> 20} MB")
            figures: dict[str, list[tuple[float, float, int]]] = {name: [] for name in RUN}
            for _ in range(repetitions):
                for name, code in RUN.items():
                    figures[name].append(_timed(code, Path(folder, f"{name}.duckdb"), path))
            for name, found in figures.items():
                wall, processor, memory = (
                    statistics.median(one) for one in zip(*found, strict=True)
                )
                print(
                    f"  {name:10} {wall:6.1f} s, processor {processor:6.1f} s, peak {memory:.0f} MB"
                )
            ratios = [
                statistics.median(
                    load[part] / read[part] for read, load in zip(*figures.values(), strict=True)
                )
                for part in (0, 1)
            ]
            print(
                f"  load / read_json: {ratios[0]:.2f} of the time, {ratios[1]:.2f} of the processor time"
            )


def _timed(code: str, database: Path, path: Path) -> tuple[float, float, int]:
    """Seconds, seconds of processor time and peak memory in MB of a fresh process."""
    for old in (database, database.with_name(database.name + ".wal")):
        old.unlink(missing_ok=True)
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", code, str(database), str(path)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"exit code {process.returncode}: {code}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def _random_replies() -> Callable[[int], str]:
    chance = random.Random(1)
    words = WORDS + [str(chance.randrange(10**6)) for _ in range(200)]
    replies = [" ".join(chance.choices(words, k=chance.randrange(80, 300))) for _ in range(4000)]
    return lambda number: replies[number % len(replies)]


def _write(path: Path, size: int, reply: Callable[[int], str]) -> int:
    """Write rows, eight to a problem, until the file has `size` bytes; returns their number."""
    rows = written = 0
    with path.open("wb") as file:
        while written < size:
            block = "".join(_row(number, reply) for number in range(rows, rows + BLOCK_ROWS))
            written += file.write(block.encode())
            rows += BLOCK_ROWS
    return rows


def _row(number: int, reply: Callable[[int], str]) -> str:
    problem, rollout = divmod(number, 8)
    answer = problem % 100
    numbers = (problem, problem, answer, rollout + 1)
    return ROW % (*numbers, reply(number), number, answer, number % 997 / 997, number % 1000)


if __name__ == "__main__":
    main()
