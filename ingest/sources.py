"""From what the user typed to the files to read: files, folders, globs, members of zip archives."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import struct
import threading
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from ingest.errors import UsageError, unreadable
from ingest.remote import fetch, is_address

# Suffixes that hide another suffix. `.zip` is opened into its members instead.
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
# First bytes of the same containers, for files whose name does not tell.
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


# What reading a file, or a member of an archive that is cut, damaged or locked, can raise.
BROKEN: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    KeyError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    struct.error,
    ValueError,
)


class OpenArchive:
    """The zip archive whose members are being read, with its directory read once.

    One archive at a time: another one takes its place. Streams of its members outlive that, for
    zipfile keeps the file beneath them open until the last of them is closed. Left as a context, it
    closes what it holds.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._archive: zipfile.ZipFile | None = None
        self._lock = threading.Lock()  # DuckDB pulls streams from threads of its own

    def __enter__(self) -> OpenArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._let_go()

    def open(self, path: Path, member: str) -> IO[bytes]:
        """The member's content as a stream; raises what zipfile raises."""
        with self._lock:
            return self._at(path).open(member)

    def files(self, path: Path) -> list[str]:
        """The names of the archive's members, folders left out, in the order they were written."""
        with self._lock:
            return [info.filename for info in self._at(path).infolist() if not info.is_dir()]

    def _at(self, path: Path) -> zipfile.ZipFile:
        if self._archive is None or self._path != path:
            self._let_go()
            self._archive, self._path = zipfile.ZipFile(path), path
        return self._archive

    def _let_go(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._archive = self._path = None


@dataclass(frozen=True)
class Source:
    """One file to load: on disk, or a member of a zip archive."""

    path: Path
    member: str | None = None
    address: str | None = None  # where the file on disk was fetched from
    # through which members are read, shared by all sources of a load
    archive: OpenArchive = field(default_factory=OpenArchive, repr=False, compare=False)

    @property
    def name(self) -> str:
        """How the warehouse names it."""
        file = self.address or str(self.path)
        return file if self.member is None else f"{file}/{self.member}"

    @property
    def inner_path(self) -> Path:
        """The path with compression suffixes taken off: what formats look at."""
        path = Path(self.name)
        while path.suffix.lower() in COMPRESSIONS:
            path = path.with_suffix("")
        return path

    @property
    def stem(self) -> str:
        return self.inner_path.stem

    def raw(self) -> IO[bytes]:
        """The bytes as they lie on disk or in the archive."""
        try:
            if self.member is None:
                return open(self.path, "rb")
            return self.archive.open(self.path, self.member)
        except BROKEN as error:
            raise unreadable(self.name, error) from error

    def open(self) -> IO[bytes]:
        """The content, decompressed, as a stream."""
        compression = self.compression()
        raw = self.raw()
        if compression is None:
            return raw
        return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), compression))

    def compression(self) -> str | None:
        try:
            with self.raw() as stream:
                head = stream.read(4)
        except BROKEN as error:
            raise unreadable(self.name, error) from error
        return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)

    def fingerprint(self) -> tuple[str, int]:
        """SHA-256 (hex) of the raw bytes, and their number."""
        try:
            with self.raw() as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
                return digest, stream.tell()
        except BROKEN as error:
            raise unreadable(self.name, error) from error


def find_sources(paths: Iterable[str | Path], archive: OpenArchive) -> list[Source]:
    """Every file behind `paths`, sorted within folders, hidden ones left out, none twice.

    Members of zip archives are read through `archive`. Raises UsageError where a path or glob leads to nothing.
    """
    found: dict[Path, str | None] = {}
    for given in paths:
        if is_address(str(given)):
            found.update(fetch(str(given)))
            continue
        text = os.path.expanduser(str(given))
        path = Path(text)
        globbed = [] if path.exists() else sorted(glob.glob(text, recursive=True))
        matches = [Path(match) for match in globbed] or [path]
        files = [file for match in matches if match.exists() for file in _files_under(match)]
        if not files:
            what = "holds no files" if path.is_dir() else "there is no such file or folder"
            raise UsageError(f"{given}: {what}. Check the path; globs want quotes in some shells.")
        found.update(dict.fromkeys(file.resolve() for file in files))
    return [
        source for path, address in found.items() for source in _members(path, address, archive)
    ]


def _files_under(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def is_member(name: str) -> bool:
    """Whether an archive's entry is a file of its own: no folder, nor what macOS puts beside each file."""
    return not name.endswith("/") and not name.startswith("__MACOSX/")


def _members(path: Path, address: str | None, archive: OpenArchive) -> Iterator[Source]:
    names: list[str] = []
    if path.suffix.lower() == ".zip":
        # of a broken one, reading it will say what is wrong with it
        with contextlib.suppress(*BROKEN):
            names = [name for name in archive.files(path) if is_member(name)]
    if names:
        yield from (Source(path, name, address, archive) for name in names)
    else:
        yield Source(path, address=address, archive=archive)
