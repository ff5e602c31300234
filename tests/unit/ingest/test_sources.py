"""Zip archives: their directory is read once, their files are closed, streams do not disturb each other."""

from __future__ import annotations

import gc
import json
import os
import warnings
import zipfile
from pathlib import Path

import pytest

from ingest.errors import UnreadableFile
from ingest.load import load
from ingest.sources import OpenArchive, Source, find_sources

# A load goes through an archive to list it, to look at its members, to group those that came later, and
# to land them.
PASSES = 4


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def reply(number: int) -> bytes:
    return json.dumps({"problem_id": f"p{number}", "response": f"{number}", "model": "m"}).encode()


def open_files(folder: Path) -> list[str]:
    """Files under `folder` that this process holds open, as Linux lists them."""
    listed = Path("/proc/self/fd")
    if not listed.exists():
        pytest.skip("only Linux lists the open files of a process")
    found = [os.readlink(one) for one in listed.iterdir() if one.is_symlink()]
    return [name for name in found if name.startswith(str(folder)) and name.endswith(".zip")]


def test_an_archive_is_opened_once_a_pass_and_not_once_a_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        shift = 1000 * (name == "b")
        packed(tmp_path / f"{name}.zip", {f"{n}.json": reply(n + shift) for n in range(200)})
    opened: list[object] = []
    begin = zipfile.ZipFile.__init__

    def counting(self: zipfile.ZipFile, file: object, *given: object) -> None:
        opened.append(file)
        begin(self, file, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(zipfile.ZipFile, "__init__", counting)
    reports = load(tmp_path / "w.duckdb", None, [tmp_path / "a.zip", tmp_path / "b.zip"])
    assert sum(report.rows_loaded for report in reports) == 400
    assert len(opened) <= 2 * PASSES


def test_no_file_stays_open_after_a_load(tmp_path: Path) -> None:
    for name in "ab":
        members = {f"{n}.jsonl": reply(n) for n in range(3)} | {"broken.jsonl.gz": b"\x1f\x8bxx"}
        packed(tmp_path / f"{name}.zip", members)
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 cut")
    (tmp_path / "d.zip").write_bytes((tmp_path / "a.zip").read_bytes()[:-30])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", ResourceWarning)
        reports = load(tmp_path / "w.duckdb", None, sorted(tmp_path.glob("*.zip")))
        still = open_files(tmp_path)
        gc.collect()
    assert still == []
    assert [str(one.message) for one in heard if one.category is ResourceWarning] == []
    assert sum(report.error is None for report in reports) == 6


def test_no_file_stays_open_when_a_load_breaks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(tmp_path / "a.zip", {"a.jsonl": reply(1)})

    def merging(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ingest.load.merge", merging)
    with pytest.raises(KeyboardInterrupt):
        load(tmp_path / "w.duckdb", None, [tmp_path / "a.zip"])
    assert open_files(tmp_path) == []


def test_members_of_several_archives_are_read_side_by_side(tmp_path: Path) -> None:
    content = {name: os.urandom(300_000) for name in ("a/1", "a/2", "b/1", "b/2")}
    for name in "ab":
        packed(tmp_path / f"{name}.zip", {n: content[f"{name}/{n}"] for n in "12"})
    with OpenArchive() as archive:
        sources = find_sources([tmp_path / "a.zip", tmp_path / "b.zip"], archive)
        streams = [source.open() for source in sources]
        assert len(open_files(tmp_path)) == 2
        read = [b"" for _ in streams]
        while parts := [stream.read(10_000) for stream in streams]:
            read = [before + part for before, part in zip(read, parts, strict=True)]
            if not any(parts):
                break
        assert read == list(content.values())
        for stream in streams:
            stream.close()
        assert len(open_files(tmp_path)) == 1
    assert open_files(tmp_path) == []


def test_a_stream_outlives_the_archive_it_came_from(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"x": b"x" * 100_000})
    archive = OpenArchive()
    stream = Source(path, "x", archive=archive).open()
    archive.close()
    assert len(stream.read()) == 100_000
    stream.close()
    assert open_files(tmp_path) == []


def test_a_file_whose_compression_cannot_be_told_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(tmp_path / "a.zip", {})

    def refusing(_: Source) -> None:
        raise UnreadableFile("the disk is gone")

    monkeypatch.setattr(Source, "compression", refusing)
    with pytest.raises(UnreadableFile) as caught:  # which keeps the frames, and what they hold
        Source(tmp_path / "a.zip").open()
    assert caught.tb is not None and open_files(tmp_path) == []
