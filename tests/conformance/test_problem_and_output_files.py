"""Every real problem set and output file loads without an option, with the counts its source states."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.load import load

PROBLEM_SETS = {
    # file: (format, problems, problems with a gold answer)
    "aime24": ("math", 30, 30),
    "amc23": ("math", 40, 40),
    "cmath": ("cmath", 600, 600),
    "college_math": ("college_math", 2818, 2818),
    "gsm8k": ("gsm8k", 1319, 1319),
    "gsm_hard": ("gsm_hard", 1319, 1319),
    "math500": ("math", 500, 500),
    "math_odyssey": ("math_odyssey", 387, 387),
    "mmlu_stem": ("mmlu_stem", 3018, 3018),
    "olympiadbench": ("olympiadbench", 675, 675),
}
OUTPUTS = {
    # file: (format, records, problems, runs, responses, reported right)
    "scmath6_sample_answer.json": ("scmath6", 2200, 4400, 1, 4400, None),
    "msu_scoring_output.csv": ("msu_study", 450, 450, 9, 4050, None),
    "qwen_math_cot_100.jsonl": ("qwen25_math", 100, 100, 1, 800, 728),
    "gsm8k_example_model_solutions.jsonl": ("gsm8k_solutions", 1319, 1319, 4, 5276, 2001),
    "odyssey_gpt-3.5-turbo-0125_raw.jsonl": ("math_odyssey_outputs", 387, 0, 1, 387, None),
}


def load_and_ask(tmp_path: Path, kind: str, path: Path, sql: str) -> tuple:
    db = tmp_path / "w.duckdb"
    first, again = load(db, kind, [path])[0], load(db, kind, [path])[0]
    assert first.error is None
    assert (first.rows_loaded, first.rows_rejected) == (first.rows_read, 0)
    assert (again.rows_already_there, again.rows_loaded) == (first.rows_read, 0)
    with duckdb.connect(str(db), read_only=True) as connection:
        return first, connection.execute(sql).fetchall()


@pytest.mark.parametrize("name", PROBLEM_SETS)
def test_problem_set(shared: Path, tmp_path: Path, name: str) -> None:
    report, rows = load_and_ask(
        tmp_path,
        "problems",
        shared / "data" / "problems" / f"{name}.jsonl",
        "select count(distinct problem_id), count(nullif(gold_answer, '')), count(question), "
        "min(dataset_id), max(dataset_id) from raw.problems",
    )
    source_format, problems, golds = PROBLEM_SETS[name]
    assert report.source_format == source_format
    assert rows == [(problems, golds, problems, name, name)]


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(shared: Path, tmp_path: Path, name: str) -> None:
    report, rows = load_and_ask(
        tmp_path,
        "outputs",
        shared / "data" / "outputs" / name,
        "select (select count(distinct problem_id) from raw.problems), (select count(*) from raw.runs), "
        "count(distinct response_id), sum(reported_correct::int)::int from raw.responses",
    )
    source_format, records, problems, runs, responses, right = OUTPUTS[name]
    assert (report.source_format, report.rows_read) == (source_format, records)
    assert rows == [(problems, runs, responses, right)]


def test_gsm8k_golds_are_what_follows_the_hashes(shared: Path, tmp_path: Path) -> None:
    _, rows = load_and_ask(
        tmp_path,
        "problems",
        shared / "data" / "problems" / "gsm8k.jsonl",
        "select count(*) from raw.problems where gold_answer like '%#%' or gold_answer like '%\n%' "
        "or not gold_solution like '%#### ' || gold_answer",
    )
    assert rows == [(0,)]


def test_reported_msu_means(shared: Path, tmp_path: Path) -> None:
    _, rows = load_and_ask(
        tmp_path,
        "outputs",
        shared / "data" / "outputs" / "msu_scoring_output.csv",
        "select model, prompt, avg(value) from raw.reported_scores inner join raw.responses "
        "using (response_id) inner join raw.runs using (run_id) where score_id = 'msu' group by all",
    )
    with duckdb.connect() as connection:
        path = shared / "oracles" / "msu" / "msu_model_prompt.csv"
        published = connection.execute(
            f"select model, prompt, mean_msu from read_csv('{path}')"
        ).fetchall()
    found = {(model, prompt): value for model, prompt, value in rows}
    assert len(found) == 9
    for model, prompt, value in published:
        assert found[model, prompt] == pytest.approx(value, abs=1e-9)


def test_scmath6_replies_golds_and_repeated_lines(shared: Path, tmp_path: Path) -> None:
    _, rows = load_and_ask(
        tmp_path,
        "outputs",
        shared / "oracles" / "scmath6" / "fixture_adversarial.jsonl",
        "select count(*), count(*) filter (response is null), count(*) filter (response = ' '), "
        "count(*) filter (not gold_is_text), count(*) filter (gold_answer = ''), max(reasoning_steps), "
        "count(distinct conversation_id) "
        "from raw.responses inner join raw.problems using (problem_id)",
    )
    ((total, silent, blank, numbers, empty_golds, steps, pairs),) = rows
    assert (total, pairs, silent, blank, empty_golds, steps) == (120, 60, 4, 1, 1, 6)
    assert numbers >= 0
