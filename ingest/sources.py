"""From what the user typed to the files to read: files, folders, globs, members of zip archives."""

from __future__ import annotations

import glob
import hashlib
import os
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from ingest.errors import UnreadableFile, UsageError
from ingest.remote import fetch, is_address

# Suffixes that hide another suffix. `.zip` is opened into its members instead.
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
# First bytes of the same containers, for files whose name does not tell.
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True)
class Source:
    """One file to load: on disk, or a member of a zip archive."""

    path: Path
    member: str | None = None
    address: str | None = None  # where the file on disk was fetched from

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
            return zipfile.ZipFile(self.path).open(self.member)
        except (OSError, zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as error:
            raise unreadable(self.name, error) from error

    def open(self) -> IO[bytes]:
        """The content, decompressed, as a stream."""
        raw = self.raw()
        compression = self.compression()
        if compression is None:
            return raw
        return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), compression))

    def compression(self) -> str | None:
        with self.raw() as stream:
            head = stream.read(4)
        return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)

    def size(self) -> int:
        """Bytes on disk, or of the member."""
        if self.member is None:
            return self.path.stat().st_size
        with zipfile.ZipFile(self.path) as archive:
            return archive.getinfo(self.member).file_size

    def fingerprint(self) -> tuple[str, int]:
        """SHA-256 (hex) of the raw bytes, and their number."""
        try:
            with self.raw() as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
                return digest, stream.tell()
        except (OSError, zipfile.BadZipFile) as error:
            raise unreadable(self.name, error) from error


def find_sources(paths: Iterable[str | Path]) -> list[Source]:
    """Every file behind `paths`, sorted within folders, hidden ones left out, none twice.

    Raises UsageError where a path or glob leads to nothing.
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
    return [source for path, address in found.items() for source in _members(path, address)]


def _files_under(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _members(path: Path, address: str | None) -> Iterator[Source]:
    if path.suffix.lower() != ".zip":
        yield Source(path, address=address)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except (OSError, zipfile.BadZipFile):
        yield Source(path, address=address)  # reading it will say what is wrong with it
        return
    yield from (Source(path, name, address) for name in names if not name.startswith("__MACOSX/"))


def unreadable(name: str, error: BaseException) -> UnreadableFile:
    first_line = (str(error).splitlines() or [type(error).__name__])[0]
    return UnreadableFile(
        f"{name}: cannot be read ({first_line}). Check that it is complete and that you may read it."
    )
