"""Runs Math-Verify over cases: {"id", "kind", "gold", "text"} lines in, {"id", "verdict", "ms"} lines out.

    python math_verify_runner.py PROCESSES < cases.jsonl > verdicts.jsonl

With one process every case is timed alone. A last line {"seconds": …} gives the wall-clock time of the judging,
without the start of the interpreter and its imports.
"""

import json
import multiprocessing
import sys
import time
import warnings
from importlib.metadata import version

from math_verify import parse, verify

warnings.simplefilter("ignore")


def dressed(text: str) -> str:
    """A short answer as Math-Verify expects it: between dollars."""
    return text if "$" in text or "\\boxed" in text or len(text) > 200 else f"${text}$"


def judge(line: str) -> str:
    case = json.loads(line)
    text = dressed(case["text"]) if case["kind"] == "pair" else case["text"]
    started = time.perf_counter()
    try:
        verdict = bool(verify(parse(dressed(case["gold"])), parse(text)))
    except Exception:
        verdict = None
    milliseconds = (time.perf_counter() - started) * 1000
    return json.dumps({"id": case["id"], "verdict": verdict, "ms": milliseconds})


def main() -> None:
    processes = int(sys.argv[1])
    lines = sys.stdin.readlines()
    judge(json.dumps({"id": "", "kind": "pair", "gold": "1", "text": "2"}))  # warm
    started = time.perf_counter()
    if processes == 1:
        verdicts = [judge(line) for line in lines]
    else:
        with multiprocessing.Pool(processes) as pool:
            verdicts = pool.map(judge, lines, chunksize=50)
    seconds = time.perf_counter() - started
    print(*verdicts, sep="\n")
    print(json.dumps({"seconds": seconds, "version": version("math-verify")}))


if __name__ == "__main__":
    main()
