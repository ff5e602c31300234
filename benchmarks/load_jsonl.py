"""How long a large JSONL file takes to load, beside DuckDB's own read_json, and with how much memory.

Usage: python benchmarks/load_jsonl.py [megabytes]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPLY = "Let us think step by step. We have $x^2+2x+1=0$, so \\frac{1}{2} and then " * 12
READ = """
import duckdb, sys
duckdb.connect(sys.argv[1]).execute("create table t as select * from read_json(?)", [sys.argv[2]])
"""
LOAD = "import sys; from ingest.load import load; load(sys.argv[1], 'outputs', [sys.argv[2]])"


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 700
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.jsonl")
        _write(path, megabytes << 20)
        for name, code in (("read_json", READ), ("load", LOAD)):
            began = time.monotonic()
            database = str(Path(folder, f"{name}.duckdb"))
            subprocess.run([sys.executable, "-c", code, database, str(path)], check=True)
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(
                f"{name:10} {time.monotonic() - began:6.1f} s, peak so far {usage.ru_maxrss >> 10} MB, "
                f"processor time so far {usage.ru_utime + usage.ru_stime:.1f} s"
            )


def _write(path: Path, size: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < size if number % 1000 == 0 else True:
            row = {
                "problem_id": f"p{number // 8}",
                "question": REPLY[:200] + str(number // 8),
                "gold_answer": str(number // 8 % 100),
                "rollout_no": number % 8 + 1,
                "response": f"{REPLY} 所以答案是 \\boxed{{{number % 100}}}",
                "model": "m1",
                "run_id": "r1",
                "reward_score": number % 997 / 997,
                "output_tokens": number % 1000,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            number += 1


if __name__ == "__main__":
    main()
