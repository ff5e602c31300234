"""solve, concepts, embed and judge as users type them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

import cli
from ingest.load import load
from ingest.models.commands import run_solve
from ingest.models.journal import AlreadyAsking, Journal, Load, journal_folder
from ingest.models.limits import Limits
from tests.functional.models.endpoint_server import EndpointServer
from tests.support import ROOT, Warehouse, heed_interrupts


@pytest.fixture
def problems(warehouse: Warehouse, tmp_path: Path) -> Warehouse:
    path = tmp_path / "problems.jsonl"
    lines = [
        {"problem_id": str(n), "question": f"{n} + {n}?", "gold_answer": str(2 * n), "gold_solution": "add"}
        for n in range(1, 6)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    load(warehouse.path, "problems", [path], dataset="d")
    return warehouse


def ask(capsys: pytest.CaptureFixture[str], path: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command, run in this process."""
    capsys.readouterr()
    code = cli.run(["--db", str(path), *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_four_commands(
    problems: Warehouse, point_at: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with EndpointServer(
        text=lambda request: "True" if "Student" in request.last else "【2】"
    ) as server:
        point_at(server)
        solve = ("solve", "--dataset", "d", "--model", "m", "-n", "2")
        assert "10 requests" in ask(capsys, problems.path, *solve, "--dry-run")[1]
        assert not server.requests
        assert "10 answers, 0 without a reply" in ask(capsys, problems.path, *solve)[1]
        assert "already there" in ask(capsys, problems.path, *solve)[1]
        assert len(server.requests) == 10
        assert "10 verdicts" in ask(capsys, problems.path, "judge", "--model", "j")[1]
    assert "solutions" in ask(capsys, problems.path, "concepts")[1]
    assert "texts" in ask(capsys, problems.path, "embed")[1]
    assert problems.value("select count(*) from raw.model_verdicts where verdict = 'true'") == 10


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["solve", "--dataset", "nowhere", "--model", "m"], 1, "Datasets here: d"),
        (["solve", "--dataset", "d", "--model", "m", "--prompt", "none"], 2, "neither bundled"),
        (["solve", "--dataset", "d", "--model", "m", "--max-cost", "1"], 2, "no price is known"),
        (["solve", "--dataset", "d", "--model", "m", "-n", "0"], 2, "-n"),
        (["solve", "--dataset", "d"], 2, "--model"),
    ],
)
def test_mistakes_are_explained(
    problems: Warehouse,
    key: str,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    exit_code, out, errors = ask(capsys, problems.path, *arguments)
    assert (exit_code, out) == (code, "")
    assert message in errors


@pytest.mark.timed
def test_an_interrupt_keeps_what_is_finished(problems: Warehouse, point_at: Any) -> None:
    with EndpointServer(delay=0.3) as server:
        point_at(server)
        child = subprocess.Popen(
            [sys.executable, "-m", "cli", "--db", str(problems.path), "solve", "--dataset", "d",
             "--model", "m", "-n", "9", "--concurrency", "2"],
            cwd=ROOT, env={**os.environ}, stderr=subprocess.PIPE, text=True,
            preexec_fn=heed_interrupts,
        )  # fmt: skip
        while len(server.requests) < 6 and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        assert child.returncode == 130 and "Traceback" not in errors
    assert 4 <= int(str(problems.value("select count(*) from raw.responses"))) <= 8
    assert not journal_folder(problems.path).exists()


@pytest.mark.timed
def test_what_had_come_when_a_run_is_ended_is_kept(
    add_problems: Any, point_at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers come faster than they are kept, so that some always wait to be read."""
    path = add_problems(1000)
    limits = Limits(concurrency=32)
    append = Journal.append

    def slowly(journal: Journal, table: str, rows: list[dict[str, Any]]) -> None:
        time.sleep(0.003)
        append(journal, table, rows)
        if len(server.requests) > 300 and not ended:
            ended.append(True)
            os.kill(os.getpid(), signal.SIGTERM)

    ended: list[bool] = []
    monkeypatch.setattr(Journal, "append", slowly)
    with EndpointServer(delay=0.02) as server:
        point_at(server)
        with pytest.raises(KeyboardInterrupt):
            run_solve(path, dataset="d", model="m", limits=limits)
        n_asked = len(server.requests)
    ((n_kept,),) = Warehouse(path).rows("select count(*) from raw.responses")
    assert n_asked - n_kept <= limits.concurrency


def test_answers_wait_in_the_journal_while_another_program_holds_the_file(
    problems: Warehouse, point_at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = None
    waited = []

    def hold(progress: Any) -> None:
        nonlocal holder
        waited.append(progress.is_waiting)
        if holder is None:
            code = (
                "import duckdb, sys, time\n"
                "for _ in range(500):\n"
                "    try:\n"
                "        duckdb.connect(sys.argv[1]); break\n"
                "    except duckdb.Error: time.sleep(0.01)\n"
                "print('held', flush=True); time.sleep(4)"
            )
            holder = subprocess.Popen(
                [sys.executable, "-c", code.replace("duckdb.connect", "c = duckdb.connect"),
                 str(problems.path)],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert holder.stdout is not None and holder.stdout.readline() == "held\n"

    with EndpointServer(delay=0.2) as server:
        point_at(server)
        limits = Limits(concurrency=1)
        outcome = run_solve(
            problems.path, dataset="d", model="m", rollouts=3, limits=limits, on_progress=hold
        )
    assert holder is not None
    holder.wait(30)
    assert outcome.done == 15 and any(waited)
    with duckdb.connect(str(problems.path), read_only=True) as connection:
        assert connection.execute("select count(*) from raw.responses").fetchall() == [(15,)]
    assert not journal_folder(problems.path).exists()


def test_the_same_questions_are_not_asked_twice_at_a_time(problems: Warehouse) -> None:
    load_row = Load("outputs", "somewhere#m", "0" * 64, "d", "m", "p")
    with Journal(problems.path, "run", load_row):
        with pytest.raises(AlreadyAsking, match="another process"):
            Journal(problems.path, "run", load_row).__enter__()
        with Journal(problems.path, "another-run", load_row):
            pass
    with Journal(problems.path, "run", load_row):
        pass
    assert not journal_folder(problems.path).exists()
