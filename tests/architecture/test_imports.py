"""Who may know whom, beyond what the import contracts in pyproject.toml say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT


def imported(path: Path) -> set[str]:
    """Every module a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_command_line_knows_ingest_and_the_registry_alone() -> None:
    ours = {name for name in imported(ROOT / "cli.py") if name.split(".")[0] in ("udfs", "dbt")}
    assert ours == {"udfs.registry"}


def test_nothing_but_the_ask_package_knows_the_network() -> None:
    network = ("openai", "httpx", "requests", "urllib.request", "socket", "aiohttp")
    offenders = [
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("ingest", "udfs")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.parts[-2] != "models" and "models" not in path.relative_to(ROOT).parts
        for name in imported(path)
        if name.startswith(network)
    ]
    assert offenders == []
