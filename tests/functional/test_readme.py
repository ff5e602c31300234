"""README.md is true: its outputs are the present ones, its recipes run, its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
import typer

import cli
from tests import readme
from tests.support import ROOT, Warehouse

TEXT = readme.README.read_text(encoding="utf-8")
HELP = typer.main.get_command(cli.app)
COMMANDS = HELP.commands  # type: ignore[attr-defined]
MENTION = re.compile(r"mathmart(?: --db \S+)? ([a-z][a-z-]*)([^\n|<]*)")
# Where a text shows what to type: fenced blocks, code spans, indented lines and lines of examples.
CODE = re.compile(
    r"```console\n(.*?)```|(?<!`)`([^`\n]+)`(?!`)|^ {4}(mathmart .*)$", re.DOTALL | re.MULTILINE
)


def documents() -> dict[str, str]:
    """Every text that tells users which commands there are."""
    texts = {
        name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")
    }
    texts |= {
        f"mathmart {name} --help": (command.help or "").replace("\n", "\n    ")
        for name, command in COMMANDS.items()
    }
    return texts


@pytest.mark.parametrize(
    "quoted", list(readme.quoted(TEXT)), ids=lambda quoted: quoted.command[:60]
)
def test_a_quoted_output_is_what_the_command_prints(demo: Warehouse, quoted: readme.Quoted) -> None:
    assert readme.output(quoted.command, demo) == quoted.text, "run `make readme`"


def test_quoted_measurements_are_those_last_written() -> None:
    quotations = list(readme.REPORT.finditer(TEXT))
    assert quotations
    for quotation in quotations:
        assert readme.report(quotation["name"]) == quotation["text"], "run `make readme`"


@pytest.mark.parametrize("sql", readme.blocks(TEXT, "sql"), ids=lambda sql: sql.split("\n")[0][:60])
def test_a_recipe_runs_and_finds_rows(demo: Warehouse, sql: str) -> None:
    with duckdb.connect(str(demo.path), read_only=True) as connection:
        assert connection.execute(sql).fetchall()


def test_the_readmes_own_file_loads_builds_and_shows(tmp_path: Path) -> None:
    """The walk a new user takes, as it is printed."""
    example = readme.EXAMPLE.search(TEXT)
    walk = readme.OWN_FILES.search(TEXT)
    assert example and walk
    (tmp_path / example["name"]).write_text(example["text"], encoding="utf-8")
    here = Warehouse(tmp_path / "mine.duckdb")
    shown = ""
    for line in walk["text"].strip().splitlines():
        shown = readme.output(line, here)
    assert shown.splitlines()[2].split()[:3] == ["my_set", "my-model", "zeroshot"]
    outcomes = here.rows("select outcome from marts.responses order by problem_id, rollout_no")
    assert outcomes == [("correct",), ("incorrect",), ("correct",), ("no_reply",)]


@pytest.mark.parametrize("place", documents())
def test_every_command_mentioned_exists_with_its_options(place: str) -> None:
    typed = "\n".join(part for parts in CODE.findall(documents()[place]) for part in parts if part)
    for match in MENTION.finditer(typed):
        command, rest = match[1], match[2]
        assert command in COMMANDS, match[0]
        options = {name for parameter in COMMANDS[command].params for name in parameter.opts} | {
            "--help"
        }
        for word in re.findall(r"(?<=\s)--[a-z-]+", rest):
            assert word in options, match[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches_by_example_and_is_in_the_readme(name: str) -> None:
    assert f"mathmart {name}" in TEXT
    text = COMMANDS[name].help or ""
    assert f"mathmart {name}" in text or f" {name}" in text
    assert len(text.splitlines()[0]) <= 60, "the list of commands cuts longer first lines"
    for parameter in COMMANDS[name].params:
        assert parameter.help, f"{name}: {parameter.name} says nothing"


def test_the_table_of_marts_is_complete(demo: Warehouse) -> None:
    listed = set(re.findall(r"^\| `marts\.(\w+)` \|", TEXT, re.MULTILINE))
    there = demo.rows(
        "select table_name from information_schema.tables where table_schema = 'marts'"
    )
    assert {name for (name,) in there} == listed
