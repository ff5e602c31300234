"""Loading: what a user sees when files of every condition go in."""

from __future__ import annotations

import bz2
import gzip
import json
import shutil
import zipfile
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.errors import AmbiguousFormat, EmptyFile, UnknownFormat, UnreadableFile, UsageError
from ingest.load import LoadReport, load

ROWS = [
    {
        "problem_id": f"p{n}",
        "question": f"{n} + 1 = ?",
        "gold_answer": str(n + 1),
        "model": "m",
        "rollout_no": k,
        "response": f"答案 {n + k}",
        "reward_score": 0.5,
    }
    for n in (1, 2)
    for k in (1, 2)
]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load_one(db: Path, kind: str, path: Path, **options: str) -> LoadReport:
    (report,) = load(db, kind, [path], **options)
    if report.error:
        raise report.error
    total = report.rows_loaded + report.rows_already_there + report.rows_rejected
    assert report.rows_read == total
    return report


def query(db: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def content(db: Path) -> list:
    tables = ("problems", "runs", "responses", "concepts", "reported_scores", "rejects")
    return [sorted(map(str, query(db, f"from raw.{table}"))) for table in tables]


def test_native_outputs_bring_problems_runs_and_responses(db: Path, tmp_path: Path) -> None:
    report = load_one(db, "outputs", write(tmp_path / "mine.jsonl", lines(ROWS)))
    assert (report.rows_read, report.rows_loaded, report.source_format) == (4, 4, "native")
    assert query(db, "select problem_id, gold_answer from raw.problems order by 1") == [
        ("mine/p1", "2"),
        ("mine/p2", "3"),
    ]
    assert query(
        db, "select problem_id, rollout_no, response, source_line from raw.responses order by 4"
    ) == [
        (f"mine/{r['problem_id']}", r["rollout_no"], r["response"], i)
        for i, r in enumerate(ROWS, 1)
    ]
    assert query(db, "select count(*), min(model) from raw.runs") == [(1, "m")]


def test_loading_again_renamed_and_moved_changes_nothing(db: Path, tmp_path: Path) -> None:
    first = write(tmp_path / "mine.jsonl", lines(ROWS) + "not json\n")
    assert load_one(db, "outputs", first).rows_rejected == 1
    before = content(db)
    moved = tmp_path / "elsewhere" / "other.jsonl"
    moved.parent.mkdir()
    shutil.copy(first, moved)
    for path in (first, moved):
        again = load_one(db, "outputs", path)
        assert (again.rows_already_there, again.rows_rejected, again.rows_loaded) == (4, 1, 0)
    assert content(db) == before
    assert query(db, "select count(*) from raw.loads") == [(3,)]


def test_two_copies_in_one_folder_are_one_run(db: Path, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / "in" / name, lines(ROWS))
    reports = load(db, "outputs", [tmp_path / "in"])
    assert [r.rows_loaded for r in reports] == [4, 0]
    assert query(db, "select count(*) from raw.runs") == [(1,)]


def test_a_second_file_without_run_id_is_another_run(db: Path, tmp_path: Path) -> None:
    load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(ROWS)), dataset="d")
    load_one(db, "outputs", write(tmp_path / "b.jsonl", lines(ROWS[:2])), dataset="d")
    assert query(db, "select count(*) from raw.runs") == [(2,)]
    assert query(db, "select count(*) from raw.problems") == [(2,)]


def test_explicit_run_id_grows_and_contradictions_are_rejected(db: Path, tmp_path: Path) -> None:
    rows = [{**row, "run_id": "r"} for row in ROWS]
    load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows[:3])), dataset="d")
    changed = [rows[0], {**rows[1], "response": "another"}, rows[3]]
    report = load_one(db, "outputs", write(tmp_path / "b.jsonl", lines(changed)), dataset="d")
    assert (report.rows_loaded, report.rows_already_there, report.rows_rejected) == (1, 1, 1)
    assert "conflicts with rollout 2 of problem d/p1 in run r" in report.rejects[0].reason
    assert "a.jsonl:2" in report.rejects[0].reason
    assert query(db, "select count(*) from raw.responses where run_id = 'r'") == [(4,)]


