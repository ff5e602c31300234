"""The functions as SQL sees them: NULLs, large tables in DuckDB's worker threads, repeated registration."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from udfs.policy import DEFAULT
from udfs.registry import register

SPEC = DEFAULT.spec()


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        register(connection)
        yield connection


NULLS = {
    "extract_answer(null)": None,
    "extract_answer('')": None,
    "normalise_answer(null)": None,
    "equivalent('5', null)": False,
    "equivalent(null, '5')": None,
    "embedding_similarity('algebra', null)": None,
    "embedding_similarity('algebra', '')": None,
    "answer_form(null)": None,
    "extract_answer_details(null, null, null).answer": None,
    "judge_answer(null, null, null).verdict": None,
    "judge_answer(null, '5', '5').verdict": True,
    "answer_classes(null, null)": None,
    "answer_classes(null, ['5', null, '5.0', '6'])": [1, 0, 1, 4],
}


@pytest.mark.parametrize("expression", NULLS)
def test_nulls(connection: duckdb.DuckDBPyConnection, expression: str) -> None:
    row = connection.execute(f"select {expression}").fetchone()
    assert row is not None and row[0] == NULLS[expression]


def test_versions_have_a_value(connection: duckdb.DuckDBPyConnection) -> None:
    judge, extractor = connection.execute("select judge_version(), extractor_version()").fetchall()[
        0
    ]
    assert judge and extractor


def test_registering_twice_replaces(connection: duckdb.DuckDBPyConnection) -> None:
    register(connection)
    assert connection.execute("select equivalent('1/2', '0.5')").fetchone() == (True,)


def test_cursors_have_the_functions_too(connection: duckdb.DuckDBPyConnection) -> None:
    assert connection.cursor().execute("select equivalent('1/2', '0.5')").fetchone() == (True,)


def test_policy_counts(connection: duckdb.DuckDBPyConnection) -> None:
    verdicts = connection.execute(
        "select judge_answer($1, '07', '7').verdict, judge_answer('equivalence=exact_text_v1', '07', '7').verdict",
        [SPEC],
    ).fetchone()
    assert verdicts == (True, False)


def test_worked_solutions_as_gold(connection: duckdb.DuckDBPyConnection) -> None:
    verdict = connection.execute(
        "select judge_answer($1, $2, '70,000').verdict", [SPEC, "7 * 10,000 is it.\n#### 70000"]
    ).fetchone()
    assert verdict == (True,)


def test_large_tables_run_in_worker_threads(connection: duckdb.DuckDBPyConnection) -> None:
    """300,000 rows are scanned by several threads, none of them the main one: same verdicts as on three rows."""
    connection.execute("set threads = 4")
    connection.execute(
        "create table pairs as select (i % 100)::varchar as gold, "
        "case when i % 3 = 0 then (i % 100)::varchar || '.0' else (i % 100 + 1)::varchar end as answer "
        "from range(300000) t(i)"
    )
    sql = "select count(*) filter (where judge_answer($1, gold, answer).verdict) from pairs"
    assert connection.execute(sql, [SPEC]).fetchone() == (100_000,)


def test_off_the_main_thread() -> None:
    """No function depends on signals, which only the main thread gets."""

    def ask(answer: str) -> tuple:
        assert threading.current_thread() is not threading.main_thread()
        with duckdb.connect() as connection:
            register(connection)
            row = connection.execute(
                "select equivalent('2\\sqrt{3}', $1), extract_answer('the answer is 5')", [answer]
            ).fetchone()
            assert row is not None
            return row

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, ["\\sqrt{12}", "2\\sqrt{3}", "\\sqrt{13}", "3\\sqrt{2}"]))
    assert answers == [(True, "5"), (True, "5"), (False, "5"), (False, "5")]


def test_similarity_has_its_usual_signs(connection: duckdb.DuckDBPyConnection) -> None:
    same, near, far = connection.execute(
        "select embedding_similarity('prime factorisation', 'prime factorisation'),"
        " embedding_similarity('prime factorisation', 'factoring into primes'),"
        " embedding_similarity('prime factorisation', 'area of a circle')"
    ).fetchall()[0]
    assert same == pytest.approx(1.0)
    assert far < near < same
