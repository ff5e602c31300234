"""Fixtures of the tests that ask a model: problems in a warehouse, an endpoint to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest.warehouse import open_warehouse
from tests.functional.models.endpoint_server import EndpointServer

KEY = "sk-test-3f9a77c1d2e84b06"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """The API key of the environment, an invented one."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return KEY


@pytest.fixture
def point_at(monkeypatch: pytest.MonkeyPatch, key: str) -> Callable[[EndpointServer], None]:
    """`point_at(server)`: the environment names this server from now on."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return lambda server: monkeypatch.setenv("OPENAI_BASE_URL", server.url)


@pytest.fixture
def add_problems(tmp_path: Path) -> Callable[..., Path]:
    """`add_problems(n)`: a warehouse with n problems of dataset `d`; `rows=` gives them oneself."""

    def add(n: int = 0, rows: Sequence[dict[str, Any]] = (), dataset: str = "d") -> Path:
        path = tmp_path / "asked.duckdb"
        made = [{"question": f"Question {k}: what is {k} + {k}?"} for k in range(1, n + 1)]
        with open_warehouse(path, create=True) as connection:
            for line, row in enumerate([*made, *rows], start=1):
                values = {
                    "problem_id": f"{dataset}/{line}",
                    "dataset_id": dataset,
                    "native_id": str(line),
                    "turn": 1,
                    "gold_answer": str(2 * line),
                    "gold_is_text": True,
                    "source_format": "native",
                    "source_file": "problems.jsonl",
                    "source_line": line,
                    "file_sha256": "0" * 64,
                    "load_id": "test",
                    **row,
                }
                names, marks = ", ".join(values), ", ".join("?" * len(values))
                connection.execute(
                    f"insert into raw.problems ({names}) values ({marks})", list(values.values())
                )
        return path

    return add