def test_the_same_rollout_twice_in_a_file(db: Path, tmp_path: Path) -> None:
    rows = [ROWS[0], ROWS[0], {**ROWS[0], "response": "other"}]
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows)))
    assert (report.rows_loaded, report.rows_already_there, report.rows_rejected) == (1, 1, 1)


def test_another_question_under_the_same_id_is_rejected(db: Path, tmp_path: Path) -> None:
    problem = {"problem_id": "p", "question": "1 +  1?", "gold_answer": "2"}
    load_one(db, "problems", write(tmp_path / "a.jsonl", lines([problem])), dataset="d")
    others = [
        {**problem, "question": " 1 + 1?", "gold_answer": "2.0"},  # the same problem
        {**problem, "question": "2 + 2?"},
        {**problem, "gold_answer": "3"},
    ]
    report = load_one(db, "problems", write(tmp_path / "b.jsonl", lines(others)), dataset="d")
    assert (report.rows_already_there, report.rows_rejected) == (1, 2)
    for reject, difference in zip(report.rejects, ("question", "gold answer"), strict=True):
        assert f"conflicts with problem d/p loaded from {tmp_path}/a.jsonl:1" in reject.reason
        assert f"another {difference};" in reject.reason


def test_problems_loaded_later_fill_what_outputs_left_open(db: Path, tmp_path: Path) -> None:
    bare = [{"problem_id": "p", "question": "1 + 1?", "response": "2"}]
    load_one(db, "outputs", write(tmp_path / "out.jsonl", lines(bare)), dataset="d")
    full = [{"problem_id": "p", "question": "1 + 1?", "gold_answer": 2, "level": "easy"}]
    report = load_one(db, "problems", write(tmp_path / "p.jsonl", lines(full)), dataset="d")
    assert report.rows_loaded == 1
    assert query(db, "select gold_answer, gold_is_text, level from raw.problems") == [
        ("2", False, "easy")
    ]


def test_a_rejected_record_does_not_take_its_problem_along(db: Path, tmp_path: Path) -> None:
    rows = [
        {
            "problem_id": "p",
            "question": "1 + 1?",
            "gold_answer": "2",
            "rollout_no": n,
            "response": "2",
        }
        for n in (0, 1)
    ]
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows)), dataset="d")
    assert (report.rows_loaded, report.rows_rejected) == (1, 1)
    assert query(db, "select problem_id, gold_answer, source_line from raw.problems") == [
        ("d/p", "2", 2)
    ]


def test_a_problem_of_nothing_is_rejected(db: Path, tmp_path: Path) -> None:
    rows = [{"problem_id": "p", "question": "1 + 1?", "gold_answer": "2"}, {}, {"gold_answer": "3"}]
    report = load_one(db, "problems", write(tmp_path / "p.jsonl", lines(rows)), dataset="d")
    assert [(one.line, one.reason) for one in report.rejects] == [
        (2, "holds neither a question nor a problem id"),
        (3, "holds neither a question nor a problem id"),
    ]
    assert query(db, "select problem_id from raw.problems") == [("d/p",)]


