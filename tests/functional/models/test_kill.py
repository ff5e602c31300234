"""Killed at any moment, a run loses what was in flight and nothing else, and asks nothing twice."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.models.journal import journal_folder
from ingest.models.runner import READY_SHARE
from tests.functional.models.endpoint_server import EndpointServer, Faults, Request

pytestmark = pytest.mark.timed

CONCURRENCY = 32
SOLVE = """
import sys
from pathlib import Path
from ingest.models import endpoint
from ingest.models.commands import run_solve
from ingest.models.limits import Limits
endpoint.LONGEST_WAIT_SECONDS = 0.2
limits = Limits(concurrency=int(sys.argv[3]), timeout=1.0, attempts=20)
path, rollouts = Path(sys.argv[1]), int(sys.argv[2])
run_solve(path, dataset="d", model="m", rollouts=rollouts, seed=1, limits=limits)
"""
KINDS = ("429", "429 retry-after", "500", "cut", "broken json", "empty", "slow", "same id")
FAULTS = dict.fromkeys(KINDS, 0.01) | {"refusal": 0.0, "truncated": 0.01, "hang": 0.002}
GOOD = (None, "same id", "slow", "truncated")


def question_of(request: Request) -> tuple[str, int]:
    """What identifies a row at the server: the question and the seed, which tells the rollout."""
    return request.last, request.body["seed"]


def kept(path: Path) -> set[str]:
    """Ids of all answers that are safe: in the warehouse or, whole, in the journal."""
    ids: set[str] = set()
    for segment in journal_folder(path).glob("*.jsonl"):
        for line in segment.read_text().split("\n")[:-1]:
            ids |= {row["response_id"] for row in json.loads(line)["rows"]}
    with duckdb.connect(str(path)) as connection:
        found = connection.execute("select response_id from raw.responses").fetchall()
    return ids | {str(row[0]) for row in found}


def id_of(run_id: str, request: Request) -> str:
    number = request.last.removeprefix("Question ").partition(":")[0]
    text = f"{run_id}|d/{number}|{request.body['seed']}"
    return hashlib.md5(text.encode()).hexdigest()[:20]


def run_under_kills(path: Path, n_problems: int, n_rollouts: int, n_kills: int) -> dict[str, Any]:
    """Run to the end under `n_kills` random kills; check every promise; return what was seen."""
    dice = random.Random(11)
    started = time.monotonic()
    killed_after, repeated, n_before = [], [], 0
    command = [sys.executable, "-c", SOLVE, str(path), str(n_rollouts), str(CONCURRENCY)]
    with EndpointServer(fault=Faults(FAULTS), delay=0.1, retry_after=0.2) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.url}
        while len(killed_after) < n_kills:
            safe = kept(path)
            if len(safe) == n_problems * n_rollouts:
                break
            n_before = len(server.requests)
            child = subprocess.Popen(command, env=environment)
            # Die somewhere between the first request and the point where this kill's share is done.
            share = (n_problems * n_rollouts) / (n_kills + 1)
            wanted = n_before + dice.uniform(0, 1.6) * share
            while child.poll() is None and len(server.requests) < max(wanted, n_before + 1):
                time.sleep(0.002)
            time.sleep(dice.uniform(0, 0.1))
            if child.poll() is not None:
                break
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            killed_after.append(len(server.requests) - n_before)
            with duckdb.connect(str(path)) as connection:
                ((run_id,),) = connection.execute("select run_id from raw.runs").fetchall()
            arrived = server.requests[n_before:]
            repeated += [request for request in arrived if id_of(run_id, request) in safe]
        safe = kept(path)
        n_before = len(server.requests)
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with duckdb.connect(str(path)) as connection:
            ((run_id,),) = connection.execute("select run_id from raw.runs").fetchall()
        arrived = server.requests[n_before:]
        repeated += [request for request in arrived if id_of(run_id, request) in safe]
    with duckdb.connect(str(path), read_only=True) as connection:
        counts = connection.execute(
            "select count(*), count(distinct response_id), count(failure_kind) from raw.responses"
        ).fetchall()
        loaded = connection.execute("select sum(rows_loaded) from raw.loads").fetchall()
    good = Counter(question_of(r) for r in server.requests if r.fault in GOOD)
    total = n_problems * n_rollouts
    assert counts == [(total, total, 0)]
    assert loaded == [(total,)]
    assert repeated == []  # nothing is asked again once its answer was kept
    # What the server answered in vain was in flight or unread at a kill, or came after a deadline.
    assert len(good) == total
    at_a_kill = math.ceil(CONCURRENCY * (1 + READY_SHARE))
    assert sum(good.values()) - total <= at_a_kill * len(killed_after) + server.outcomes["slow"]
    assert not journal_folder(path).exists()
    return {
        "kills": len(killed_after),
        "requests": len(server.requests),
        "answered in vain": sum(good.values()) - total,
        "seconds": round(time.monotonic() - started, 1),
        "faults": dict(server.outcomes),
    }


def test_a_run_survives_kills(add_problems: Any, key: str) -> None:
    seen = run_under_kills(add_problems(60), 60, 10, n_kills=3)
    assert seen["kills"] >= 2


@pytest.mark.skipif(
    "MATHMART_TWENTY_KILLS" not in os.environ, reason="takes minutes: make bench-kills"
)
def test_a_thousand_problems_survive_twenty_kills(add_problems: Any, key: str) -> None:
    seen = run_under_kills(add_problems(1000), 1000, 4, n_kills=20)
    print(seen)
    assert seen["kills"] == 20
