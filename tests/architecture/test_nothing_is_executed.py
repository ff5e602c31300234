"""Text from outside is never evaluated as code: no `eval`, `exec`, `sympify`, `parse_expr`, `compile`, nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    [ROOT / "cli.py", *(ROOT / "ingest").rglob("*.py"), *(ROOT / "udfs").rglob("*.py")]
)

# Names that turn text into code, whoever they are called on.
FORBIDDEN = {
    "eval", "exec", "compile", "sympify", "parse_expr", "S", "lambdify", "__import__",
    "loads_pickle", "system", "popen", "read_pickle",
}  # fmt: skip
# What only looks like one of them.
ALLOWED = {("re", "compile")}
# Modules that would do it for us.
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "code", "codeop", "sympy.parsing", "timeit"}


def called(node: ast.Call) -> tuple[str, str]:
    """Owner and name of what is called: ('re', 'compile'), ('', 'eval')."""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value
        return (owner.id if isinstance(owner, ast.Name) else "?", node.func.attr)
    return ("", node.func.id if isinstance(node.func, ast.Name) else "?")


def offences(source: str) -> list[str]:
    """Every call, import and mention in a source that could turn text into code."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            owner, name = called(node)
            if name in FORBIDDEN and (owner, name) not in ALLOWED and name != "S":
                found.append(f"line {node.lineno}: {owner}.{name}()")
            if name == "S" and owner in ("", "sympy", "sp"):
                found.append(f"line {node.lineno}: sympy's S() evaluates text")
            if name in ("run", "Popen", "call", "check_output") and any(
                keyword.arg == "shell" for keyword in node.keywords
            ):
                found.append(f"line {node.lineno}: a shell")
        elif isinstance(node, ast.Name) and node.id in ("eval", "exec", "sympify", "parse_expr"):
            found.append(f"line {node.lineno}: {node.id}")
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = [alias.name for alias in node.names]
            for full in [module, *names, *(f"{module}.{name}" for name in names)]:
                if any(full == m or full.startswith(m + ".") for m in FORBIDDEN_MODULES):
                    found.append(f"line {node.lineno}: import of {full}")
                if full in ("eval", "exec", "sympify", "parse_expr", "lambdify"):
                    found.append(f"line {node.lineno}: import of {full}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_evaluates_no_text(path: Path) -> None:
    assert offences(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval(text)",
        "builtins.exec(text)",
        "sympy.sympify(text)",
        "from sympy import sympify as f",
        "from sympy.parsing.sympy_parser import parse_expr",
        "import sympy.parsing.sympy_parser",
        "sympy.S(text)",
        "f = eval",
        "compile(text, 'x', 'eval')",
        "import pickle",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
    ],
)
def test_the_scan_sees_it(source: str) -> None:
    assert offences(source)


def test_the_scan_lets_patterns_be_compiled() -> None:
    assert offences("import re\nre.compile('a')") == []
