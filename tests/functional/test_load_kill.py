"""kill -9 at any moment of a load loses and doubles nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

# `make kills` has thirty.
KILLS = int(os.environ.get("MATHMART_KILLS", "8"))
FILES, ROWS = 12, 800
# Batches of one file, so that there are as many moments between transactions as files. What is timed
# begins when all modules are there: a kill before that hits no load.
LOAD = """
import sys
import ingest.batching as batching
from ingest.load import load
batching.BATCH_BYTES = 1 << 19
print("begins", flush=True)
load(sys.argv[1], "outputs", [sys.argv[2]])
"""
ROOT = Path(__file__).resolve().parents[2]


def counts(db: Path) -> list[int]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return [
            connection.execute(f"select count(*) from raw.{table}").fetchall()[0][0]
            for table in ("problems", "runs", "responses", "rejects")
        ]


def start(db: Path, folder: Path) -> subprocess.Popen:
    """A load whose modules are there."""
    process = subprocess.Popen(
        [sys.executable, "-c", LOAD, str(db), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "begins\n"
    return process


@pytest.mark.timed
def test_killed_loads_end_like_an_undisturbed_one(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(FILES):
        rows = [
            json.dumps({"problem_id": f"{n}", "response": "x" * 1000, "model": f"m{number}"})
            for n in range(ROWS)
        ]
        (folder / f"f{number:02}.jsonl").write_text("\n".join([*rows, "cut {"]))
    clean, hurt = tmp_path / "clean.duckdb", tmp_path / "hurt.duckdb"
    process = start(clean, folder)
    began = time.monotonic()
    assert process.wait() == 0
    duration = time.monotonic() - began

    rng = random.Random(7)
    hits = 0
    for _ in range(KILLS):
        process = start(hurt, folder)
        time.sleep(rng.uniform(0, duration))
        process.kill()
        hits += process.wait() == -signal.SIGKILL
    assert hits >= KILLS / 4, "most loads had ended before they were killed"
    assert start(hurt, folder).wait() == 0
    assert counts(hurt) == counts(clean) == [0, FILES, FILES * ROWS, FILES]
    with duckdb.connect(str(hurt), read_only=True) as connection:
        doubled = connection.execute(
            "select response_id from raw.responses group by 1 having count(*) > 1"
        ).fetchall()
    assert doubled == []
