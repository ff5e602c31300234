"""Time one load of a folder of everything: python benchmarks/load_everything.py FOLDER"""

from __future__ import annotations

import resource
import sys
import tempfile
import time

from ingest.load import load


def main(folder: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        started = time.perf_counter()
        reports = load(f"{place}/w.duckdb", None, [folder])
        seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = sum(report.rows_read for report in reports)
    failed = [report.file for report in reports if report.error]
    print(
        f"{len(reports)} files, {rows} records: {seconds:.1f} s, peak {peak:.0f} MB, failed: {failed}"
    )


if __name__ == "__main__":
    main(sys.argv[1])
