"""What is odd about the tools' files, on files made here."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from ingest.documents import children, members
from ingest.formats import all_formats
from ingest.load import LoadReport, load

from .samples import eval_archive, every_format, write_example

if sys.version_info >= (3, 14):
    zstd_zipfile: Any = zipfile
else:
    from backports.zstd import zipfile as zstd_zipfile


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


def ask(db: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def put(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def sound(reports: list[LoadReport]) -> list[LoadReport]:
    assert [str(report.error) for report in reports if report.error] == []
    assert [report.rejects for report in reports if report.rejects] == []
    return reports


@pytest.mark.parametrize("name", every_format())
def test_the_example_is_recognised_whatever_the_kind(db: Path, tmp_path: Path, name: str) -> None:
    form = all_formats()[name]
    if name in ("native_concepts", "openai_batch_problems"):
        pytest.skip("means something only beside other files")
    path = write_example(form, tmp_path)
    (report,) = load(db, form.kind, [path])
    assert (report.source_format, str(report.error)) == (name, "None")
    assert report.rows_read == report.rows_loaded > 0, report.rejects


LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "sums", "model": "my/model", "eval_id": "e1", "packages": {"inspect_ai": "0.3"}},
    "samples": [
        {
            "id": number,
            "epoch": epoch,
            "input": "attachment://" + "0" * 32,
            "target": "7",
            "messages": [],
            "output": {"choices": [{"message": {"content": f"ANSWER: {number}"}}]},
            "scores": {"match": {"value": "C" if number == 7 else "I", "answer": str(number)}},
            "model_usage": {
                "my/model": {"input_tokens": 5, "input_tokens_cache_read": 3, "output_tokens": 2,
                             "total_tokens": 10}
            },
            "events": [{"event": "model"}] * 3,
            "attachments": {"0" * 32: "What is 3+4?"},
        }
        for number in (6, 7)
        for epoch in (1, 2)
    ],
}  # fmt: skip


@pytest.mark.parametrize("packing", ["stored", "deflate", "zstd", "document", "crashed"])
def test_inspect_logs_in_every_packing(db: Path, tmp_path: Path, packing: str) -> None:
    path = tmp_path / "log.eval"
    if packing == "document":
        path = put(tmp_path / "log.json", LOG)
    elif packing == "crashed":
        eval_archive(path, {key: LOG[key] for key in ("eval", "samples")}, zipfile.ZIP_DEFLATED)
    else:
        method = {"stored": 0, "deflate": 8, "zstd": 93}[packing]
        eval_archive(path, LOG, method, zstd_zipfile)
    (report,) = sound(load(db, None, [path]))
    assert (report.rows_read, report.dataset_id) == (4, "sums")
    assert ask(
        db, "select native_id, question, gold_answer from raw.problems order by native_id"
    ) == [("6", "What is 3+4?", "7"), ("7", "What is 3+4?", "7")]
    assert ask(
        db,
        "select rollout_no, response, reported_correct, input_tokens, cached_tokens "
        "from raw.responses order by problem_id, rollout_no",
    ) == [
        (1, "ANSWER: 6", False, 8, 3),
        (2, "ANSWER: 6", False, 8, 3),
        (1, "ANSWER: 7", True, 8, 3),
        (2, "ANSWER: 7", True, 8, 3),
    ]
    assert ask(db, "select distinct model, tool, tool_version from raw.runs") == [
        ("my/model", "inspect_ai", "0.3")
    ]


def test_a_damaged_member_of_an_archive_is_one_reject(db: Path, tmp_path: Path) -> None:
    path = eval_archive(tmp_path / "log.eval", LOG, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"ANSWER: 7", b"ANSWER: 8", 1))  # its checksum fails
    (report,) = load(db, None, [path])
    assert (report.rows_read, report.rows_loaded, report.rows_rejected) == (4, 3, 1)
    assert "cannot be read" in report.rejects[0].reason


def test_a_filter_is_a_run_of_its_own(db: Path, tmp_path: Path) -> None:
    rows = [
        {**all_formats()["lm_eval"].example, "doc_id": number, "filter": name}
        for number in range(3)
        for name in ("strict-match", "flexible-extract")
    ]
    sound(load(db, None, [put(tmp_path / "samples_gsm8k_2025-01-01T10-00-00.jsonl", *rows)]))
    assert ask(
        db,
        "select (select count(*) from raw.problems), (select count(*) from raw.runs), count(*) "
        "from raw.responses",
    ) == [(3, 2, 6)]


def test_lm_eval_likelihoods_choose_a_continuation(db: Path, tmp_path: Path) -> None:
    row = {
        "doc_id": 0,
        "doc": {"query": "3+4?", "choices": ["6", "7"]},
        "target": 1,
        "arguments": [["3+4?", " 6"], ["3+4?", " 7"]],  # as before 0.4.3
        "resps": [[[-2.5, False]], [[-0.5, True]]],
        "filtered_resps": [[-2.5, False], [-0.5, True]],
        "acc": 1.0,
    }
    sound(load(db, None, [put(tmp_path / "samples_mc_2025-01-01T10-00-00.jsonl", row)]))
    assert ask(
        db,
        "select response, gold_answer, reported_correct, choices::varchar "
        "from raw.responses join raw.problems using (problem_id)",
    ) == [("7", "7", True, '[" 6"," 7"]')]


@pytest.mark.parametrize("order", [("predictions", "reviews"), ("reviews", "predictions")])
def test_two_files_of_one_run_in_any_order(
    db: Path, tmp_path: Path, order: tuple[str, str]
) -> None:
    forms = all_formats()
    write_example(forms["evalscope"], tmp_path)
    write_example(forms["evalscope_reviews"], tmp_path)
    for folder in order:
        (report,) = sound(load(db, None, [tmp_path / folder]))
        assert report.rows_loaded == 1
    assert ask(
        db,
        "select model, response, reported_answer, reported_correct, output_tokens, gold_answer "
        "from raw.responses join raw.runs using (run_id) join raw.problems using (problem_id)",
    ) == [("qwen-plus", "ANSWER: 7", "7", True, 4, "7")]


def test_rollouts_spread_over_files_are_one_run_that_may_move_and_grow(
    db: Path, tmp_path: Path
) -> None:
    row = all_formats()["nemo_skills"].example
    for folder in ("a", "b"):
        for seed in range(2):
            put(
                tmp_path / folder / "gsm8k" / f"output-rs{seed}.jsonl",
                {**row, "generation": f"{seed}"},
            )
    put(tmp_path / "a" / "gsm8k" / "output.jsonl", {**row, "generation": "0"})  # as rs0, yet greedy
    put(tmp_path / "b" / "gsm8k" / "output-rs2.jsonl", {**row, "generation": "2"})
    sound(load(db, None, [tmp_path / "a"]))
    sound(load(db, None, [tmp_path / "b"]))
    assert ask(
        db,
        "select settings ->> 'decoding', list(response order by rollout_no) "
        "from raw.responses join raw.runs using (run_id) group by 1 order by 1",
    ) == [("greedy", ["0"]), ("sampling", ["0", "1", "2"])]


def test_stale_results_in_two_timestamp_folders_are_two_runs(db: Path, tmp_path: Path) -> None:
    item = {"origin_prompt": "3+4?", "gold": "7"}
    for time, reply in (("20250101_000000", "7"), ("20250102_000000", "8")):
        put(
            tmp_path / time / "predictions" / "my-model" / "sums.json",
            {"0": {**item, "prediction": reply}},
        )
    sound(load(db, None, [tmp_path]))
    assert ask(db, "select model, count(*) from raw.runs group by 1") == [("my-model", 2)]
    assert ask(db, "select count(*) from raw.problems") == [(1,)]


def test_another_prompt_around_a_question_is_no_other_problem(db: Path, tmp_path: Path) -> None:
    for shots in (0, 5):
        item = {"origin_prompt": f"{shots} examples. 3+4?", "gold": "7", "prediction": "7"}
        put(tmp_path / str(shots) / "predictions" / "m" / "sums.json", {"0": item})
    sound(load(db, None, [tmp_path]))
    assert ask(db, "select count(*) from raw.responses") == [(2,)]


def test_the_order_of_choices_is_stable_and_holds_the_gold(db: Path, tmp_path: Path) -> None:
    form = all_formats()["gpqa"]
    rows = [{**form.example, "Record ID": f"rec{number}"} for number in range(40)]
    write_example(form, tmp_path / "a", rows)
    write_example(form, tmp_path / "b", rows[::-1])
    load(db, None, [tmp_path / "a"])
    (report,) = load(db, "problems", [tmp_path / "b"])
    assert (report.rows_already_there, report.rows_rejected) == (40, 0)
    letters = ask(
        db,
        "select gold_answer, choices ->> (ascii(gold_answer) - 65), count(*) from raw.problems "
        "group by all order by 1",
    )
    assert [row[0] for row in letters] == ["A", "B", "C", "D"]
    assert {row[1] for row in letters} == {"7"}


def test_a_sheet_of_answers_and_golds(db: Path, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ("answer", "gold"),
        ("It is 7", 7),
        (None, None),
        ("It is 1/2", 0.5),
        (" ", "=1+1"),
    ):
        sheet.append(row)
    other = book.create_sheet("notes")
    other.append(["remark"])
    other.append(["by hand"])
    book.save(tmp_path / "answers.xlsx")
    (report,) = load(db, None, [tmp_path / "answers.xlsx"])
    assert (report.source_format, report.rows_read, report.rows_loaded) == ("answer_csv", 4, 3)
    assert "sheet notes" in report.rejects[0].reason
    assert ask(db, "select gold_answer from raw.problems order by source_line limit 2") == [
        ("7",),
        ("0.5",),
    ]


def test_quotes_within_cells_cost_no_row(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text('answer,gold\na 5" pipe,5\n"x, ""y""",2\nodd,1,2\n7,7\n', encoding="utf-8")
    (report,) = load(db, None, [path])
    assert (report.rows_read, report.rows_loaded, report.rows_rejected) == (4, 3, 1)
    assert (report.rejects[0].line, "3 cells" in report.rejects[0].reason) == (4, True)
    assert ask(db, "select response from raw.responses order by source_line") == [
        ('a 5" pipe',),
        ('x, "y"',),
        ("7",),
    ]


