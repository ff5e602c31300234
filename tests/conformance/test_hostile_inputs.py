"""Inputs that hang, blow up or try to run code in other graders: answered in time, in little memory, and right."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from udfs.judge import equivalent, grade

pytestmark = pytest.mark.timed

ROOT = Path(__file__).resolve().parents[2]

MAX_SECONDS = 3.0
MAX_MEGABYTES = 1024

# One case a line on stdin, one answer a line on stdout, all in one process and a folder of its own.
ASK = """
import json, resource, sys, time
from tests.support import peak_megabytes
from udfs.judge import equivalent, grade
equivalent("1", "2")
for line in sys.stdin:
    case = json.loads(line)
    judge = equivalent if case["kind"] == "pair" else grade
    text = case["answer"] if case["kind"] == "pair" else case["response"]
    started = time.perf_counter()
    error = None
    verdict = None
    try:
        verdict = judge(case["gold"], text)
    except BaseException as raised:
        error = repr(raised)
    seconds = time.perf_counter() - started
    print(json.dumps({"id": case["case_id"], "verdict": verdict, "error": error, "seconds": seconds}))
workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(json.dumps({"megabytes": max(peak_megabytes(), workers)}))
"""


@pytest.fixture(scope="module")
def cases(shared: Path) -> list[dict]:
    file = shared / "grading/hostile.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def answers(cases: list[dict], tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, int, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=len(cases) * MAX_SECONDS * 2,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, last = map(json.loads, done.stdout.splitlines())
    return {line["id"]: line for line in lines}, last["megabytes"], folder


def test_every_case_is_answered_in_time(cases: list[dict], answers: tuple) -> None:
    assert len(answers[0]) == len(cases) == 72
    # On a machine that others keep busy, a second of work takes as long as there are takers for a core.
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    slow = {i: a["seconds"] for i, a in answers[0].items() if a["seconds"] >= MAX_SECONDS * crowd}
    assert slow == {}


def test_none_raises(answers: tuple) -> None:
    assert {i: a["error"] for i, a in answers[0].items() if a["error"]} == {}


def test_none_is_executed(answers: tuple) -> None:
    assert list(answers[2].iterdir()) == []


def test_memory(answers: tuple) -> None:
    assert answers[1] < MAX_MEGABYTES


def test_known_labels_are_met(cases: list[dict], answers: tuple) -> None:
    wrong = {
        case["case_id"]: (case["hclass"], case["label"])
        for case in cases
        if case["label"] is not None and answers[0][case["case_id"]]["verdict"] != case["label"]
    }
    assert wrong == {}


@pytest.mark.parametrize("judge", [equivalent, grade])
@pytest.mark.parametrize(("gold", "text"), [(None, "1"), ("1", None), (None, None)])
def test_what_is_not_there_is_not_right(judge, gold, text) -> None:
    assert judge(gold, text) is False
