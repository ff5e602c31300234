"""Builds: by hand, killed, and failing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from tests.support import ROOT, Warehouse, dbt

# Rounded: two threads add doubles in any order, which moves the last digit.
FIGURES = """
    select
        metric_id, metric_version, verdict_source, run_id, slice_kind, slice_value, k,
        round(numerator, 9), round(denominator, 9), round(value, 9)
    from marts.metric_values
    order by all
"""


@pytest.fixture
def loaded(demo: Warehouse, tmp_path: Path) -> Warehouse:
    """The demo's rows, loaded but not built."""
    warehouse = Warehouse(tmp_path / "copy.duckdb")
    code = (
        "import sys; from pathlib import Path; from ingest.console import demo;"
        "demo.load(Path(sys.argv[1]), lambda message: None)"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(warehouse.path)],
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return warehouse


def start_build(warehouse: Warehouse) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cli", "--db", str(warehouse.path), "build"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.slow
def test_a_killed_build_leaves_a_database_that_opens_and_completes(
    loaded: Warehouse, demo: Warehouse
) -> None:
    responses = loaded.value("select count(*) from raw.responses")
    dice = random.Random(7)
    for _ in range(3):
        process = start_build(loaded)
        time.sleep(dice.uniform(4, 14))
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 10  # dbt ends with its starter; its lock goes with it
        while loaded.mathmart("show", "loads", expect=None).returncode == 3:
            assert time.monotonic() < deadline, "the killed build still holds the lock"
            time.sleep(0.2)
        assert loaded.value("select count(*) from raw.responses") == responses
    loaded.build()
    assert loaded.rows(FIGURES) == demo.rows(FIGURES)


@pytest.mark.slow
def test_dbt_build_by_hand_gives_the_same_figures(
    loaded: Warehouse, demo: Warehouse, tmp_path: Path
) -> None:
    done = dbt(
        "build", "--exclude-resource-type", "unit_test", database=loaded.path, folder=tmp_path
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert loaded.rows(FIGURES) == demo.rows(FIGURES)


def test_responses_are_those_of_the_last_build(demo_copy: Warehouse) -> None:
    """A load or a question asked again changes stored rows; the marts wait for the next build."""
    query = "from marts.responses order by response_id"
    before = demo_copy.rows(query)
    with duckdb.connect(str(demo_copy.path)) as connection:
        connection.execute(
            "update raw.responses set cost_usd = 1.5, finish_reason = 'stop', failure_kind = null, "
            "response = 'The answer is 1.', reported_answer = '1', load_id = 'later'"
        )
    assert demo_copy.rows(query) == before


@pytest.mark.slow
def test_a_failing_test_is_named_with_its_file_and_reason(demo_copy: Warehouse) -> None:
    """Two loads under one id cannot come from the loader; a data test must notice, and say so."""
    with duckdb.connect(str(demo_copy.path)) as connection:
        connection.execute("insert into raw.problems select * from raw.problems limit 1")
    done = demo_copy.mathmart("build", "--select", "problems", expect=1)
    assert "fail: " in done.stderr and "(dbt_project/" in done.stderr
    assert "dbt.log" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelt_model_is_an_error(demo_copy: Warehouse) -> None:
    done = demo_copy.mathmart("build", "--select", "leaderbord", expect=2)
    assert "Nothing was built" in done.stderr and "--select" in done.stderr


@pytest.mark.slow
def test_docs_are_one_page_with_every_mart(demo_copy: Warehouse) -> None:
    page = Path(demo_copy.mathmart("docs").stdout.strip())
    text = page.read_text(encoding="utf-8")
    assert page.parent == demo_copy.path.parent
    for (name,) in demo_copy.rows(
        "select table_name from information_schema.tables where table_schema = 'marts'"
    ):
        assert name in text
