"""Faults that people reported of other graders: each a case in words of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from udfs import equivalence
from udfs.journal import Journal
from udfs.judge import equivalent, grade
from udfs.judging import judge_all
from udfs.policy import DEFAULT
from udfs.progress import Progress

ROOT = Path(__file__).resolve().parents[2]
SPEC = DEFAULT.spec()
# A batch that hangs shows as this; on a free core it takes a second or two.
MAX_SECONDS = 60
CASES = [
    json.loads(line)
    for line in (ROOT / "tests/cases/reports.jsonl").read_text("utf-8").splitlines()
]

# Pairs of every kind of work: text, numbers, algebra in process, algebra in workers.
PAIRS = [
    ("7", "7.0"),
    ("\\frac{3}{4}", "0.75"),
    ("(x+1)^2", "x^2+2x+1"),
    ("2\\sqrt{5}", "\\sqrt{20}"),
    ("\\int_0^1 6x^2 dx", "2"),
    ("\\sum_{n=1}^{\\infty} \\frac{1}{3^n}", "\\frac{1}{2}"),
    ("\\{4, 9\\}", "9, 4"),
    ("no solution", "\\emptyset"),
    ("5", "6"),
    ("x > 2", "(2, \\infty)"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["claim"])
def test_report(case: dict) -> None:
    judge = equivalent if case["kind"] == "pair" else grade
    assert judge(case["gold"], case["text"]) is case["label"], case["claim"]


def test_verdicts_do_not_depend_on_threads() -> None:
    """The same verdicts from one thread and from eight."""
    pairs = PAIRS * 5
    alone = [equivalence.judge(*pair, SPEC).verdict for pair in pairs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda pair: equivalence.judge(*pair, SPEC).verdict, pairs))
    assert together == alone


@pytest.mark.timed
def test_a_batch_survives_its_nastiest_row() -> None:
    """The rows around a row that cannot be decided in time are decided, and the batch ends."""
    started = time.monotonic()
    pairs = [(SPEC, "4", "4"), (SPEC, "4", "((8^{8^{8}})!)!"), (SPEC, "5", "5")] * 10
    verdicts = judge_all(pairs, Journal(None), Progress("test"))
    assert [v.verdict for v in verdicts[0::3]] == [True] * 10
    assert [v.verdict for v in verdicts[2::3]] == [True] * 10
    assert not any(v.verdict for v in verdicts[1::3])
    assert time.monotonic() - started < MAX_SECONDS


@pytest.mark.slow
def test_the_pool_does_not_run_dry() -> None:
    """After twenty questions that run out of time the workers still answer the next one."""
    hard = [
        (SPEC, "1", f"\\int_0^{n} e^{{\\sin(x^{{x^{{x}}}})}} \\cos(\\tan(x^{n + 2})) dx")
        for n in range(1, 21)
    ]
    verdicts = judge_all([*hard, (SPEC, "2", "\\int_0^1 6x^2 dx")], Journal(None), Progress("test"))
    assert verdicts[-1].verdict is True
    assert not any(v.verdict for v in verdicts[:-1])


def test_a_platform_that_spawns(tmp_path: Path) -> None:
    """Verdicts are right where processes are spawned, not forked, and from a process of that kind."""
    program = (
        "import multiprocessing\n"
        "from udfs.judge import equivalent\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        print(pool.starmap(equivalent, [('7', '7'), ('2', '\\\\int_0^1 6x^2 dx'), ('7', '8')]))\n"
    )
    file = tmp_path / "spawned.py"
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert done.stdout.strip() == "[True, True, False]", done.stderr[-2000:]
