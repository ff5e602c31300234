"""How near `mathmart solve` comes to the rate its server allows: 64 requests in flight, 50 ms each.

    python benchmarks/ask_rate.py [problems] [rollouts]

The server runs in this process, the client in another. Prints the share of the ideal rate (of the
whole asking, first to last reply) and the client's processor time per request, which does not
depend on what else the machine is doing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.functional.models.endpoint_server import EndpointServer  # noqa: E402

IN_FLIGHT = 64
DELAY_SECONDS = 0.05

CLIENT = """
import json, sys, time
from pathlib import Path
from ingest.models.commands import run_solve
from ingest.models.limits import Limits
seen = []
started = time.process_time()
outcome = run_solve(
    Path(sys.argv[1]), dataset="d", model="m", rollouts=int(sys.argv[2]),
    limits=Limits(concurrency=int(sys.argv[3])), on_progress=lambda at: seen.append((at.done, at.seconds)),
)
done, seconds = seen[-1]
print(json.dumps({"done": done, "seconds": seconds, "cpu": time.process_time() - started}))
"""


def make_warehouse(path: Path, n_problems: int) -> None:
    """A warehouse with `n_problems` short problems of dataset `d`."""
    from ingest.load import load

    problems = path.with_name("d.jsonl")
    with problems.open("w") as file:
        for n in range(n_problems):
            row = {
                "problem_id": str(n),
                "question": f"What is {n} + {n}?",
                "gold_answer": str(2 * n),
            }
            file.write(json.dumps(row) + "\n")
    load(path, "problems", [problems], dataset="d", format="native_problems")


def main() -> None:
    n_problems = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    rollouts = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as folder, EndpointServer(delay=DELAY_SECONDS) as server:
        path = Path(folder) / "rate.duckdb"
        make_warehouse(path, n_problems)
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, str(path), str(rollouts), str(IN_FLIGHT)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_BASE_URL": server.url},
            capture_output=True,
            text=True,
            check=True,
        )
        seen = json.loads(done.stdout)
        assert seen["done"] == n_problems * rollouts == len(server.requests)
        at = [request.at for request in server.requests]
    rate = seen["done"] / seen["seconds"]
    ideal = IN_FLIGHT / DELAY_SECONDS
    print(f"{rate:.0f} of {ideal:.0f} replies a second: {rate / ideal:.1%} of the ideal")
    print(f"at the server {(len(at) - 1) / (max(at) - min(at)):.0f} requests a second")
    print(f"{1000 * seen['cpu'] / seen['done']:.2f} ms of processor time per reply at the client")


if __name__ == "__main__":
    main()
