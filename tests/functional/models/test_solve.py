"""Posing problems: every answer once, whatever the server does."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.errors import UsageError
from ingest.models import endpoint
from ingest.models.commands import run_solve
from ingest.models.endpoint import EndpointUnusable
from ingest.models.limits import Limits
from tests.functional.models.endpoint_server import EndpointServer, Faults, Request

pytestmark = pytest.mark.timed

QUICK = Limits(concurrency=16, timeout=1.0, attempts=12)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LONGEST_WAIT_SECONDS", 0.1)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_every_rollout_of_every_problem_is_one_row(add_problems: Any, point_at: Any) -> None:
    path = add_problems(5)
    with EndpointServer() as server:
        point_at(server)
        outcome = run_solve(path, dataset="d", model="m", rollouts=3, limits=QUICK)
    assert outcome.done == 15 and outcome.failed == 0
    assert rows(path, "select count(*), count(distinct response_id) from raw.responses") == [
        (15, 15)
    ]
    (row,) = rows(
        path,
        "select distinct finish_reason, input_tokens, output_tokens, system_fingerprint, "
        "latency_seconds > 0, source_file from raw.responses",
    )
    assert row == ("stop", 100, 50, "fp_test", True, f"{server.url}#m")
    load = rows(
        path, "select rows_read, rows_loaded, rows_already_there, rows_rejected from raw.loads"
    )
    assert load == [(15, 15, 0, 0)]


def test_a_second_run_asks_nothing_and_more_rollouts_only_what_is_new(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(4)
    with EndpointServer() as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", rollouts=2, limits=QUICK)
        run_solve(path, dataset="d", model="m", rollouts=2, limits=QUICK)
        assert len(server.requests) == 8
        run_solve(path, dataset="d", model="m", rollouts=3, limits=QUICK)
        assert len(server.requests) == 12
        run_solve(path, dataset="d", model="m", rollouts=3, temperature=0.5, limits=QUICK)
        assert len(server.requests) == 24
    assert rows(path, "select count(*) from raw.runs") == [(2,)]


@pytest.mark.parametrize(
    "fault", ["429", "429 retry-after", "500", "hang", "cut", "broken json", "empty", "error body"]
)
def test_a_passing_fault_is_retried(add_problems: Any, point_at: Any, fault: str) -> None:
    path = add_problems(3)
    with EndpointServer(fault=lambda request: fault if request.number <= 3 else None) as server:
        point_at(server)
        outcome = run_solve(path, dataset="d", model="m", limits=QUICK)
    assert (outcome.done, outcome.failed) == (3, 0)
    assert server.outcomes[fault] == 3


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429", "rate_limited"),
        ("500", "server_error"),
        ("hang", "timeout"),
        ("cut", "connection"),
        ("broken json", "broken_reply"),
        ("empty", "empty"),
        ("refusal", "refused"),
        ("400", "bad_request"),
    ],
)
def test_a_lasting_fault_is_a_row_with_its_reason_and_asked_again_by_the_next_run(
    add_problems: Any, point_at: Any, fault: str, kind: str
) -> None:
    path = add_problems(2)
    with EndpointServer(fault=lambda _: fault) as server:
        point_at(server)
        limits = Limits(timeout=0.3, attempts=2)
        outcome = run_solve(path, dataset="d", model="m", limits=limits)
        assert (outcome.done, outcome.failed) == (2, 2)
        failed = rows(path, "select response, failure_kind, failure_reason from raw.responses")
        assert [(text, kind_) for text, kind_, _ in failed] == [(None, kind)] * 2
        assert all(reason for _, _, reason in failed)
        server.fault = lambda _: None
        run_solve(path, dataset="d", model="m", limits=limits)
    assert rows(
        path, "select count(*), count(response), count(failure_kind) from raw.responses"
    ) == [(2, 2, 0)]


def test_slow_bytes_are_waited_for_and_a_truncated_text_is_kept_as_such(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(2)
    faults = {1: "slow", 2: "truncated"}
    with EndpointServer(fault=lambda request: faults.get(request.number)) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=QUICK)
        assert len(server.requests) == 2
    finish = rows(path, "select finish_reason from raw.responses order by 1")
    assert finish == [("length",), ("stop",)]


def test_slow_bytes_do_not_outlast_the_deadline(add_problems: Any, point_at: Any) -> None:
    path = add_problems(1)
    with EndpointServer(fault=lambda _: "slow") as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=Limits(timeout=0.1, attempts=1))
    assert rows(path, "select failure_kind from raw.responses") == [("timeout",)]


@pytest.mark.parametrize(("fault", "wait"), [("429 retry-after", 0.6), ("429 date", 2.0)])
def test_retry_after_is_honoured(add_problems: Any, point_at: Any, fault: str, wait: float) -> None:
    path = add_problems(1)
    server = EndpointServer(
        fault=lambda request: fault if request.number == 1 else None, retry_after=wait
    )
    with server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=QUICK)
    first, second = server.requests
    slack = 1.0 if fault == "429 date" else 0.0  # a date has whole seconds
    assert second.at - first.at >= wait - slack


def test_no_more_are_in_flight_than_allowed(add_problems: Any, point_at: Any) -> None:
    path = add_problems(40)
    with EndpointServer(delay=0.02) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=Limits(concurrency=5))
    assert server.most_in_flight == 5


def test_a_wrong_key_stops_the_run_at_once(add_problems: Any, point_at: Any) -> None:
    path = add_problems(100)
    with EndpointServer(fault=lambda _: "401", delay=0.01) as server:
        point_at(server)
        with pytest.raises(EndpointUnusable, match="401"):
            run_solve(path, dataset="d", model="m", limits=Limits(concurrency=4))
        assert len(server.requests) <= 8
    assert rows(path, "select count(*) from raw.responses") == [(0,)]


def test_max_requests_stops_cleanly_and_the_next_run_goes_on(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(10)
    with EndpointServer() as server:
        point_at(server)
        outcome = run_solve(path, dataset="d", model="m", limits=Limits(max_requests=4))
        assert outcome.stopped_by and outcome.done == 4 == len(server.requests)
        run_solve(path, dataset="d", model="m", limits=QUICK)
    assert len(server.requests) == 10


def prices(tmp_path: Path, line: str) -> Path:
    path = tmp_path / "prices.csv"
    header = "model,valid_from,input_usd_per_million,cached_input_usd_per_million,"
    path.write_text(f"{header}output_usd_per_million,batch_factor,source\n{line}\n")
    return path


def test_max_cost_is_never_passed(add_problems: Any, point_at: Any, tmp_path: Path) -> None:
    path = add_problems(50)
    # 100 input tokens at 1 $ and 50 output tokens at 2 $ per million: 0.0002 $ a request
    table = prices(tmp_path, "m,2020-01-01,1,,2,1,test")
    with EndpointServer(delay=0.005) as server:
        point_at(server)
        limits = Limits(concurrency=8, max_cost=0.0041, prices=table)
        outcome = run_solve(path, dataset="d", model="m", max_tokens=50, limits=limits)
    assert outcome.stopped_by and outcome.done == 20
    ((cost,),) = rows(path, "select sum(cost_usd) from raw.responses")
    assert cost == pytest.approx(0.004)


def test_max_cost_without_a_price_is_refused(add_problems: Any, point_at: Any) -> None:
    path = add_problems(1)
    with EndpointServer() as server:
        point_at(server)
        with pytest.raises(UsageError, match="no price is known"):
            run_solve(path, dataset="d", model="m", limits=Limits(max_cost=1))
    assert not server.requests


def test_cached_tokens_are_charged_once(add_problems: Any, point_at: Any, tmp_path: Path) -> None:
    path = add_problems(1)
    table = prices(tmp_path, "m,2020-01-01,10,1,0,1,test")
    usage = {
        "prompt_tokens": 9844,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 9842},
    }
    with EndpointServer(usage=usage) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=Limits(prices=table))
    (row,) = rows(path, "select input_tokens, cached_tokens, cost_usd from raw.responses")
    assert row == (9844, 9842, pytest.approx((2 * 10 + 9842 * 1) / 1e6))


def test_a_dry_run_sends_and_writes_nothing(add_problems: Any, point_at: Any) -> None:
    path = add_problems(7)
    with EndpointServer() as server:
        point_at(server)
        outcome = run_solve(path, dataset="d", model="gpt-4o-mini", rollouts=2, dry_run=True)
    assert not server.requests
    assert "14 requests" in outcome.lines[1] and "$" in outcome.lines[2]
    assert rows(path, "select count(*) from raw.loads") == [(0,)]


def test_seeds_differ_by_rollout(add_problems: Any, point_at: Any) -> None:
    path = add_problems(1)
    with EndpointServer() as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", rollouts=3, seed=10, temperature=0.0, limits=QUICK)
    assert sorted(request.body["seed"] for request in server.requests) == [10, 11, 12]
    assert {request.body["temperature"] for request in server.requests} == {0.0}


TWO_TURNS = [
    {"problem_id": f"d/1#{turn}", "conversation_id": "d/1", "turn": turn, "question": question}
    for turn, question in (
        (1, "小明有3个苹果，又买2个，共几个？"),
        (2, "他吃掉1个后还剩几个？"),
    )
]


def test_a_conversation_is_exactly_question_answer_follow_up(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(rows=TWO_TURNS)
    with EndpointServer() as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=QUICK)
        first, second = server.requests
        assert [message["role"] for message in first.messages] == ["user"]
        assert [message["role"] for message in second.messages] == ["user", "assistant", "user"]
        assert second.messages[0] == first.messages[0]
        answer = rows(path, "select response from raw.responses where problem_id = 'd/1#1'")
        assert second.messages[1]["content"] == answer[0][0]
        for request, row in zip((first, second), TWO_TURNS, strict=True):
            assert row["question"] in request.last and "【N】" in request.last


def test_a_follow_up_asked_later_carries_the_stored_answer(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(rows=TWO_TURNS)

    def fault(request: Request) -> str | None:
        return "500" if len(request.messages) > 1 else None

    with EndpointServer(fault=fault) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=Limits(attempts=1))
        server.fault = lambda _: None
        server.requests.clear()
        run_solve(path, dataset="d", model="m", limits=QUICK)
        (only,) = server.requests
    answer = rows(path, "select response from raw.responses where problem_id = 'd/1#1'")
    assert [message["role"] for message in only.messages] == ["user", "assistant", "user"]
    assert only.messages[1]["content"] == answer[0][0]


def test_without_a_first_answer_the_follow_up_has_none_either(
    add_problems: Any, point_at: Any
) -> None:
    path = add_problems(rows=TWO_TURNS)
    with EndpointServer(fault=lambda _: "refusal") as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", limits=QUICK)
        assert len(server.requests) == 1
        server.fault = lambda _: None
        run_solve(path, dataset="d", model="m", limits=QUICK)
    assert rows(path, "select count(*), count(response) from raw.responses") == [(2, 2)]


def test_everything_that_can_go_wrong_at_once(add_problems: Any, point_at: Any) -> None:
    path = add_problems(60)
    kinds = ("429", "429 retry-after", "500", "cut", "broken json", "empty", "slow", "same id")
    shares = dict.fromkeys(kinds, 0.05) | {"truncated": 0.05, "hang": 0.01}
    with EndpointServer(fault=Faults(shares), delay=0.005) as server:
        point_at(server)
        run_solve(path, dataset="d", model="m", rollouts=4, limits=QUICK)
    assert rows(path, "select count(*), count(distinct response_id) from raw.responses") == [
        (240, 240)
    ]
    good = Counter(
        (json.dumps(request.messages), request.body.get("seed"))
        for request in server.requests
        if request.fault in (None, "same id", "slow", "truncated")
    )
    assert sum(good.values()) == 240 and set(good.values()) == {4}
