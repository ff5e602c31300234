"""Standard errors and intervals of the SQL macros equal the reference figures."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.conformance.inline_sql import compile_sql


@pytest.fixture(scope="module")
def ratio_sql(tmp_path_factory: pytest.TempPathFactory) -> str:
    """`ratio_metric` over a relation `scores`, compiled by dbt, with k telling samples apart."""
    jinja = "select * from {{ ratio_metric('m', 1, 'scores', slices=['all'], has_k=true) }}"
    return compile_sql(jinja, tmp_path_factory.getbasetemp() / "inline_sql")


@pytest.fixture(scope="module")
def anchors(shared: Path) -> dict:
    return json.loads((shared / "oracles/stats/anchors.json").read_text())


def measure(ratio_sql: str, rows: list[tuple[str, str, bool, float]]) -> dict[int, tuple]:
    """{k: (value, std_error, ci_low, ci_high)} of rows (k, cluster, is_clustered, score)."""
    with duckdb.connect() as connection:
        connection.execute(
            """
            create table scores (
                verdict_source text, run_id text, dataset_id text, k integer, problem_id text,
                cluster_id text, is_clustered boolean, numerator double, denominator double,
                n_undecided integer
            )
            """
        )
        connection.executemany(
            "insert into scores values ('judge', 'r', 'd', ?, '', ?, ?, ?, 1, 0)", rows
        )
        found = connection.execute(
            f"select k, value, std_error, ci_low, ci_high from ({ratio_sql})"
        ).fetchall()
    return {row[0]: row[1:] for row in found}


def coins(k: int, right: int, n: int) -> list[tuple]:
    return [(k, str(i), False, float(i < right)) for i in range(n)]


def test_intervals_of_proportions_are_wilsons(ratio_sql: str, anchors: dict) -> None:
    cases = {
        tuple(map(int, key.split("/"))): value for key, value in anchors["intervals95"].items()
    }
    rows = [row for k, (right, n) in enumerate(cases) for row in coins(k, right, n)]
    found = measure(ratio_sql, rows)
    for k, (wanted, interval) in enumerate(zip(cases, cases.values(), strict=True)):
        assert found[k][2:] == pytest.approx(interval["wilson"], abs=1e-12), wanted


def test_question_level_and_clustered_errors(ratio_sql: str, anchors: dict, shared: Path) -> None:
    lines = (shared / "data/outputs/qwen_math_cot_100.jsonl").read_text().splitlines()
    verdicts = [[bool(v) for v in json.loads(line)["score"]] for line in lines]
    rows = [(1, str(q), False, sum(v) / len(v)) for q, v in enumerate(verdicts)]
    rows += [(2, str(q), True, float(x)) for q, v in enumerate(verdicts) for x in v]
    rows += [
        (3, f"{q}/{r}", False, float(x)) for q, v in enumerate(verdicts) for r, x in enumerate(v)
    ]
    found = measure(ratio_sql, rows)
    question, rollout = anchors["math100_question_level"], anchors["math100_rollout_level"]
    assert found[1][:2] == pytest.approx((question["mean"], question["se_clt"]), rel=1e-12)
    assert found[2][:2] == pytest.approx(
        (rollout["mean"], rollout["se_clustered_inspect"]), rel=1e-12
    )
    assert found[3][:2] == pytest.approx((rollout["mean"], rollout["se_naive"]), rel=1e-12)


def test_one_question_or_one_cluster_has_no_error(ratio_sql: str) -> None:
    found = measure(ratio_sql, [*coins(1, 1, 1), (2, "c", True, 1.0), (2, "c", True, 0.0)])
    assert found[1] == (1.0, None, None, None)
    assert found[2] == (0.5, None, None, None)
