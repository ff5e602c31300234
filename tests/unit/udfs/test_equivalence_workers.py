"""Computer algebra in worker processes: right, within limits, replaced when they die, from any thread."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from udfs.equivalence import judge, workers
from udfs.equivalence.answers import read

pytestmark = pytest.mark.timed

ROOT = Path(__file__).resolve().parents[3]
SERIES = r"\sum_{n=1}^{\infty} \frac{1}{n^2}"
# An integral without an elementary form or quick value, differently scaled each time.
ENDLESS = r"\sum_{n=1}^{\infty} \frac{\sin(n^{%d})}{n^{n}+\cos(n)}"


@pytest.mark.parametrize(
    ("gold", "answer", "verdict"),
    [
        (r"\frac{\pi^2}{6}", SERIES, True),
        (r"\frac{\pi^2}{8}", SERIES, False),
        (r"\frac{n(n+1)}{2}", r"\sum_{k=1}^{n} k", True),
        ("1/3", r"\int_0^1 x^2 dx", True),
        ("e", r"\lim_{n\to\infty} (1+\frac{1}{n})^n", True),
        (r"\frac{x^3}{3}", r"\int x^2 \, dx", True),
    ],
)
def test_symbolic_verdicts(gold: str, answer: str, verdict: bool) -> None:
    assert judge(gold, answer).verdict is verdict


def test_the_algebra_system_stays_out_of_this_process() -> None:
    code = "import sys; from udfs.judge import equivalent; equivalent('x+1', '1+x'); print('sympy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_worker_survives_questions_that_do_not_end() -> None:
    nodes = [read(ENDLESS % k).node for k in range(3, 6)]
    started = time.monotonic()
    answers = [workers.equal(node, read("1").node) for node in nodes]
    assert all(a.verdict is not True for a in answers)
    assert workers.equal(read(SERIES).node, read(r"\frac{\pi^2}{6}").node).verdict is True
    assert time.monotonic() - started < 60


def test_a_killed_worker_is_replaced() -> None:
    assert judge(r"\frac{\pi^2}{6}", SERIES).verdict is True
    pool = workers._pool()
    for worker in list(pool.all):
        worker.process.kill()
        worker.process.wait()
    verdicts = [judge(r"\frac{\pi^2}{6}", SERIES).verdict for _ in range(workers.MAX_WORKERS + 1)]
    assert verdicts[-1] is True


def test_threads_and_one_by_one_agree() -> None:
    pairs = [
        ("1/3", r"\int_0^1 x^2 dx"),
        ("1/4", r"\int_0^1 x^2 dx"),
        (r"\frac{\pi^2}{6}", SERIES),
        ("2", SERIES),
    ] * 2
    alone = [judge(*pair).verdict for pair in pairs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda pair: judge(*pair).verdict, pairs))
    assert together == alone


def _ask() -> bool | None:
    return judge("1/3", r"\int_0^1 x^2 dx").verdict


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_any_start_method(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    assert _ask() is True  # so that a fork finds a pool it must not use
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(_ask).get(timeout=60) is True


def test_no_worker_outlives_its_owner() -> None:
    code = (
        "from udfs.equivalence import judge, workers\n"
        "judge('1/3', r'\\int_0^1 x^2 dx')\n"
        "print(*[w.process.pid for w in workers._pool().all])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for pid in map(int, done.stdout.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _run(code: str) -> str:
    """What a fresh interpreter prints that turns warnings into errors and has none to say."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_formula_has_the_first_worker_start_in_the_background() -> None:
    code = (
        "from udfs.equivalence import judge, workers\n"
        "for pair in [('3', '4'), ('5 cm', '5'), ('yes', 'no'), ('(1,2)', '1, 2')]: judge(*pair)\n"
        "print(workers._current)\n"
        "judge('x+1', 'x^2')\n"
        "print(judge('1/3', r'\\int_0^1 x^2 dx').verdict, len(workers._pool().all))"
    )
    assert _run(code).split() == ["None", "True", "1"]


def test_deferred_questions_prepare_nothing() -> None:
    code = (
        "from udfs.equivalence import judge, workers\n"
        "with workers.deferring(): judge('x+1', 'x^2')\n"
        "print(workers._current)"
    )
    assert _run(code) == "None"


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.3])
def test_a_worker_under_way_ends_with_its_owner(pause: float) -> None:
    code = (
        "import time\n"
        "from udfs.equivalence import judge, workers\n"
        f"judge('x+1', 'x^2'); time.sleep({pause})\n"
        "pool = workers._pool()\n"
        "with pool.lock: print(*[w.process.pid for w in pool.all])"
    )
    for pid in map(int, _run(code).split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    "answer",
    [
        "9^{9^{9^{9}}}",
        "((9^{9^{9}})!)!",
        "10^{10^{10}}",
        "9" + "!" * 40,
        "(" * 50_000 + "1",
        "{" * 15_000 + "1" + "}" * 15_000,
        "-" * 19_000 + "1",
        "1" + "+1" * 9_000,
        ", ".join(str(n) for n in range(3_000)),
        "(x+y+z+w)^{40}",
        "+".join(rf"\sqrt{{x+{n}}}" for n in range(300)),
        r"\frac{1}{" * 3_000 + "x" + "}" * 3_000,
        "x^" * 5_000 + "x",
        r"\sqrt" * 5_000 + "2",
        r"\text{" * 4_000 + "2",
        "|" * 10_000,
        ":" * 10_000,
        "a " * 9_000,
        "1e999999999",
        "0." + "1" * 15_000,
    ],
    ids=lambda a: a[:20],
)
def test_hostile_answers_end_soon(answer: str) -> None:
    started = time.monotonic()
    for other in ("1", "x", "(1, 2)", answer[: len(answer) // 2] or "1"):
        judge(other, answer)
        judge(answer, other)
    assert time.monotonic() - started < 16  # eight verdicts, each under two seconds
