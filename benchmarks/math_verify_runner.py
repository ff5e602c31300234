"""Runs Math-Verify over cases: {"id", "gold", "text"} lines in, {"id", "verdict", "ms"} lines out.

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


def judge(line: str) -> str:
    case = json.loads(line)
    started = time.perf_counter()
    try:
        verdict = bool(verify(parse(case["gold"]), parse(case["text"])))
    except Exception:
        verdict = None
    milliseconds = (time.perf_counter() - started) * 1000
    return json.dumps({"id": case["id"], "verdict": verdict, "ms": milliseconds})


def main() -> None:
    processes = int(sys.argv[1])
    lines = sys.stdin.readlines()
    judge(json.dumps({"id": "", "gold": "$1$", "text": "$2$"}))  # warm
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
