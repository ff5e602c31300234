"""Damaged files of every format: no exception, no hang, and every record is accounted for.

MATHMART_FUZZ sets the number of mutations per seed file; `make fuzz` runs more than 2,000 in all.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import duckdb
import pytest

from ingest.errors import FormatFault
from ingest.formats import all_formats
from ingest.load import load

from .mutations import mutate
from .samples import content_of, eval_archive, every_format, write_example

# Mutations per seed file (some ninety): two in the default suite, all in one load per format.
MUTATIONS = int(os.environ.get("MATHMART_FUZZ", "2"))
# Seconds that a load of one format's mutations may take for each of them, on a busy machine.
SECONDS_EACH = 5.0


def _seeds(name: str, folder: Path) -> list[Path]:
    form = all_formats()[name]
    paths = [write_example(form, folder / "seed")]
    if name == "inspect_ai":
        log = dict(form.example)
        paths.append(eval_archive(folder / "seed.eval", log, 8))
    elif not form.unpack and form.name not in ("lighteval",):
        many = folder / "many" / paths[0].name
        many.parent.mkdir(parents=True)
        many.write_bytes(content_of(form, [form.example] * 5))
        paths.append(many)
    return paths


@pytest.mark.parametrize("name", every_format())
def test_mutations(tmp_path: Path, name: str) -> None:
    form = all_formats()[name]
    chance = random.Random(f"{name} {MUTATIONS}")
    files = []
    for seed in _seeds(name, tmp_path):
        content = seed.read_bytes()
        for number in range(MUTATIONS):
            path = tmp_path / "in" / f"{seed.parent.name}{number}" / seed.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(mutate(content, chance))
            files.append(path)
    started = time.monotonic()
    told = (form.kind, name)
    for kind, format_name in (told, (None, None)) if MUTATIONS > 2 else (told,):
        db = tmp_path / f"{kind}.duckdb"
        reports = load(db, kind, files, format=format_name)
        assert len(reports) == len(files)
        for report in reports:
            accounted = report.rows_loaded + report.rows_already_there + report.rows_rejected
            assert report.rows_read == accounted, report
            # a whole file may be unreadable or unknown, but no mapping may fail on what it holds
            assert not isinstance(report.error, FormatFault), str(report.error)
            assert "cannot be read as" not in str(report.error), (report.file, str(report.error))
        with duckdb.connect(str(db), read_only=True) as connection:
            ((count, distinct),) = connection.execute(
                "select count(*), count(distinct response_id) from raw.responses"
            ).fetchall()
            assert count == distinct
            ((count, distinct),) = connection.execute(
                "select count(*), count(distinct problem_id) from raw.problems"
            ).fetchall()
            assert count == distinct
            ((unread,),) = connection.execute(
                "select count(*) from raw.loads "
                "where rows_read <> rows_loaded + rows_already_there + rows_rejected"
            ).fetchall()
            assert unread == 0
    assert time.monotonic() - started < SECONDS_EACH * len(files) * 2
