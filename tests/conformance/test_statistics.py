"""Formulas in SQL macros against exact arithmetic and reference figures."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from tests.conformance.inline_sql import compile_sql

VARIANCE = 1 / 9  # of the differences between questions, in the reference's examples of power
ROLLOUTS = 1 / 6  # variance of one system's rollouts in them


@pytest.fixture(scope="module")
def sql(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every macro under test, compiled by one call of dbt."""
    jinja = {
        "p": "{{ two_sided_p_value('z') }}",
        "mde": "{{ minimum_detectable_difference('v', 'n') }}",
        "needed": "{{ questions_needed('v', 'd') }}",
        "choose": "{{ log_choose('n', 'k') }}",
        "cosine": "{{ cosine_similarity('a', 'b') }}",
    }
    compiled = compile_sql(
        " @@ ".join(jinja.values()), tmp_path_factory.getbasetemp() / "inline_sql"
    )
    return dict(zip(jinja, compiled.split("@@"), strict=True))


def evaluate(expression: str, columns: str, rows: list[tuple]) -> list[float]:
    with duckdb.connect() as connection:
        values = ", ".join(str(row) if len(row) > 1 else f"({row[0]!r})" for row in rows)
        return [
            value
            for (value,) in connection.execute(
                f"select {expression} from (values {values}) as given ({columns})"
            ).fetchall()
        ]


def test_p_values_keep_their_digits_far_in_the_tail(sql: dict[str, str]) -> None:
    points = [i / 50 for i in range(-400, 1800)] + [0.46875 * math.sqrt(2), 4 * math.sqrt(2)]
    found = evaluate(f"cast({sql['p']} as double)", "z", [(float(z),) for z in points])
    for z, p in zip(points, found, strict=True):
        assert p == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-11), z


def test_power_equals_reference(sql: dict[str, str], shared: Path) -> None:
    anchor = json.loads((shared / "oracles/stats/anchors.json").read_text())["power"]
    both = 2 * ROLLOUTS
    cases = {
        "mde_n198_K1_w2_1_9_s2_1_6": (VARIANCE + both, 198),
        "mde_n198_K10": (VARIANCE + both / 10, 198),
        "mde_n30_K8": (VARIANCE + both / 8, 30),
        "mde_n100_K8": (VARIANCE + both / 8, 100),
    }
    found = evaluate(sql["mde"], "v, n", list(cases.values()))
    assert found == pytest.approx([anchor[name] for name in cases], abs=1e-12)
    needed = evaluate(sql["needed"], "v, d", [(VARIANCE, 0.03)])
    assert needed == pytest.approx([anchor["n_for_3pp_w2_1_9_sigma0"]], rel=1e-12)


def test_binomials_of_a_thousand_rollouts(sql: dict[str, str]) -> None:
    cases = [(8, 3), (170, 85), (1000, 1), (1000, 500), (1000, 999)]
    found = evaluate(sql["choose"], "n, k", cases)
    for (n, k), value in zip(cases, found, strict=True):
        assert value == pytest.approx(math.log(math.comb(n, k)), rel=1e-12)


def test_vectors_without_an_angle_have_no_cosine(sql: dict[str, str]) -> None:
    with duckdb.connect() as connection:
        found = connection.execute(
            f"""
            select {sql["cosine"]}
            from (values
                ([1.0, 0.0], [1.0, 1.0]), ([0.0, 0.0], [1.0, 1.0]), ([1.0], [1.0, 1.0]), (null, [1.0])
            ) as given (a, b)
            """
        ).fetchall()
    assert [value for (value,) in found] == [pytest.approx(math.sqrt(0.5)), None, None, None]


def exact(n: int, c: int, k: int) -> tuple[float, float, float]:
    """Strict majority, any, all over every subset of k of n rollouts, c of them correct, by exact fractions."""
    total = math.comb(n, k)
    majority = sum(
        math.comb(c, j) * math.comb(n - c, k - j)
        for j in range(k // 2 + 1, min(c, k) + 1)
        if k - j <= n - c
    )
    return (
        float(Fraction(majority, total)),
        float(1 - Fraction(math.comb(n - c, k), total)),
        float(Fraction(math.comb(c, k), total)),
    )


@pytest.mark.parametrize(
    ("n", "c"), [(8, 3), (9, 5), (64, 33), (1000, 1), (1000, 500), (1000, 503), (1000, 998)]
)
def test_expected_values_are_exact_up_to_a_thousand_rollouts(
    n: int, c: int, expected_sql: str
) -> None:
    with duckdb.connect() as connection:
        connection.execute("create schema intermediate")
        connection.execute(
            "create table intermediate.int_question_scores as select $n as n_decided, $c as n_correct",
            {"n": n, "c": c},
        )
        found = {k: values for k, *values in connection.execute(expected_sql).fetchall()}
    assert sorted(found) == list(range(1, n + 1))
    for k in sorted({*range(1, 12), n // 2, n // 2 + 1, n - 1, n} & set(found)):
        assert found[k] == pytest.approx(exact(n, c, k), abs=1e-10), k


@pytest.fixture(scope="module")
def expected_sql(tmp_path_factory: pytest.TempPathFactory) -> str:
    """int_expected_at_k as dbt compiles it, over whatever int_question_scores is there."""
    from tests.support import ROOT

    model = (ROOT / "dbt_project/models/intermediate/at_k/int_expected_at_k.sql").read_text()
    compiled = compile_sql(
        model.replace("{{ ref('int_question_scores') }}", "intermediate.int_question_scores"),
        tmp_path_factory.getbasetemp() / "inline_sql",
    )
    return f"select k, major_expected, rm_expected, all_expected from ({compiled})"
