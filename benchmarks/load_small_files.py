"""Time a load of many small JSON files beside DuckDB's own reader: python benchmarks/load_small_files.py [files]"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from ingest.load import load


def main(files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in"
        for number in range(files):
            path = source / f"{number % 100:02}" / f"{number}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            row = {"problem_id": f"p{number}", "model": "m", "response": f"It is {number}." * 20}
            path.write_text(json.dumps({**row, "gold_answer": str(number)}, indent=1))
        started = time.perf_counter()
        with duckdb.connect(f"{folder}/plain.duckdb") as plain:
            plain.execute(
                f"create table t as select * from read_json('{source}/*/*.json', columns = "
                "{problem_id: 'varchar', model: 'varchar', response: 'varchar', gold_answer: 'varchar'})"
            )
        alone = time.perf_counter() - started
        started = time.perf_counter()
        reports = load(f"{folder}/w.duckdb", None, [source])
        ours = time.perf_counter() - started
    assert sum(report.rows_loaded for report in reports) == files
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{files} files: DuckDB {alone:.1f} s, load {ours:.1f} s, ratio {ours / alone:.1f}, peak {peak:.0f} MB"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