def test_simple_evals_take_golds_from_their_reports(db: Path, tmp_path: Path) -> None:
    form = all_formats()["simple_evals"]
    twice = {key: value * 2 for key, value in form.example.items() if key in ("htmls", "convos")}
    sound(load(db, None, [write_example(form, tmp_path, [{**form.example, **twice}])]))
    assert ask(
        db,
        "select rollout_no, gold_answer, reported_answer, reported_correct, model "
        "from raw.responses join raw.problems using (problem_id) join raw.runs using (run_id) order by 1",
    ) == [(1, "7", "7", True, "my-model"), (2, "7", "7", True, "my-model")]


def test_a_search_taken_up_again_adds_its_answers(db: Path, tmp_path: Path) -> None:
    form = all_formats()["mctsr"]
    sound(load(db, None, [write_example(form, tmp_path)]))
    more = {
        **form.example,
        "answers_list": [*form.example["answers_list"], "I Don't Know", "#### 9"],
    }
    sound(load(db, None, [write_example(form, tmp_path, [more])]))
    assert ask(
        db, "select list(rollout_no order by rollout_no), count(distinct run_id), max(reward_score) "
        "from raw.responses"
    ) == [([1, 2, 3], 1, 85.0)]  # fmt: skip


def test_summaries_hold_figures_and_no_replies(db: Path, tmp_path: Path) -> None:
    form = all_formats()["lm_eval_results"]
    (report,) = sound(load(db, None, [write_example(form, tmp_path)]))
    assert report.note is not None and "no replies" in report.note
    assert ask(
        db, "select dataset_id, model, metric, variant, value, std_error from raw.reported_metrics"
    ) == [("gsm8k", "my/model", "exact_match", "strict-match", 0.5, 0.1)]
    assert ask(db, "select count(*) from raw.runs") == [(0,)]


