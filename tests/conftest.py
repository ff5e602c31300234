"""Fixtures that many tests share: real files beside the repository, warehouses to load and build."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Warehouse:
    """A warehouse file and the ways a test uses it: through the command line, and by SQL."""

    path: Path

    def mathmart(
        self, *arguments: str | os.PathLike[str], expect: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run `mathmart` on this file and check its exit code (`expect=None` accepts any)."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", "--db", str(self.path), *map(str, arguments)],
            cwd=self.path.parent,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
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
        self.mathmart("build", *(["--select", " ".join(select)] if select else []))

    def rows(self, sql: str, parameters: object = None) -> list[tuple]:
        """Rows of a query, through a read-only connection that is closed again."""
        with duckdb.connect(str(self.path), read_only=True) as connection:
            return connection.execute(sql, parameters).fetchall()

    def value(self, sql: str, parameters: object = None) -> object:
        """The one value of a query."""
        rows = self.rows(sql, parameters)
        assert len(rows) == 1 and len(rows[0]) == 1, f"expected one value, got {rows[:3]}"
        return rows[0][0]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real files and reference results beside the repository."""
    folder = Path(os.environ.get("MATHMART_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no real files at {folder} (MATHMART_SHARED names the folder)")
    return folder


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """A warehouse file that does not exist yet, in a folder of its own."""
    return Warehouse(tmp_path / "test.duckdb")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Warehouse]:
    """`built("name", fill)`: a warehouse that `fill(warehouse)` loaded and one dbt build finished.

    The same name gives the same warehouse to every test of the session: read it, never write.
    """
    made: dict[str, Warehouse] = {}

    def build(name: str, fill: Callable[[Warehouse], None]) -> Warehouse:
        if name not in made:
            warehouse = Warehouse(tmp_path_factory.mktemp(name) / f"{name}.duckdb")
            fill(warehouse)
            warehouse.build()
            made[name] = warehouse
        return made[name]

    return build


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The warehouse that `mathmart demo` makes: read it, do not write to it."""
    warehouse = Warehouse(tmp_path_factory.mktemp("demo") / "demo.duckdb")
    warehouse.mathmart("demo")
    return warehouse
