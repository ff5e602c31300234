"""Metrics and marts over ten million rollouts: time and memory of all that follows the verdicts.

    python benchmarks/metrics_and_marts.py [millions of rollouts]     (make bench-metrics)

Makes a warehouse of made-up runs (250 runs, ten datasets, 16 rollouts a problem, replies of one line), lets dbt
judge it, and then measures one `dbt run` of all other models. A run of the full ten million writes what it found to
benchmarks/metrics.md.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ingest.warehouse import open_warehouse  # noqa: E402

N_RUNS = 250
N_DATASETS = 10
N_ROLLOUTS = 16
SLOWEST_SHOWN = 12
FULL = 10  # millions of rollouts that the target speaks of: a minute on two cores, under 8 GB
REPORT = ROOT / "benchmarks" / "metrics.md"


def fill(path: Path, n_rollouts: int) -> None:
    """Problems, runs and responses straight into the raw layer: loading is measured elsewhere."""
    n_problems = n_rollouts // (N_RUNS * N_ROLLOUTS)
    with open_warehouse(path, create=True) as connection:
        connection.execute(
            """
            insert into raw.problems by name
            select
                'd' || d || '/' || p as problem_id, 'd' || d as dataset_id, p::varchar as native_id, 1 as turn,
                (hash(d, p) % 10)::varchar as gold_answer, true as gold_is_text,
                'level ' || p % 5 as level, 'subject ' || p % 7 as subject,
                'native' as source_format, 'bench' as source_file, p as source_line,
                'bench' as file_sha256, 'bench' as load_id
            from range($1) as datasets (d) cross join range($2) as problems (p)
            """,
            [N_DATASETS, n_problems],
        )
        connection.execute(
            """
            insert into raw.runs by name
            select
                'run' || r as run_id, 'model ' || r as model, 'd' || r % $1 as dataset_id,
                'native' as source_format, 'bench' as source_file, 'bench' as file_sha256, 'bench' as load_id
            from range($2) as runs (r)
            """,
            [N_DATASETS, N_RUNS],
        )
        # the harder the problem and the weaker the run, the more often one of the ten digits is guessed
        connection.execute(
            """
            insert into raw.responses by name
            select
                left(md5(concat_ws('|', run_id, problem_id, n)), 20) as response_id,
                run_id, problem_id, dataset_id, n::integer as rollout_no,
                'The answer is \\boxed{' || case
                    when hash(run_id, problem_id, n) % 100 < 20 + hash(problem_id) % 70 then gold_answer
                    else (hash(n, run_id, problem_id) % 10)::varchar
                end || '}.' as response,
                (hash(problem_id, n, run_id) % 1000) / 1000 as reward_score,
                'bench' as source_file, 1 as source_line, 'bench' as load_id
            from raw.runs
            inner join raw.problems using (dataset_id)
            cross join range(1, $1) as rollouts (n)
            """,
            [N_ROLLOUTS + 1],
        )


def dbt(path: Path, folder: Path, *arguments: str) -> tuple[float, float, float]:
    """Run dbt; (seconds, processor seconds, peak memory in GB so far of any dbt run)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    subprocess.run(
        [Path(sys.executable).with_name("dbt"), "--quiet", *arguments, "--profiles-dir", "."],
        cwd=ROOT / "dbt_project",
        check=True,
        env={
            **os.environ,
            "MATHMART_DB": str(path),
            "DBT_TARGET_PATH": str(folder / "target"),
            "DBT_LOG_PATH": str(folder / "logs"),
        },
    )
    seconds = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, processor, after.ru_maxrss / 2**20


def machine() -> str:
    """Processor kind, cores and memory: figures mean nothing without them."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB of memory"


def main() -> None:
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else FULL
    lines: list[str] = []

    def tell(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    with tempfile.TemporaryDirectory(prefix="mathmart-bench-") as name:
        folder = Path(name)
        path = folder / "bench.duckdb"
        fill(path, int(millions * 1_000_000))
        tell("# Metrics and marts over many rollouts")
        tell("")
        tell(
            f"Written by `make bench-metrics` on {datetime.now(UTC):%Y-%m-%d}: {millions:g} million rollouts of "
            f"{N_RUNS} runs on {machine()}; DuckDB {duckdb.__version__}, Python {platform.python_version()}; "
            f"{os.getloadavg()[0]:.1f} processes competed for the cores when it began."
        )
        tell("")
        tell("| step | seconds | seconds of processor | peak memory so far, GB |")
        tell("|---|---|---|---|")
        for title, arguments in (
            ("seeds", ("seed",)),
            ("judging", ("run", "--select", "staging", "+int_outcomes")),
            ("metrics and marts", ("run", "--exclude", "staging", "+int_outcomes")),
        ):
            seconds, processor, peak = dbt(path, folder, *arguments)
            tell(f"| {title} | {seconds:.0f} | {processor:.0f} | {peak:.1f} |")
        with duckdb.connect(str(path), read_only=True) as connection:
            (values,) = connection.execute("select count(*) from marts.metric_values").fetchone()
        tell("")
        tell(f"{values:,} metric values came of it. The slowest models of the last step:")
        tell("")
        tell("| model | seconds |")
        tell("|---|---|")
        results = json.loads((folder / "target/run_results.json").read_text())["results"]
        slowest = sorted(results, key=lambda result: -result["execution_time"])[:SLOWEST_SHOWN]
        for result in slowest:
            tell(f"| {result['unique_id'].split('.', 2)[2]} | {result['execution_time']:.1f} |")
    if millions == FULL:
        REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
