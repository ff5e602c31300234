"""Files as they are found: stray quotes and carriage returns, odd encodings, packed files in hundreds."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ingest.load import LoadReport, load

ROOT = Path(__file__).resolve().parents[2]
# DuckDB may keep pages up to ingest.load.MEMORY_LIMIT (1,300 MB); Python and Arrow have 2 GB in all.
PEAK_MB = 1300
MEASURED = """
import sys
from ingest.load import load
from tests.support import peak_megabytes
reports = load(sys.argv[1], "outputs", [sys.argv[2]], dataset="d", model="m")
assert not any(report.error for report in reports)
print(peak_megabytes())
"""


def load_one(tmp_path: Path, name: str, content: bytes) -> LoadReport:
    path = tmp_path / name
    path.write_bytes(content)
    (report,) = load(tmp_path / "test.duckdb", "outputs", [path], dataset="d", model="m")
    assert report.error is None
    assert report.rows_read == report.rows_loaded + report.rows_rejected
    return report


def stored(tmp_path: Path, sql: str) -> list[tuple]:
    with duckdb.connect(str(tmp_path / "test.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_a_large_csv_with_stray_quotes_keep_their_numbers(
    tmp_path: Path, end: str
) -> None:
    rows = [f'p{n},a 5" pipe {"y" * 70}' for n in range(40_000)]
    rows[30_000] = "p30000,too,many"
    data = end.join(["problem_id,response", *rows, ""]).encode()
    assert len(data) > 3 << 20
    report = load_one(tmp_path, "a.csv", data)
    assert (report.rows_loaded, report.rows_rejected) == (39_999, 1)
    assert [reject.line for reject in report.rejects] == [30_002]
    wrong = stored(
        tmp_path,
        "select count(*) from raw.responses where problem_id <> 'd/p' || (source_line - 2)",
    )
    assert wrong == [(0,)]


@pytest.mark.parametrize(
    ("content", "replies"),
    [
        (b'problem_id,response\na,x\ry\nb,5" z\n', ["x\ry", '5" z']),
        (b"problem_id,response\ra,x\rb,y\r", ["x", "y"]),
        (
            b'problem_id,response\na,5" z\nb,"ends in a line end\n"\n',
            ['5" z', "ends in a line end\n"],
        ),
    ],
)
def test_line_ends_within_cells_are_kept(
    tmp_path: Path, content: bytes, replies: list[str]
) -> None:
    assert load_one(tmp_path, "a.csv", content).rows_loaded == len(replies)
    found = stored(tmp_path, "select response from raw.responses order by source_line")
    assert [row[0] for row in found] == replies


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gbk", "utf-8-sig"])
@pytest.mark.parametrize("quote", ["", '5" '])
def test_encodings_of_csv(tmp_path: Path, encoding: str, quote: str) -> None:
    text = "problem_id,response\r\n" + "".join(f"p{n},{quote}答案是{n}。\r\n" for n in range(2000))
    assert load_one(tmp_path, "a.csv", text.encode(encoding)).rows_loaded == 2000
    found = stored(tmp_path, "select response from raw.responses where problem_id = 'd/p7'")
    assert found == [(f"{quote}答案是7。",)]


def test_values_of_mixed_types_keep_their_spelling(tmp_path: Path) -> None:
    answers = ["2024-01-02", "3/4", 7, 1.50, True, None, ["a", 1], {"x": 1}, "12:30", "1e3"]
    lines = [
        json.dumps({"problem_id": f"p{n}", "response": "r", "reported_answer": answer})
        for n, answer in enumerate(answers)
    ]
    assert load_one(tmp_path, "a.jsonl", "\n".join(lines).encode()).rows_loaded == len(answers)
    found = stored(tmp_path, "select reported_answer from raw.responses order by source_line")
    spelled = ["2024-01-02", "3/4", "7", "1.5", "true", None, '["a",1]', '{"x":1}', "12:30", "1e3"]
    assert [row[0] and row[0].replace(" ", "") for row in found] == spelled


def test_two_hundred_packed_files_are_not_unpacked_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(200):
        lines = [
            json.dumps({"problem_id": f"{n}", "response": f"{number} " + "all alike " * 400})
            for n in range(1000)
        ]
        (folder / f"f{number:03}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode(), 1))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "test.duckdb"), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert stored(tmp_path, "select count(*) from raw.responses") == [(200_000,)]
    assert int(done.stdout) < PEAK_MB
    # 4 MB each when unpacked: at most four share the 16 MB of a transaction, though all would fit packed
    shared_by = "select count(*) as files from raw.loads group by started_at"
    ((most,),) = stored(tmp_path, f"select max(files) from ({shared_by})")
    assert most <= 4


def test_files_of_one_format_share_a_transaction_wherever_they_lie(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}-problems.jsonl").write_text(
            json.dumps({"problem": f"{number}+1?", "solution": "\\boxed{1}", "level": "Level 1"})
        )
        (tmp_path / f"{number:02}-run.jsonl").write_text(
            json.dumps({"problem_id": f"{number}", "response": "2", "model": f"m{number}"})
        )
    reports = load(tmp_path / "test.duckdb", None, [tmp_path / "*.jsonl"], dataset="d")
    assert all(report.error is None for report in reports) and len(reports) == 60
    begun = stored(
        tmp_path, "select source_format, count(distinct started_at) from raw.loads group by 1"
    )
    assert sorted(count for _, count in begun) == [1, 1]
