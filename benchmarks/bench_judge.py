"""Times the judge beside Math-Verify on the same cases in one run, and writes benchmarks/judge.md.

    python benchmarks/bench_judge.py PYTHON_OF_MATH_VERIFY

Two measurements: case by case on the pairs and replies of grading/dev.jsonl, one warm process each; and the
replies of four real output files, ours by the models of one `dbt build` (as dbt itself reports their times),
Math-Verify's in two processes. The cases lie beside the repository (MATHMART_SHARED names the folder).
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("MATHMART_SHARED") or ROOT.parent / "shared")
RESULT = Path(__file__).with_name("judge.md")

OUTPUTS = (
    "scmath6_sample_answer.json",
    "qwen_math_cot_100.jsonl",
    "gsm8k_example_model_solutions.jsonl",
    "msu_scoring_output.csv",
)
# The models that extract, normalise and judge.
MODELS = ("int_extractions", "int_answers", "int_verdicts")
PROCESSES = 2

Case = dict[str, str]


def machine() -> str:
    """Kind of processor and number of cores."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        name = names[0].split(":", 1)[1].strip() if names else name
    return f"{name}, {os.cpu_count()} cores"


def math_verify(
    python: str, cases: Sequence[Case], processes: int
) -> tuple[list[dict], float, str]:
    """Math-Verify's verdicts and times on cases, its whole wall-clock time, and its version."""
    done = subprocess.run(
        [python, str(Path(__file__).with_name("math_verify_runner.py")), str(processes)],
        input="".join(json.dumps(case) + "\n" for case in cases),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    *verdicts, last = map(json.loads, done.stdout.splitlines())
    return verdicts, last["seconds"], last["version"]


def ours(judge: Callable[[str, str], bool], cases: Sequence[Case]) -> list[dict]:
    """Our verdicts and times, case by case in this process."""
    verdicts = []
    for case in cases:
        started = time.perf_counter()
        verdict = judge(case["gold"], case["text"])
        milliseconds = (time.perf_counter() - started) * 1000
        verdicts.append({"id": case["id"], "verdict": verdict, "ms": milliseconds})
    return verdicts


def row(name: str, verdicts: Sequence[dict], labels: dict[str, bool]) -> dict:
    """The figures of one grader on one kind of cases."""
    times = sorted(verdict["ms"] for verdict in verdicts)
    right = sum(bool(v["verdict"]) == labels[v["id"]] for v in verdicts)
    return {
        "grader": name,
        "n": len(times),
        "accuracy": right / len(times),
        "median": statistics.median(times),
        "p99": times[int(0.99 * len(times))],
        "rate": 1000 * len(times) / sum(times),
    }


def dev_cases(kind: str) -> tuple[list[Case], dict[str, bool]]:
    """Pairs or replies of the development cases, and their labels."""
    lines = (SHARED / "grading/dev.jsonl").read_text("utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if record["kind"] == kind]
    text = "answer" if kind == "pair" else "response"
    cases = [
        {"id": r["case_id"], "kind": kind, "gold": r["gold"], "text": r[text]} for r in records
    ]
    return cases, {r["case_id"]: r["label"] for r in records}


def case_by_case(python: str) -> tuple[list[str], str]:
    from udfs.judge import equivalent, grade

    equivalent("\\sum_{n=1}^{\\infty} \\frac{1}{2^n}", "1")  # starts the workers
    lines = [
        "| cases | grader | accuracy | a second | median ms | p99 ms |",
        "|---|---|---|---|---|---|",
    ]
    version = ""
    for kind, judge in (("pair", equivalent), ("response", grade)):
        cases, labels = dev_cases(kind)
        theirs, _, version = math_verify(python, cases, 1)
        a, b = row("Mathmart", ours(judge, cases), labels), row("Math-Verify", theirs, labels)
        for r in (a, b):
            lines.append(
                f"| {r['n']:,} {kind}s | {r['grader']} | {r['accuracy']:.3f} | {r['rate']:,.0f} "
                f"| {r['median']:.3f} | {r['p99']:.1f} |"
            )
        lines.append(
            f"| | ratio | | {a['rate'] / b['rate']:,.0f} × | {b['median'] / a['median']:,.0f} × "
            f"| {b['p99'] / a['p99']:,.1f} × |"
        )
    return lines, version


def build(folder: Path) -> tuple[float, list[Case]]:
    """Seconds that the judging models of one dbt build take on the output files, and the replies they judged."""
    database = folder / "bench.duckdb"
    environment = os.environ | {
        "MATHMART_DB": str(database),
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
    }
    mathmart = [sys.executable, "-m", "cli", "--db", str(database)]
    for name in OUTPUTS:
        path = str(SHARED / "data/outputs" / name)
        subprocess.run(
            [*mathmart, "load", "outputs", path],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    dbt = str(Path(sys.executable).with_name("dbt"))
    options = ["--profiles-dir", ".", "--quiet", "--exclude-resource-type", "test", "unit_test"]
    subprocess.run(
        [dbt, "build", *options, "--select", "+int_verdicts"],
        cwd=ROOT / "dbt_project",
        env=environment,
        check=True,
    )
    results = json.loads((folder / "target/run_results.json").read_text("utf-8"))["results"]
    taken = {r["unique_id"].split(".")[-1]: r["execution_time"] for r in results}
    import duckdb

    with duckdb.connect(str(database), read_only=True) as connection:
        replies = connection.execute(
            "select r.response_id, coalesce(p.gold_answer, ''), r.response from raw.responses as r "
            "inner join raw.problems as p on r.problem_id = p.problem_id where r.response <> ''"
        ).fetchall()
    cases = [{"id": i, "kind": "response", "gold": gold, "text": text} for i, gold, text in replies]
    return sum(taken[model] for model in MODELS), cases


def main() -> None:
    python = sys.argv[1]
    sys.path.insert(0, str(ROOT))
    load = os.getloadavg()[0]  # what else the machine was doing before we began
    lines, version = case_by_case(python)
    with tempfile.TemporaryDirectory() as folder:
        seconds, cases = build(Path(folder))
    _, theirs, _ = math_verify(python, cases, PROCESSES)
    report = [
        "# The judge beside Math-Verify",
        "",
        f"{date.today().isoformat()}, {machine()}, Python {platform.python_version()}, "
        f"Math-Verify {version} with its defaults. Written by `make bench-judge`; load of the machine "
        f"before it began: {load:.1f}. The busier it is, the more the ratios say and the less the times.",
        "",
        "Case by case, one warm process each, the development cases:",
        "",
        *lines,
        "",
        f"The {len(cases):,} replies of four real output files: the models that extract and judge take "
        f"{seconds:.1f} s inside `dbt build`, Math-Verify {theirs:.1f} s in {PROCESSES} processes: "
        f"{theirs / seconds:.0f} times as long.",
    ]
    RESULT.write_text("\n".join(report) + "\n", encoding="utf-8")
    print(*report, sep="\n")


if __name__ == "__main__":
    main()