def test_a_later_record_of_the_same_file_fills_a_problem(db: Path, tmp_path: Path) -> None:
    """The first value that is stated stands, whichever record states it, and others must agree."""
    one, two = {"problem_id": "p", "question": "1 + 1?"}, {"problem_id": "q", "question": "1 + 2?"}
    rows = [
        one | {"rollout_no": 1, "response": "2"},
        one | {"rollout_no": 2, "response": "2", "gold_answer": 2, "level": "easy"},
        one | {"rollout_no": 3, "response": "2", "gold_answer": "3"},
        two | {"rollout_no": 1, "response": "3"},
    ]
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows)), dataset="d")
    (reject,) = report.rejects
    assert reject.line == 3
    assert f"loaded from {tmp_path}/a.jsonl:2: another gold answer" in reject.reason
    problems = "select problem_id, gold_answer, gold_is_text, level from raw.problems order by 1"
    assert query(db, problems) == [("d/p", "2", False, "easy"), ("d/q", None, True, None)]
    golds = [two | {"gold_answer": gold} for gold in (None, "3", "4", "3.0")]
    report = load_one(db, "problems", write(tmp_path / "b.jsonl", lines(golds)), dataset="d")
    assert (report.rows_loaded, report.rows_already_there, report.rows_rejected) == (1, 2, 1)
    assert query(db, problems)[1] == ("d/q", "3", True, None)


def test_lines_without_ids_are_problems_of_their_own(db: Path, tmp_path: Path) -> None:
    rows = [{"question": "same?", "response": "1"}] * 2
    load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows)))
    ids = query(db, "select native_id, source_line from raw.problems order by 2")
    assert [number.split(":")[1] for number, _ in ids] == ["1", "2"]


def test_unknown_fields_and_odd_numbers_are_kept(db: Path, tmp_path: Path) -> None:
    text = '{"problem_id":"p","response":"x","reward_score":NaN,"mine":{"a":[1,null]},"other":1}\n'
    load_one(db, "outputs", write(tmp_path / "a.jsonl", text))
    ((score, metadata),) = query(db, "select reward_score, metadata from raw.responses")
    assert score is None
    assert json.loads(metadata) == {"mine": {"a": [1, None]}, "other": 1, "reward_score": "NaN"}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"problem_id": "p", "respon', "not valid JSON"),
        ('["problem_id"]', "not a JSON object"),
        ('{"problem_id": "p", "response": "a", "response": "b"}', "stands twice"),
        ('{"problem_id": "p", "response": "a\x00b"}', "NUL"),
        ('{"problem_id": "p", "response": "\\ud800"}', "not valid JSON"),
        ('{"problem_id": "p", "response": "x", "rollout_no": 1.5}', "rollout_no is not a whole"),
        ('{"problem_id": "p", "response": "x", "rollout_no": 0}', "rollout_no counts from 1"),
        (
            '{"problem_id": "p", "response": "x", "reward_score": "good"}',
            "reward_score is not a nu",
        ),
        ('{"problem_id": "p", "response": "x", "reported_correct": "maybe"}', "true or false"),
        ('{"response": "x"}', 'field "problem_id" is missing'),
        (b'{"problem_id": "p", "response": "\xff"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_rejected_and_the_others_load(
    db: Path, tmp_path: Path, line: str | bytes, reason: str
) -> None:
    raw = line if isinstance(line, bytes) else line.encode()
    good = lines(ROWS).encode()
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", good + raw + b"\n" + b"\n  \n"))
    assert (report.rows_read, report.rows_loaded, report.rows_rejected) == (5, 4, 1)
    assert report.rejects[0].line == 5
    assert reason in report.rejects[0].reason
    ((kept,),) = query(db, "select raw_text from raw.rejects")
    assert kept == raw.decode("utf-8", "replace")


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("gbk"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: json.dumps([json.loads(x) for x in text.splitlines()]).encode(),
        lambda text: json.dumps([json.loads(x) for x in text.splitlines()], indent=2).encode(),
        lambda text: "\n".join(
            json.dumps(json.loads(x), indent=1) for x in text.splitlines()
        ).encode(),
    ],
    ids=[
        "bom",
        "utf16",
        "utf16le",
        "gbk",
        "crlf",
        "no-last-newline",
        "array",
        "pretty-array",
        "documents",
    ],
)
def test_encodings_and_layouts(db: Path, tmp_path: Path, encode) -> None:
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", encode(lines(ROWS))))
    assert (report.rows_read, report.rows_loaded) == (4, 4)
    assert query(db, "select response from raw.responses order by source_line") == [
        (row["response"],) for row in ROWS
    ]


