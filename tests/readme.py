"""Keeps README.md true: runs what it quotes, and writes the output back (`make readme`)."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT, Warehouse

README = ROOT / "README.md"
OUTPUT = re.compile(r"<!-- output: (?P<command>.+?) -->\n```text\n(?P<text>.*?)```", re.DOTALL)
FENCE = re.compile(r"```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
EXAMPLE = re.compile(r"<!-- example: (?P<name>\S+) -->\n```json\n(?P<text>.*?)```", re.DOTALL)
REPORT = re.compile(r"<!-- quoted: (?P<name>\S+) -->\n(?P<text>.*?)\n<!-- end -->", re.DOTALL)
OWN_FILES = re.compile(r"<!-- own files -->\n```console\n(?P<text>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Quoted:
    """A command of the README, and the output it shows for it."""

    command: str
    text: str


def quoted(text: str) -> Iterator[Quoted]:
    """Every quoted output."""
    for match in OUTPUT.finditer(text):
        yield Quoted(match["command"], match["text"])


def report(name: str) -> str:
    """What a file that a benchmark wrote says below its title."""
    return (ROOT / name).read_text(encoding="utf-8").split("\n", 1)[1].strip()


def blocks(text: str, language: str) -> list[str]:
    """The contents of every fenced block of a language."""
    return [match["text"] for match in FENCE.finditer(text) if match["language"] == language]


def output(command: str, warehouse: Warehouse) -> str:
    """What a command prints on the demo's warehouse."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=warehouse.path.parent,
        capture_output=True,
        text=True,
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "MATHMART_DB": str(warehouse.path),
            "LANG": "C.UTF-8",
        },
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def regenerate() -> None:
    """Writes the present output of every quoted command into README.md."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse(Path(folder) / "demo.duckdb")
        warehouse.mathmart("demo")
        text = README.read_text(encoding="utf-8")
        fresh = OUTPUT.sub(
            lambda m: (
                f"<!-- output: {m['command']} -->\n```text\n{output(m['command'], warehouse)}```"
            ),
            text,
        )
    fresh = REPORT.sub(
        lambda m: f"<!-- quoted: {m['name']} -->\n{report(m['name'])}\n<!-- end -->", fresh
    )
    README.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    regenerate()