def test_children_of_a_cut_document_are_told_from_whole_ones() -> None:
    text = b'{"a": [1, {"b": "}\\""}], "c": {"d": 1}, "e": [{"f": 1}, {"g'
    assert [(key, problem is None) for key, _, problem in children(text)] == [
        (b'"a"', True),
        (b'"c"', True),
        (b'"e"', False),
    ]
    items = list(children(members(text)["e"]))
    assert [(value, problem is None) for _, value, problem in items] == [
        (b'{"f": 1}', True),
        (b'{"g', False),
    ]


def test_a_scmath6_reply_that_is_false_in_any_way_is_no_reply(db: Path, tmp_path: Path) -> None:
    """As in the published scorer; a text stays the text it is, whatever it says."""
    replies: list[object] = [None, "", 0, 0.0, -0.0, 0e5, False, [], {}, "0", "false", "null", " "]
    records = [
        {
            "model_answer_turns_1": reply,
            "answer": "0",
            "model_answer_turns_2": "【1】",
            "answer_followup": "1",
            "reasoning_step_ref": "1",
            "reasoning_step_followup_ref": "2",
        }
        for reply in replies
    ]
    sound(load(db, "outputs", [put(tmp_path / "scmath6.jsonl", *records)]))
    found = ask(db, "select response from raw.responses where problem_id like '%#1' order by all")
    assert found == [(" ",), ("0",), ("false",), ("null",), *[(None,)] * 9]