def test_a_cut_array_loads_its_whole_items(db: Path, tmp_path: Path) -> None:
    text = json.dumps(ROWS, ensure_ascii=False)[:-30]
    report = load_one(db, "outputs", write(tmp_path / "a.json", text))
    assert (report.rows_loaded, report.rows_rejected) == (3, 1)
    assert "the file ends within" in report.rejects[0].reason


@pytest.mark.parametrize("suffix", ["gz", "bz2", "zst", "zip"])
def test_compressed_files(db: Path, tmp_path: Path, suffix: str) -> None:
    data = lines(ROWS).encode()
    path = tmp_path / f"mine.jsonl.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mine.jsonl", data)
    elif suffix == "zst":
        with pa.output_stream(str(path), compression="zstd") as stream:
            stream.write(data)
    else:
        path.write_bytes(gzip.compress(data) if suffix == "gz" else bz2.compress(data))
    report = load_one(db, "outputs", path)
    assert (report.rows_loaded, report.dataset_id) == (4, "mine")


def test_a_cut_gz_loads_nothing_and_says_so(db: Path, tmp_path: Path) -> None:
    big = gzip.compress(
        lines([{**r, "response": f"{i}"} for i in range(5000) for r in ROWS]).encode()
    )
    path = write(tmp_path / "a.jsonl.gz", big[: len(big) // 2])
    with pytest.raises(UnreadableFile, match=r"a\.jsonl\.gz: cannot be read"):
        load_one(db, "outputs", path)
    assert content(db) == [[]] * 6


def test_csv_cells_come_byte_for_byte(db: Path, tmp_path: Path) -> None:
    answers = [
        "2024-01-02",
        "1" * 42,
        "0b7e7c1e-0000-4000-8000-000000000000",
        "007",
        "1.10",
        "TRUE",
    ]
    body = "".join(
        f'p{i},"line one\nline ""two"" \\frac{{1}}{{2}}, end",{answer}\n'
        for i, answer in enumerate(answers)
    )
    path = write(tmp_path / "a.csv", "problem_id,response,reported_answer\n" + body)
    assert load_one(db, "outputs", path).rows_loaded == len(answers)
    assert query(db, "select reported_answer, source_line from raw.responses order by 2") == [
        (answer, 2 + 2 * i) for i, answer in enumerate(answers)
    ]
    assert query(db, "select distinct response from raw.responses") == [
        ('line one\nline "two" \\frac{1}{2}, end',)
    ]


def test_csv_rows_of_another_width_and_a_cut_cell_are_rejected(db: Path, tmp_path: Path) -> None:
    text = 'problem_id,response\np1,a\np2\n\np3,b,c\np4,d\np5,"never ends\nmore\n'
    report = load_one(db, "outputs", write(tmp_path / "a.csv", text))
    assert (report.rows_read, report.rows_loaded, report.rows_rejected) == (5, 2, 3)
    assert [reject.line for reject in report.rejects] == [3, 5, 7]
    assert query(db, "select source_line from raw.responses order by 1") == [(2,), (6,)]


def test_parquet(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    assert load_one(db, "outputs", path).rows_loaded == 4
    assert query(db, "select max(source_line), min(reward_score) from raw.responses") == [(4, 0.5)]


def test_concepts_and_embeddings(db: Path, tmp_path: Path) -> None:
    rows = [{**row, "run_id": "r", "concepts": ["Sum"], "extractor_id": "e"} for row in ROWS[:1]]
    load_one(db, "outputs", write(tmp_path / "o.jsonl", lines(rows + ROWS[2:3])), dataset="d")
    concepts = [
        {"problem_id": "d/p1", "concepts": [" a", "b"], "extractor_id": "e"},
        {"problem_id": "p2", "concepts": [], "extractor_id": "e"},
        {
            "problem_id": "p1",
            "run_id": "r",
            "rollout_no": 1,
            "concepts": ["c"],
            "extractor_id": "e2",
        },
        {"problem_id": "nowhere", "concepts": ["c"], "extractor_id": "e"},
        {"problem_id": "p1", "run_id": "q", "concepts": ["c"], "extractor_id": "e"},
    ]
    path = write(tmp_path / "c.jsonl", lines(concepts))
    report = load_one(db, "concepts", path, dataset="d")
    assert (report.rows_loaded, report.rows_rejected) == (3, 2)
    found = query(
        db,
        "select problem_id, response_id is null, extractor_id, concept_no, concept "
        "from raw.concepts order by all",
    )
    assert found == [
        ("d/p1", False, "e", 1, "Sum"),
        ("d/p1", False, "e2", 1, "c"),
        ("d/p1", True, "e", 1, " a"),
        ("d/p1", True, "e", 2, "b"),
        ("d/p2", True, "e", 0, None),
    ]
    vectors = [
        {"embedder_id": "v", "text": "a", "embedding": [0.5, 1]},
        {"embedder_id": "v", "text": "b", "embedding": [0.5, None]},
        {"embedder_id": "v", "text": "c", "embedding": "x"},
    ]
    report = load_one(db, "embeddings", write(tmp_path / "v.jsonl", lines(vectors)))
    assert (report.rows_loaded, report.rows_rejected) == (1, 2)


def test_wrong_kind_unknown_and_missing_files_say_what_to_do(db: Path, tmp_path: Path) -> None:
    outputs = write(tmp_path / "o.jsonl", lines(ROWS))
    with pytest.raises(UnknownFormat, match="mathmart load outputs"):
        load_one(
            db,
            "problems",
            write(tmp_path / "x.jsonl", lines([{"problem_id": "p", "response": "r"}])),
        )
    with pytest.raises(UnknownFormat, match=r'closest is native, .* "response"'):
        load_one(
            db, "outputs", write(tmp_path / "y.jsonl", lines([{"problem_id": "p", "reply": "r"}]))
        )
    with pytest.raises(UsageError, match="no such file"):
        load(db, "outputs", [tmp_path / "nowhere.jsonl"])
    with pytest.raises(UsageError, match="There are:"):
        load(db, "outputs", [outputs], format="nothing")
    (report,) = load(db, "outputs", [write(tmp_path / "empty.jsonl", "")])
    assert isinstance(report.error, EmptyFile)


def test_a_bad_file_in_a_folder_does_not_stop_the_others(db: Path, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.jsonl", lines(ROWS))
    write(tmp_path / "in" / "notes.txt", "hello there\n")
    write(tmp_path / "in" / "sub" / "b.jsonl", lines(ROWS[:1]))
    reports = load(db, "outputs", [tmp_path / "in"])
    assert [report.error is None for report in reports] == [True, False, True]
    assert not isinstance(reports[1].error, AmbiguousFormat)


def test_a_thousand_small_files_share_transactions(db: Path, tmp_path: Path) -> None:
    for n in range(1000):
        row = {"problem": f"{n}?", "solution": f"\\boxed{{{n}}}", "level": "Level 1", "type": "A"}
        write(tmp_path / "MATH" / "test" / "algebra" / f"{n}.json", json.dumps(row))
    reports = load(db, "problems", [tmp_path / "MATH"])
    assert sum(report.rows_loaded for report in reports) == 1000
    assert query(
        db,
        "select count(distinct problem_id), min(problem_id), sum(gold_answer::int) from raw.problems",
    ) == [(1000, "math/test/algebra/0.json", 499500)]


def test_progress_is_told(db: Path, tmp_path: Path) -> None:
    heard = []
    load(db, "outputs", [write(tmp_path / "a.jsonl", lines(ROWS))], progress=heard.append)
    assert [event.stage for event in heard][-1] == "done"
    assert heard[0].bytes_done == heard[0].bytes_total


def test_parquet_in_zip_and_gz(db: Path, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "mine.parquet")
    content = (tmp_path / "mine.parquet").read_bytes()
    write(tmp_path / "in" / "mine.parquet.gz", gzip.compress(content))
    with zipfile.ZipFile(tmp_path / "in" / "all.zip", "w") as archive:
        archive.writestr("other.parquet", content)
    for path in sorted((tmp_path / "in").iterdir()):
        assert load_one(db, "outputs", path, dataset=path.stem).rows_loaded == 4


def test_a_line_of_many_megabytes(db: Path, tmp_path: Path) -> None:
    rows = [ROWS[0], {**ROWS[1], "response": "x" * (100 << 20)}, ROWS[2]]
    assert load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows))).rows_loaded == 3
    assert query(db, "select source_line, strlen(response) from raw.responses order by 1")[1] == (
        2,
        100 << 20,
    )


def test_fields_that_only_later_records_have_are_read(db: Path, tmp_path: Path) -> None:
    rows = [{**ROWS[0], "problem_id": f"p{n}", "question": None} for n in range(100)]
    rows[60] |= {"finish_reason": "length", "output_tokens": 9}
    assert load_one(db, "outputs", write(tmp_path / "a.jsonl", lines(rows))).rows_loaded == 100
    assert query(
        db,
        "select source_line, output_tokens, response from raw.responses where finish_reason = 'length'",
    ) == [(61, 9, ROWS[0]["response"])]


def test_surrogates_and_nan_leave_valid_json(db: Path, tmp_path: Path) -> None:
    text = (
        '{"problem_id": "a", "response": "x\\ud800y", "odd": NaN, "m": {"n": -Infinity}}\n'
        '{"problem_id": "b", "response": "z", "odd": 1}\n'
    )
    report = load_one(db, "outputs", write(tmp_path / "a.jsonl", text))
    assert report.rows_loaded + report.rows_rejected == 2
    assert report.rows_loaded >= 1
    for (metadata,) in query(db, "select metadata from raw.responses where metadata is not null"):
        json.loads(metadata, parse_constant=lambda name: pytest.fail(f"{name} in metadata"))


@pytest.mark.parametrize("first", [{}, {"prompt": "cot"}, {"model": "m"}])
def test_a_name_given_later_names_the_run_and_doubles_nothing(
    db: Path, tmp_path: Path, first: dict[str, str]
) -> None:
    nameless = [{k: v for k, v in row.items() if k != "model"} for row in ROWS]
    path = write(tmp_path / "o.jsonl", lines(nameless))
    load_one(db, "outputs", path, dataset="d", **first)
    report = load_one(db, "outputs", path, dataset="d", model="m", prompt="cot")
    assert (report.rows_loaded, report.rows_already_there) == (0, 4)
    assert query(db, "select model, prompt from raw.runs") == [("m", "cot")]
    for options in ({}, {"model": "m"}, {"model": "m", "prompt": "cot"}):
        moved = write(tmp_path / "elsewhere" / "renamed.jsonl", lines(nameless))
        assert load_one(db, "outputs", moved, dataset="d", **options).rows_already_there == 4
    assert query(db, "select count(*) from raw.responses") == [(4,)]


def test_another_name_for_a_named_run_is_another_run(db: Path, tmp_path: Path) -> None:
    nameless = [{k: v for k, v in row.items() if k != "model"} for row in ROWS]
    path = write(tmp_path / "o.jsonl", lines(nameless))
    for model in ("one", "two", "one"):
        load_one(db, "outputs", path, dataset="d", model=model)
    assert query(db, "select model from raw.runs order by model") == [("one",), ("two",)]
    assert query(db, "select count(*) from raw.responses") == [(8,)]
