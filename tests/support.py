"""What tests of the whole product need: the repository, and a warehouse to load and build in."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parent.parent


def peak_megabytes() -> int:
    """The most memory that this process has held, in MB.

    On Linux not by getrusage: a process started by another begins there with the peak of its parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (peak,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) >> 10
    peak_here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_here >> (20 if sys.platform == "darwin" else 10)


def heed_interrupts() -> None:
    """For `preexec_fn`: what a shell starts in the background ignores SIGINT, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def dbt(
    *arguments: str, database: Path, folder: Path, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """dbt run by hand on `database`, as its documentation says; it keeps its files in `folder`."""
    return subprocess.run(
        [Path(sys.executable).with_name("dbt"), *arguments],
        cwd=ROOT / "dbt_project",
        capture_output=True,
        text=True,
        timeout=timeout,
        env={
            **os.environ,
            "MATHMART_DB": str(database),
            "DBT_TARGET_PATH": str(folder / "target"),
            "DBT_LOG_PATH": str(folder / "logs"),
        },
    )


@dataclass(frozen=True)
class Warehouse:
    """A warehouse file and the ways a test uses it: through the command line, and by SQL."""

    path: Path

    def mathmart(
        self, *arguments: str | os.PathLike[str], expect: int | None = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `mathmart` on this file and check its exit code (`expect=None` accepts any)."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", "--db", str(self.path), *map(str, arguments)],
            cwd=self.path.parent,
            capture_output=True,
            text=True,
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
        )
        if expect is not None and done.returncode != expect:
            pytest.fail(
                f"mathmart {' '.join(map(str, arguments))}: exit code {done.returncode}, "
                f"expected {expect}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
            )
        return done

    def load(self, kind: str, *paths: str | os.PathLike[str], **options: str) -> None:
        """`load("outputs", path, model="m")` is `mathmart load outputs path --model m`."""
        given = [part for name, value in options.items() for part in (f"--{name}", value)]
        self.mathmart("load", kind, *paths, *given)

    def build(self, select: Sequence[str] = ()) -> None:
        """One dbt build; `select` narrows it to these models and what they read."""
        selected = ["--select", " ".join(select)] if select else []
        self.mathmart("build", *selected)

    def rows(self, sql: str, parameters: object = None) -> list[tuple]:
        """Rows of a query, through a read-only connection that is closed again."""
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return connection.execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: object = None) -> object:
        """The one value of a query."""
        rows = self.rows(sql, parameters)
        assert len(rows) == 1 and len(rows[0]) == 1, f"expected one value, got {rows[:3]}"
        return rows[0][0]
