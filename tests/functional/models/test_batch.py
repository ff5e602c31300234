"""Batch files: requests out, results of either shape back in, in any order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.load import load
from ingest.models.commands import run_solve


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def chat_result(custom_id: str, text: str | None, **message: Any) -> dict[str, Any]:
    body = {
        "id": "same-id",
        "model": "m-2025-01-01",
        "system_fingerprint": "fp",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 20,
            "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 12},
            "completion_tokens_details": {"reasoning_tokens": 4},
        },
    }
    return {
        "id": "batch_req",
        "custom_id": custom_id,
        "response": {"status_code": 200, "request_id": "r", "body": body},
        "error": None,
    }


def responses_result(custom_id: str, text: str) -> dict[str, Any]:
    body = {
        "object": "response",
        "model": "m",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": []},
            {
                "type": "message",
                "content": [
                    {"type": "output_text", "text": text},
                    {"type": "output_text", "text": "!"},
                ],
            },
        ],
        "usage": {
            "input_tokens": 30,
            "output_tokens": 8,
            "input_tokens_details": {"cached_tokens": 5},
        },
    }
    return {
        "id": "batch_req",
        "custom_id": custom_id,
        "response": {"status_code": 200, "body": body},
        "error": None,
    }


def error_result(custom_id: str, status: int | None, message: str) -> dict[str, Any]:
    if status is None:
        return {"id": "b", "custom_id": custom_id, "response": None, "error": {"message": message}}
    body = {"error": {"message": message, "code": "server_error"}}
    return {
        "id": "b",
        "custom_id": custom_id,
        "response": {"status_code": status, "body": body},
        "error": None,
    }


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return path


def requests_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("order", [0, 1, 2])
def test_our_requests_come_back_as_the_rows_of_their_run(
    add_problems: Any, key: str, tmp_path: Path, order: int
) -> None:
    path = add_problems(4)
    sent = tmp_path / "requests.jsonl"
    run_solve(path, dataset="d", model="m", rollouts=2, batch_file=sent)
    requests = requests_of(sent)
    assert len(requests) == 8 == len({request["custom_id"] for request in requests})
    assert {request["url"] for request in requests} == {"/v1/chat/completions"}
    good = [
        chat_result(request["custom_id"], f"to {request['body']['messages'][0]['content'][:10]}")
        for request in requests[1:]
    ]
    random.Random(order).shuffle(good)
    failed = [error_result(requests[0]["custom_id"], 500, "it broke")]
    results = [
        write(tmp_path / "x_output.jsonl", good),
        write(tmp_path / "x_error.jsonl", failed),
    ]
    reports = load(path, "outputs", results if order else results[::-1])
    assert [report.rows_loaded for report in reports] == ([7, 1] if order else [1, 7])
    found = rows(
        path,
        "select problem_id, rollout_no, response, failure_kind from raw.responses order by all",
    )
    assert len(found) == 8 and {row[0] for row in found} == {"d/1", "d/2", "d/3", "d/4"}
    assert [row[2:] for row in found if row[2] is None] == [(None, "server_error")]
    for problem_id, _, response, _ in found:
        assert response is None or response == f"to Question {problem_id[-1]}"
    assert rows(path, "select count(distinct run_id), count(*) from raw.runs") == [(1, 1)]
    assert rows(path, "select distinct run_id from raw.responses") == rows(
        path, "select run_id from raw.runs"
    )
    # Only what failed is asked again, and its answer then stands in the place of the failure.
    run_solve(path, dataset="d", model="m", rollouts=2, batch_file=sent)
    (again,) = requests_of(sent)
    assert again["custom_id"] == requests[0]["custom_id"]
    load(
        path,
        "outputs",
        [write(tmp_path / "y_output.jsonl", [chat_result(again["custom_id"], "4")])],
    )
    assert rows(
        path, "select count(*), count(response), count(failure_kind) from raw.responses"
    ) == [(8, 8, 0)]


def test_follow_ups_are_asked_once_their_question_is_answered(
    add_problems: Any, key: str, tmp_path: Path
) -> None:
    turns = [
        {"problem_id": f"d/7#{t}", "native_id": "7", "conversation_id": "d/7", "turn": t, "question": q}
        for t, q in ((1, "三加四？"), (2, "再加一？"))
    ]  # fmt: skip
    path = add_problems(rows=turns)
    sent = tmp_path / "requests.jsonl"
    outcome = run_solve(path, dataset="d", model="m", batch_file=sent)
    assert outcome.lines[-1].startswith("1 follow-ups wait")
    (first,) = requests_of(sent)
    load(path, "outputs", [write(tmp_path / "a.jsonl", [chat_result(first["custom_id"], "【7】")])])
    run_solve(path, dataset="d", model="m", batch_file=sent)
    (second,) = requests_of(sent)
    assert [m["role"] for m in second["body"]["messages"]] == ["user", "assistant", "user"]
    assert second["body"]["messages"][:2] == [
        *first["body"]["messages"],
        {"role": "assistant", "content": "【7】"},
    ]
    load(
        path, "outputs", [write(tmp_path / "b.jsonl", [chat_result(second["custom_id"], "【8】")])]
    )
    found = rows(path, "select problem_id, response from raw.responses order by all")
    assert found == [("d/7#1", "【7】"), ("d/7#2", "【8】")]


def test_other_peoples_results_join_their_requests(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    requests = [
        {
            "custom_id": f"q-{n}",
            "method": "POST",
            "url": "/v1/responses",
            "body": {"model": "m", "input": f"What is {n} + {n}?"},
        }
        for n in range(1, 5)
    ]
    results = [
        responses_result("q-3", "6"),
        chat_result("q-1", "2"),
        error_result("q-4", None, "Rate limit reached"),
        chat_result("q-2", None, refusal="No."),
    ]
    files = [
        write(tmp_path / "mine_output.jsonl", results),
        write(tmp_path / "mine_input.jsonl", requests),
    ]
    load(path, "outputs", files)
    found = rows(
        path,
        """
        select question, response, failure_kind, failure_reason, input_tokens, cached_tokens,
            output_tokens, reasoning_tokens
        from raw.responses left join raw.problems using (problem_id)
        order by problem_id
        """,
    )
    assert found == [
        ("What is 1 + 1?", "2", None, None, 20, 12, 9, 4),
        ("What is 2 + 2?", None, "refused", "No.", 20, 12, 9, 4),
        ("What is 3 + 3?", "6!", None, None, 30, 5, 8, None),
        ("What is 4 + 4?", None, "rate_limited", "Rate limit reached", None, None, None, None),
    ]


def test_several_choices_are_several_rollouts_that_share_one_bill(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    result = chat_result("q-1", "2")
    result["response"]["body"]["choices"].append(
        {"index": 1, "message": {"content": "3"}, "finish_reason": "length"}
    )
    load(path, "outputs", [write(tmp_path / "r.jsonl", [result])])
    assert rows(
        path,
        "select rollout_no, response, finish_reason, input_tokens from raw.responses order by 1",
    ) == [(1, "2", "stop", 20), (2, "3", "length", 0)]


def test_a_batch_of_failures_alone(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    lines = [error_result(f"q-{n}", 400, "bad") for n in range(9)]
    (report,) = load(path, "outputs", [write(tmp_path / "z_error.jsonl", lines)])
    assert report.rows_loaded == 9
    assert rows(
        path, "select count(*), count(response), count(failure_reason) from raw.responses"
    ) == [(9, 0, 9)]


def test_real_results(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    load(path, "outputs", [shared / "data" / "formats" / "openai_batch"])
    assert rows(
        path,
        """
        select count(*), count(question), count(response), sum(input_tokens), sum(output_tokens)
        from raw.responses inner join raw.problems using (problem_id)
        """,
    ) == [(3, 3, 3, 161, 133)]
