"""Files stay of a size and a content that anyone would open."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import ROOT

LINES = 700  # aim for 400; a file of code that grows past this holds two ideas
DATA_KILOBYTES = 600  # cases and demo files; more belongs beside the repository
CODE = {".py", ".sql", ".yml", ".toml", ".mk", ".sh"}
TOP_LEVEL = {
    ".ci",
    ".gitignore",
    ".sqlfluff",
    ".sqlfluffignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "DECISIONS.md",
    "Makefile",
    "README.md",
    "benchmarks",
    "cli.py",
    "dbt_project",
    "ingest",
    "pyproject.toml",
    "requirements.lock",
    "tests",
    "udfs",
}
# A path of somebody's machine, and a key that should never have been typed.
FORBIDDEN = {
    "an absolute path of a machine": re.compile(r"(?<![\w.])/(?:home|root|work|Users)/[a-z]\w*"),
    "a package index": re.compile(r"--index-url\s|--find-links\s|files\.pythonhosted"),
    "a key": re.compile(r"\bsk-(?:proj-)?[A-Za-z0-9]{24,}"),
}


@cache
def tracked() -> tuple[Path, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so nothing says which files belong to it")
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def test_the_top_level_is_what_the_design_says() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= TOP_LEVEL


def test_no_file_of_code_is_too_long_to_read() -> None:
    too_long = {
        str(path.relative_to(ROOT)): lines
        for path in tracked()
        if path.suffix in CODE and (lines := path.read_bytes().count(b"\n")) > LINES
    }
    assert too_long == {}


def test_no_data_file_is_too_big() -> None:
    too_big = {
        str(path.relative_to(ROOT)): path.stat().st_size // 1024
        for path in tracked()
        if path.stat().st_size > DATA_KILOBYTES * 1024
    }
    assert too_big == {}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    pattern = FORBIDDEN[what]
    here = Path(__file__).resolve()
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), 1)
            if path.resolve() != here and pattern.search(line)
        ]
    assert found == []


def test_the_lock_names_exact_versions_and_nothing_else() -> None:
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            assert re.match(r"[A-Za-z0-9._-]+==[^ ]+( ; [^#]+)?( +# via .*)?$", line), line


def test_the_lock_pins_everything_the_project_asks_for() -> None:
    """A package named in pyproject.toml alone is missing from every fresh checkout."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line.split(" #")[0]) for line in lines if line and line[0] not in "#-"]
    versions = {canonicalize_name(pin.name): str(pin.specifier).lstrip("=") for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    for requirement in map(Requirement, asked):
        version = versions.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not in requirements.lock: make lock"
        assert requirement.specifier.contains(version), f"{requirement} is locked at {version}"
