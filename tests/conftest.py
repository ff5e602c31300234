"""Fixtures that many tests share: real files beside the repository, and warehouses."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import ROOT, Warehouse


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
    """The warehouse that `mathmart demo` makes: read it, do not write to it.

    MATHMART_DEMO_DB names one that `make test` has made already, by a build of the same files.
    """
    if made := os.environ.get("MATHMART_DEMO_DB"):
        return Warehouse(Path(made))
    warehouse = Warehouse(tmp_path_factory.mktemp("demo") / "demo.duckdb")
    warehouse.mathmart("demo")
    return warehouse


@pytest.fixture
def demo_copy(demo: Warehouse, tmp_path: Path) -> Warehouse:
    """A copy of the demo's warehouse, to write to: what reads the demo may run at the same time."""
    return Warehouse(Path(shutil.copy(demo.path, tmp_path / "demo.duckdb")))
