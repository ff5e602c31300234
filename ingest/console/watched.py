"""Runs a Python console script that must not outlive whoever started it.

    python -P watched.py /path/to/script arguments...

The starter keeps the other end of our standard input open and writes nothing. When the starter
ends, however suddenly, the read below returns, and we end too. Otherwise a killed build would leave
dbt behind, holding the database's lock. (prctl's parent-death signal does the same, on Linux
alone.)
"""

from __future__ import annotations

import os
import runpy
import sys
import threading


def _end_with_starter() -> None:
    os.read(0, 1)
    os._exit(137)  # what a killed process reports


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    threading.Thread(target=_end_with_starter, daemon=True).start()
    runpy.run_path(sys.argv[0], run_name="__main__")
