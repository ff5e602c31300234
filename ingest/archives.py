"""Archives that are one file to the user, with members that DEFLATE or Zstandard packed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ingest import sources
from ingest.errors import UnreadableFile, unreadable
from ingest.sources import Source

# Members packed by Zstandard (method 93) are read by Python 3.14; the backport is the same code.
if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

BROKEN: tuple[type[Exception], ...] = (*sources.BROKEN, zipfile.BadZipFile)


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
    """The names of the members, in the order they were written; folders are none."""
    with open_archive(source) as archive:
        return [name for name in archive.namelist() if sources.is_member(name)]
