"""Sisters are found whether or not they are packed."""

from __future__ import annotations

import bz2
import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.formats.nemo_skills import about as about_nemo
from ingest.load import load
from ingest.sisters import first_line, read_sister, sister_sha256


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_sisters_are_read(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(b'{"model": "m"}\n{"model": "other"}\n')
    (tmp_path / f"a.jsonl{suffix}").write_bytes(packed)
    (tmp_path / f"b.json{suffix}").write_bytes(pack(b'{"model": "m"}'))
    assert first_line(tmp_path / "a.jsonl") == {"model": "m"}
    assert read_sister(tmp_path / "b.json") == {"model": "m"}
    assert sister_sha256(tmp_path / "a.jsonl") is not None
    (tmp_path / f"b.json{suffix}").write_bytes(packed[:9])
    assert read_sister(tmp_path / "b.json") == {}


def test_a_packed_first_rollout_leads_the_run(tmp_path: Path) -> None:
    (tmp_path / "output-rs0.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    (tmp_path / "output-rs1.jsonl").write_bytes(b"{}")
    said = about_nemo(tmp_path / "output-rs1.jsonl")
    assert said["first_sha256"] == sister_sha256(tmp_path / "output-rs0.jsonl")


def test_packed_lm_eval_results_name_the_model(tmp_path: Path, shared: Path) -> None:
    folder = shared / "data" / "formats" / "lm_eval"
    samples = next(folder.rglob("samples_*.jsonl"))
    for path in samples.parent.iterdir():
        shutil.copy(path, tmp_path)
    (before,) = load(tmp_path / "a.duckdb", "outputs", [tmp_path / samples.name])
    for path in tmp_path.glob("results_*.json"):
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    (after,) = load(tmp_path / "b.duckdb", "outputs", [tmp_path / samples.name])
    assert (before.note, before.rows_loaded) == (after.note, after.rows_loaded)
