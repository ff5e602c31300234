"""Archives that are one file to the user, with members that DEFLATE or Zstandard packed."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from ingest.errors import UnreadableFile
from ingest.sources import Source, unreadable

# Members packed by Zstandard (method 93) are read by Python 3.14; the backport is the same code.
if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

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


@contextmanager
def open_archive(source: Source) -> Iterator[zipfile.ZipFile]:
    """The archive, opened once; raises UnreadableFile where it is none or is cut."""
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            yield archive
    except UnreadableFile:
        raise
    except BROKEN as error:
        raise unreadable(source.name, error) from error


def archive_names(source: Source) -> list[str]:
    """The names of the members, in the order they were written."""
    with open_archive(source) as archive:
        return archive.namelist()
