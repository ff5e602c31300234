"""The API key is nowhere on disk after a run, whatever server and prompt do with it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ingest.models import endpoint
from ingest.models.commands import run_concepts, run_judge, run_solve
from ingest.models.credentials import REMOVED, Scrubber, describe_url
from ingest.models.limits import Limits
from ingest.warehouse import open_warehouse
from tests.functional.models.endpoint_server import EndpointServer, Request

TWICE = Limits(concurrency=2, attempts=2)


def holds(folder: Path, secret: str) -> list[str]:
    """Files under `folder` whose bytes hold `secret` in a form it might be written in."""
    forms = {secret, quote(secret, safe=""), secret[3:]}
    raw = [form.encode() for form in forms] + [base64.b64encode(secret.encode())]
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in raw)
    ]


def test_no_key_on_disk(
    add_problems: Any,
    point_at: Any,
    key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(endpoint, "LONGEST_WAIT_SECONDS", 0.01)
    leak = {"question": "What is 1 + 1?", "gold_solution": "It is 2."}
    path = add_problems(3, rows=[leak])
    batch = tmp_path / "requests.jsonl"

    def fault(request: Request) -> str | None:
        return "echo key" if request.number == 1 or "Question 1" in request.last else None

    def text(request: Request) -> str:
        return f"You sent {request.headers['authorization']} and {request.headers}, so 【2】"

    with EndpointServer(fault=fault, text=text) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", rollouts=2, limits=TWICE)
        run_concepts(path, extractor="m", limits=TWICE)
        run_judge(path, model="m", limits=TWICE)
        run_solve(path, dataset="d", model=f"a-model-called-{key}", batch_file=batch)
        assert {request.headers["authorization"] for request in server.requests} == {
            f"Bearer {key}"
        }
    with open_warehouse(path, read_only=True) as connection:
        texts = connection.execute("select response from raw.responses").fetchall()
        reasons = connection.execute("select failure_reason from raw.responses").fetchall()
        copies = tmp_path / "copies"
        connection.execute(f"export database '{copies}' (format csv)")
    assert any(REMOVED in text for (text,) in texts if text)
    assert any(REMOVED in reason for (reason,) in reasons if reason)
    assert holds(tmp_path, key) == []
    assert key not in "".join(capfd.readouterr())


def test_a_key_in_the_url_is_described_away() -> None:
    url = "https://someone:passw0rd-long@host.example:8443/v1?api-key=0123456789abcdef"
    assert describe_url(url) == "https://host.example:8443/v1"
    scrub = Scrubber({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"})
    assert scrub.value({"a": [url], "none": "none"}) == {
        "a": [f"https://someone:{REMOVED}@host.example:8443/v1?api-key={REMOVED}"],
        "none": "none",
    }
