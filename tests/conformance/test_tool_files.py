"""Every real result file of other tools loads without an option: format, counts, verdicts, metadata."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ingest.load import load

# folder or file: formats; problems, runs, responses, reported right, reported wrong; summary figures
FILES = {
    "lm_eval": ({"lm_eval", "lm_eval_results"}, (3, 2, 6, 3, 3), 4),
    "inspect_ai": ({"inspect_ai"}, (5, 4, 6, 2, 4), 12),
    "lighteval": ({"lighteval"}, (3, 1, 12, 0, 0), 0),
    "evalscope": ({"evalscope", "evalscope_reviews", "evalscope_report"}, (5, 2, 7, 6, 1), 1),
    "qwen25_math_eval": ({"qwen25_math"}, (6, 1, 48, None, None), 0),
    "tora_math_harness": ({"qwen25_math", "harness_metrics"}, (5, 1, 5, 0, 0), 9),
    "nemo_skills": ({"nemo_skills"}, (5, 2, 20, None, None), 0),
    "opencompass": ({"opencompass"}, (5, 1, 5, 0, 0), 0),
    "helm": ({"helm"}, (1, 1, 2, 0, 0), 0),
    "deepseek_math": ({"deepseek_math_results"}, (0, 0, 0, 0, 0), 36),
    "matharena": ({"matharena"}, (1, 1, 4, 3, 1), 0),
    "simple_evals": ({"simple_evals"}, (2, 1, 2, 0, 0), 1),
    "promptfoo": ({"promptfoo"}, (3, 1, 3, 2, 1), 0),
    "mctsr_llama_berry": ({"mctsr"}, (1, 1, 2, 0, 0), 0),
    "ovm_k_rollouts": ({"ovm"}, (1, 1, 300, None, None), 0),
    "math_verify_csv": ({"answer_csv"}, (26, 4, 26, 0, 0), 0),
    "olympiadbench": ({"answer_pairs"}, (24, 1, None, None, None), 0),
}
PROBLEMS = {
    "deepseek_cmath.head5.jsonl": ("cmath", 5),
    "deepseek_mgsm_zh.head5.jsonl": ("question_answer", 5),
    "deepseek_mmlu_stem.head5.jsonl": ("mmlu_stem", 5),
    "evalchemy_aime24.head60.json": ("math", 30),
    "evalchemy_amc23.head20.json": ("question_answer", 20),
    "evalchemy_math500.head5.jsonl": ("math", 5),
    "gsm8k_official_test.head20.jsonl": ("gsm8k", 20),
    "gsm8k_socratic.head5.jsonl": ("gsm8k", 5),
    "limo_aime.head3.jsonl": ("math", 3),
    "limo_math500.head3.jsonl": ("math", 3),
    "mathharness_gsm_hard.head5.jsonl": ("gsm_hard", 5),
    "mathharness_math.head5.jsonl": ("math", 5),
    "mathharness_mathqa.head5.jsonl": ("lettered_options", 5),
    "mathharness_math_oai.head5.jsonl": ("math", 5),
    "mathharness_ocw.head5.jsonl": ("math", 5),
    "mathharness_sat_math.head5.jsonl": ("lettered_options", 5),
}


def ask(db: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


@pytest.mark.parametrize("name", FILES)
def test_results_of_a_tool(shared: Path, db: Path, name: str) -> None:
    formats, counts, figures = FILES[name]
    folder = shared / "data" / "formats" / name
    reports = load(db, None, [folder])
    assert [str(report.error) for report in reports if report.error] == []
    assert {report.source_format for report in reports} == formats
    assert all(report.rows_read > 0 and report.rows_rejected == 0 for report in reports)
    (found,) = ask(
        db,
        """
        select
            (select count(*) from raw.problems), (select count(*) from raw.runs),
            count(*), count(*) filter (reported_correct), count(*) filter (not reported_correct)
        from raw.responses
        """,
    )
    for is_found, is_known in zip(found, counts, strict=True):
        assert is_known is None or is_found == is_known, (found, counts)
    assert ask(db, "select count(*) from raw.reported_metrics") == [(figures,)]
    before = ask(db, "select response_id, md5(responses::varchar) from raw.responses order by all")
    again = load(db, None, [folder])
    assert all(report.rows_already_there == report.rows_read for report in again)
    after = ask(db, "select response_id, md5(responses::varchar) from raw.responses order by all")
    assert before == after


@pytest.mark.parametrize("name", PROBLEMS)
def test_copies_of_problem_sets(shared: Path, db: Path, name: str) -> None:
    (report,) = load(db, None, [shared / "data" / "formats" / "datasets" / name])
    assert report.error is None
    assert (report.kind, report.source_format, report.rows_loaded) == ("problems", *PROBLEMS[name])
    assert ask(
        db, "select count(*), count(question), count(nullif(gold_answer, '')) from raw.problems"
    ) == [(PROBLEMS[name][1],) * 3]


def test_lm_eval_takes_model_and_settings_from_the_results_file(shared: Path, db: Path) -> None:
    load(db, None, [shared / "data" / "formats" / "lm_eval"])
    runs = ask(
        db,
        "select model, prompt, tool_version, settings ->> 'filter', settings ->> 'fewshot_seed' "
        "from raw.runs order by model",
    )
    assert runs == [
        ("gemma3:12b-it-q4_K_M", "5-shot", "0.4.9.1", "strict-match", "1234"),
        ("gemma3:12b-u1", "5-shot", "0.4.9.1", "strict-match", "1234"),
    ]
    golds = ask(db, "select gold_answer from raw.problems order by native_id")
    assert golds == [("230",), ("57500",), ("7",)]


def test_inspect_keeps_choices_tokens_and_time(shared: Path, db: Path) -> None:
    load(db, None, [shared / "data" / "formats" / "inspect_ai"])
    ((choices, gold, kind),) = ask(
        db,
        "select json_array_length(choices), gold_answer, answer_type from raw.problems "
        "where choices is not null",
    )
    assert (choices, gold, kind) == (4, "A", "choice")
    ((tokens, output, seconds, finish),) = ask(
        db,
        "select input_tokens, output_tokens, latency_seconds, finish_reason from raw.responses "
        "where problem_id = 'popularity/1' and input_tokens = 64",
    )
    assert (tokens, output, seconds, finish) == (64, 2, 0.546, "stop")
    # the .eval and the .json of one log are one run
    assert ask(db, "select count(*) from raw.runs where model = 'ollama/llama3.1'") == [(1,)]
    assert ask(db, "select count(*) from raw.responses where contains(response, '://')") == [(0,)]


def test_evalscope_reviews_fill_the_predictions_of_their_run(shared: Path, db: Path) -> None:
    load(db, None, [shared / "data" / "formats" / "evalscope"])
    rows = ask(
        db,
        "select count(*), count(reported_answer), count(output_tokens), count(distinct run_id), "
        "count(distinct model) from raw.responses join raw.runs using (run_id)",
    )
    assert rows == [(7, 7, 7, 2, 2)]
    # repeats: the groups of the reviews are the problems
    groups = ask(
        db,
        "select problem_id, list(rollout_no order by rollout_no) from raw.responses "
        "where dataset_id = 'm1_gsm8k_main' group by all order by 1",
    )
    assert groups == [("m1_gsm8k_main/0", [1, 2]), ("m1_gsm8k_main/1", [1, 2])]


def test_nemo_skills_is_one_run_of_three_rollouts_and_a_greedy_one(shared: Path, db: Path) -> None:
    load(db, None, [shared / "data" / "formats" / "nemo_skills"])
    rows = ask(
        db,
        "select settings ->> 'decoding', count(*), count(distinct problem_id), max(rollout_no) "
        "from raw.responses join raw.runs using (run_id) group by 1 order by 1",
    )
    assert rows == [("greedy", 5, 5, 1), ("sampling", 15, 5, 3)]


def test_everything_at_once_keeps_runs_apart(shared: Path, db: Path) -> None:
    reports = load(db, None, [shared / "data"])
    assert [str(report.error) for report in reports if report.error] == []
    assert sum(report.rows_rejected for report in reports) == 0
    for report in reports:
        assert report.rows_read == (
            report.rows_loaded + report.rows_already_there + report.rows_rejected
        )
    assert ask(db, "select count(*) - count(distinct response_id) from raw.responses") == [(0,)]
