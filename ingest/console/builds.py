"""Runs dbt on a warehouse file, as a process of its own: when it ends, the file's lock is free
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import MathmartError

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"
WATCHED = Path(__file__).with_name("watched.py")
DOCS_PAGE = "mathmart_docs.html"
FAILURES_SHOWN = 10  # the first ones explain the rest
MESSAGE_LINES = 12  # of one failure's message: what, where, and the compiled file


@dataclass(frozen=True)
class Failure:
    """A model that could not be built, or a test that found something."""

    unique_id: str
    status: str  # 'error' | 'fail'
    message: str
    path: str

    @property
    def name(self) -> str:
        return self.unique_id.split(".")[2] if self.unique_id.count(".") >= 2 else self.unique_id


@dataclass
class Outcome:
    """What a dbt run came to."""

    ok: bool
    seconds: float = 0.0
    finished: int = 0
    counts: Counter[str] = field(default_factory=Counter)  # by 'model', 'test', … and by status
    failures: list[Failure] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)  # errors before or outside any node

    def summary(self) -> str:
        """One line: what was built, what was tested, how long it took."""
        parts = [
            f"{self.counts[kind]} {name}"
            for kind, name in (
                ("seed", "seeds"),
                ("model", "models"),
                ("test", "tests"),
                ("unit_test", "unit tests"),
            )
            if self.counts[kind]
        ]
        return f"built {', '.join(parts) or 'nothing'} in {self.seconds:.0f} s"

    def report(self) -> str:
        """The failures and what to do next, or the empty text."""
        lines: list[str] = []
        for failure in self.failures[:FAILURES_SHOWN]:
            # dbt adds the chain of its own macros (`> called by …`), which helps nobody here.
            told = [
                line for line in failure.message.strip().splitlines() if line.strip()[:1] != ">"
            ]
            message = told[:MESSAGE_LINES]
            lines.append(f"{failure.status}: {failure.name} ({failure.path})")
            lines += [f"    {line}" for line in message]
        if len(self.failures) > FAILURES_SHOWN:
            lines.append(f"… and {len(self.failures) - FAILURES_SHOWN} more.")
        if not self.failures:
            lines += [c.strip() for c in self.complaints[-FAILURES_SHOWN:]]
        if skipped := self.counts["skipped"]:
            lines.append(f"{skipped} that depend on these were skipped.")
        return "\n".join(lines)


def work_folder(database: Path) -> Path:
    """Where dbt keeps its parsed state and logs for this warehouse.

    One folder per warehouse: two builds of two warehouses never write the same files, and a rebuild
    finds its parsed project again (the database's path is part of the profile, so a shared folder
    would parse anew).
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mathmart"
    key = hashlib.sha256(str(database).encode()).hexdigest()[:12]
    folder = base / f"{database.stem}-{key}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # no home to write to
        folder = Path(tempfile.gettempdir()) / "mathmart" / f"{database.stem}-{key}"
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def target_folder(database: Path) -> Path:
    """Where dbt leaves its manifest and results; DBT_TARGET_PATH names another place."""
    return Path(os.environ.get("DBT_TARGET_PATH") or work_folder(database) / "target").resolve()


def log_folder(database: Path) -> Path:
    """Where dbt logs in full; DBT_LOG_PATH names another place."""
    return Path(os.environ.get("DBT_LOG_PATH") or work_folder(database) / "logs").resolve()


def run_dbt(
    command: str,
    database: Path,
    arguments: Sequence[str] = (),
    report: Callable[[str], None] = lambda message: None,
) -> Outcome:
    """`dbt <command>` in our project, on `database`; `report` gets one line per step.

    Raises FileNotFoundError where the project or dbt itself is missing. A failed build is an
    Outcome.
    """
    script = Path(sys.executable).with_name("dbt")
    for needed in (PROJECT / "dbt_project.yml", script):
        if not needed.exists():
            raise FileNotFoundError(
                f"{needed} is missing: mathmart runs from its own checkout, set up by `make setup`."
            )
    target, logs = target_folder(database), log_folder(database)
    target.mkdir(parents=True, exist_ok=True)
    results = target / "run_results.json"
    results.unlink(missing_ok=True)
    outcome = Outcome(ok=False)
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", str(WATCHED), str(script)),
            *("--log-format", "json", "--log-level", "info", "--no-use-colors"),
            *(command, *arguments, "--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)),
            *("--target-path", str(target), "--log-path", str(logs)),
        ],
        cwd=PROJECT,
        env={**os.environ, "MATHMART_DB": str(database.resolve())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            _follow(line, outcome, report)
        outcome.ok = process.wait() == 0
    except BaseException:
        if process.stdin is not None:
            process.stdin.close()
        process.wait()
        raise
    if results.exists():
        _read_results(results, outcome)
    return outcome


def write_docs(database: Path, report: Callable[[str], None] = lambda message: None) -> Path:
    """dbt's documentation of the warehouse as one page without a server; returns where it is.

    Raises MathmartError when dbt cannot write it.
    """
    outcome = run_dbt("docs", database, ["generate", "--static"], report)
    made = target_folder(database) / "static_index.html"
    if not outcome.ok or not made.exists():
        raise MathmartError(f"dbt could not write the documentation.\n{outcome.report()}")
    page = database.with_name(DOCS_PAGE)
    shutil.copyfile(made, page)
    return page


def _follow(line: str, outcome: Outcome, report: Callable[[str], None]) -> None:
    """One line of dbt's log: a step done, a complaint, or something a function printed."""
    try:
        event = json.loads(line)
        info, data = event["info"], event.get("data", {})
    except (ValueError, KeyError, TypeError):
        if line.strip():
            report(line.strip())
            outcome.complaints.append(line.rstrip())
        return
    if "index" in data and "total" in data:
        node = data.get("node_info", {}).get("node_name") or data.get("name", "")
        if "status" in data:
            outcome.finished += 1
        report(f"{outcome.finished} of {data['total']} done: {node}")
    elif info.get("level") == "error":
        outcome.complaints.append(info.get("msg", ""))
    elif info.get("name") in ("MainReportVersion", "ConcurrencyLine"):
        report("reading the project")


def _read_results(path: Path, outcome: Outcome) -> None:
    results = json.loads(path.read_text(encoding="utf-8"))
    outcome.seconds = float(results.get("elapsed_time") or 0)
    for result in results["results"]:
        unique_id, status = result["unique_id"], result["status"]
        outcome.counts[unique_id.split(".")[0]] += 1
        outcome.counts[status] += 1
        if status in ("error", "fail", "runtime error"):
            outcome.failures.append(
                Failure(
                    unique_id,
                    "fail" if status == "fail" else "error",
                    result.get("message") or "",
                    _defined_in(unique_id, path.with_name("manifest.json")),
                )
            )


def _defined_in(unique_id: str, manifest: Path) -> str:
    """The project file that defines a node."""
    nodes = json.loads(manifest.read_text(encoding="utf-8"))
    for group in ("nodes", "unit_tests"):
        if node := nodes.get(group, {}).get(unique_id):
            return f"dbt_project/{node['original_file_path']}"
    return unique_id
