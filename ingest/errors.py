"""What can go wrong with a warehouse or a file, said so that the reader can mend it.

Every message says where, what and what next. `exit_code` is the command line's contract:
1 data, 2 usage, 3 locked or missing database.
"""

from __future__ import annotations

# What DuckDB says, in a plain RuntimeError, of a signal (Ctrl-C) that came while it worked.
_INTERRUPTED = "Query interrupted"


class MathmartError(Exception):
    """Anything the user can mend. Its text is shown as it is, without a traceback."""

    exit_code = 1


class UsageError(MathmartError):
    """The command or call asks for something that makes no sense."""

    exit_code = 2


class WarehouseError(MathmartError):
    """The database file cannot be used."""

    exit_code = 3


class WarehouseMissing(WarehouseError):
    """There is no file at the path."""


class WarehouseLocked(WarehouseError):
    """Another process writes to the file, or the file system knows no locks."""


class WarehouseForeign(WarehouseError):
    """A sound DuckDB file that is no mathmart warehouse; it is left untouched."""


class WarehouseDamaged(WarehouseError):
    """Not a DuckDB file, or a broken one; it is left untouched."""


class WarehouseTooNew(WarehouseError):
    """Written by a later version of mathmart or of DuckDB."""


class FileError(MathmartError):
    """A file that cannot be loaded as a whole."""


class UnreadableFile(FileError):
    """The file is gone, not permitted, cut within its compression, or of no known container."""


class UnknownFormat(FileError):
    """No format recognises the file."""


class AmbiguousFormat(FileError):
    """Two formats recognise the file equally well."""


class EmptyFile(FileError):
    """There is no record in the file."""


class FormatFault(FileError):
    """mathmart, not the file, is at fault: a format's SQL or code fails on what the file holds."""

    def __init__(self, file: str, task: str, error: Exception) -> None:
        said = (str(error).strip().splitlines() or [""])[0]
        super().__init__(
            f"{file}: a fault of mathmart in {task} ({type(error).__name__}: {said}). Nothing of it "
            "was loaded; other files were not held up by it. Please report it, with the file's first "
            "records."
        )


def unreadable(file: str, error: BaseException) -> UnreadableFile:
    """The error for a file that the system, or the container it lies in, does not give up."""
    first_line = (str(error).splitlines() or [type(error).__name__])[0]
    return UnreadableFile(
        f"{file}: cannot be read ({first_line}). Check that it is complete and that you may read it."
    )


def is_interrupt(error: BaseException) -> bool:
    """Whether the user ended the work, be it said by Python or by DuckDB."""
    is_of_duckdb = type(error) is RuntimeError and str(error) == _INTERRUPTED
    return is_of_duckdb or isinstance(error, KeyboardInterrupt)


def too_large(file: str, task: str) -> UnreadableFile:
    """The error for a file that memory does not hold."""
    return UnreadableFile(
        f"{file}: {task} takes more memory than this machine gives. Nothing of it was loaded. "
        "Split the file, or load it where there is more memory."
    )


def blame(file: str, task: str, error: Exception) -> MathmartError:
    """Whose fault it is that a task with a file failed: the file's, the machine's, else mathmart's own."""
    if isinstance(error, MathmartError):
        return error
    if isinstance(error, MemoryError):
        return too_large(file, task)
    if isinstance(error, OSError):
        return unreadable(file, error)
    return FormatFault(file, task, error)
