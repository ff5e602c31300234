"""How near `mathmart solve` comes to the rate its server allows: 64 requests in flight, 50 ms each.

    python benchmarks/ask_rate.py [problems] [rollouts]

The server and the client are processes of their own. Prints the share of the ideal rate (of the
whole asking, first to last reply) and the processor time that each of the two spends per reply. The
client's is of the asking alone, its main thread (which every reply must pass) beside the whole;
what planning before it takes is printed apart. A busy machine makes all of them worse.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import ClassVar, cast

import uvloop

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

IN_FLIGHT = 64
DELAY_SECONDS = 0.05

CLIENT = """
import json, sys, time
born = time.perf_counter()
from pathlib import Path
from ingest.models.commands import run_solve
from ingest.models.limits import Limits
seen = []

def note(at):
    seen.append((at.done, at.seconds, time.process_time(), time.thread_time()))

started = time.perf_counter()
outcome = run_solve(
    Path(sys.argv[1]), dataset="d", model="m", rollouts=int(sys.argv[2]),
    limits=Limits(concurrency=int(sys.argv[3])), on_progress=note,
)
(n_first, _, cpu_first, main_first), (done, seconds, cpu, main) = seen[0], seen[-1]
print(json.dumps({
    "done": done, "seconds": seconds, "imports": started - born,
    "around": time.perf_counter() - started - seconds,
    "cpu": (cpu - cpu_first) / (done - n_first),
    "main": (main - main_first) / (done - n_first),
}))
"""

REPLY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "system_fingerprint": "fp",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "After some thought it is 【42】"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 50},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(REPLY),
    REPLY,
)
CONTENT_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Server(asyncio.Protocol):
    """Answers every request after the delay, with the same bytes: as little work as can be."""

    arrivals: ClassVar[list[float]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own class is none
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        length = CONTENT_LENGTH.search(self._buffer)
        if head < 0 or length is None or len(self._buffer) < head + 4 + int(length[1]):
            return
        self._buffer = b""  # nobody sends a second request before the first one's answer
        self.arrivals.append(time.monotonic())
        asyncio.get_running_loop().call_later(DELAY_SECONDS, self._transport.write, ANSWER)


async def serve() -> None:
    """Print the port; on SIGTERM, what was asked and what it took; then end."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    server = await loop.create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await stop.wait()
    at = Server.arrivals
    print(
        json.dumps(
            {"n": len(at), "seconds": at[-1] - at[0] if at else 0, "cpu": time.process_time()}
        )
    )


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
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rate.duckdb"
            make_warehouse(path, n_problems)
            client = subprocess.run(
                [sys.executable, "-c", CLIENT, str(path), str(rollouts), str(IN_FLIGHT)],
                env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_BASE_URL": url},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
    finally:
        server.terminate()
        served = server.communicate()[0]
    asked, at_server = json.loads(client.stdout), json.loads(served)
    assert asked["done"] == n_problems * rollouts == at_server["n"]
    rate, ideal = asked["done"] / asked["seconds"], IN_FLIGHT / DELAY_SECONDS
    print(f"{rate:.0f} of {ideal:.0f} replies a second: {rate / ideal:.1%} of the ideal")
    print(f"at the server {(at_server['n'] - 1) / at_server['seconds']:.0f} requests a second")
    print(
        f"processor time per reply: client {1000 * asked['cpu']:.2f} ms, of it "
        f"{1000 * asked['main']:.2f} ms on its main thread; "
        f"server {1000 * at_server['cpu'] / at_server['n']:.2f} ms with its start"
    )
    print(
        f"not in the rate: {asked['imports']:.1f} s of imports, {asked['around']:.1f} s of planning "
        "before the first request and committing after the last reply"
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        uvloop.run(serve())
    else:
        main()
