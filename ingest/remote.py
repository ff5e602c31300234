"""Addresses (`hf://…`, `https://…`) made local, by the extension the user's DuckDB already has."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import duckdb

from ingest.errors import UnreadableFile, UsageError

# `file://` needs no extension: DuckDB reads it by itself.
_LOCAL = "file://"
# Folders that hold what was fetched; they go when the process ends.
_FETCHED: list[tempfile.TemporaryDirectory] = []


def is_address(text: str) -> bool:
    return "://" in text


def fetch(address: str) -> Iterator[tuple[Path, str]]:
    """Every file behind `address` (globs allowed), as a local path and the address it came from.

    Raises UsageError where DuckDB has no httpfs extension to load (it is never installed from
    here), UnreadableFile where nothing can be read there.
    """
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        if not address.startswith(_LOCAL):
            try:
                connection.load_extension("httpfs")
            except duckdb.Error as error:
                raise UsageError(
                    f"{address}: reading addresses needs DuckDB's httpfs extension, which is not installed. "
                    "Install it once with: python -c \"import duckdb; duckdb.connect().install_extension('httpfs')\", "
                    "or download the file and load the copy."
                ) from error
        try:
            names = connection.execute(
                "select filename from read_blob(?) order by filename", [address]
            ).fetchall()
            if not names:
                raise UnreadableFile(f"{address}: there is no such file. Check the address.")
            for (name,) in names:
                found = connection.execute("select content from read_blob(?)", [name]).fetchone()
                assert found is not None
                folder = tempfile.TemporaryDirectory(prefix="mathmart-")
                _FETCHED.append(folder)
                path = Path(folder.name, PurePosixPath(name).name)
                path.write_bytes(found[0])
                yield path.resolve(), name
        except duckdb.Error as error:
            first_line = (str(error).splitlines() or ["no reason given"])[0]
            raise UnreadableFile(
                f"{address}: cannot be read ({first_line}). Check the address and the connection."
            ) from error
