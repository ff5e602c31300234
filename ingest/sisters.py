"""Files that belong to the one being read: a summary, a part of the same run. Read once, remembered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ingest.errors import FileError
from ingest.sources import COMPRESSIONS, Source

# A sister is read whole: one beyond this is no summary.
SISTER_BYTES = 64 << 20


def parsed(text: bytes) -> Any:
    """A JSON document, or None where it is none."""
    try:
        return json.loads(text.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def there(path: Path) -> Path:
    """`path`, or the packed file of that name where only that is there."""
    packed = (path.with_name(path.name + suffix) for suffix in COMPRESSIONS)
    return path if path.exists() else next((one for one in packed if one.exists()), path)


def _unpacked(path: Path) -> bytes:
    """The first SISTER_BYTES of the content; raises OSError where it cannot be read."""
    try:
        with Source(path).open() as stream:
            parts, size = [], SISTER_BYTES
            while size > 0 and (part := stream.read(size)):
                parts.append(part)
                size -= len(part)
            return b"".join(parts)
    except (FileError, EOFError) as error:
        raise OSError(str(error)) from error


def read_sister(path: Path) -> dict[str, Any]:
    """The JSON object in `path`, empty where there is no such file or it holds something else."""
    path = there(path)
    return _read(path, _stamp(path))


def sister_sha256(path: Path) -> str | None:
    """SHA-256 (hex) of a file beside the one being read, as it lies there; None where there is none."""
    path = there(path)
    return _sha256(path, _stamp(path))


def first_sister(path: Path, key: Callable[[str], int | None]) -> Path | None:
    """The file in the folder of `path` for which `key(name)` is lowest (None: not of the run)."""
    numbers = _numbers(path.parent, _stamp(path.parent), key)
    return path.parent / numbers[0][1] if numbers else None


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when the file changes; None where there is no file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=64)
def _read(path: Path, stamp: tuple[int, int] | None) -> dict[str, Any]:
    if stamp is None or stamp[1] > SISTER_BYTES:
        return {}
    try:
        value = parsed(_unpacked(path))
    except OSError:
        return {}
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=1024)
def _sha256(path: Path, stamp: tuple[int, int] | None) -> str | None:
    if stamp is None:
        return None
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


@lru_cache(maxsize=64)
def _numbers(
    folder: Path, stamp: tuple[int, int] | None, key: Callable[[str], int | None]
) -> list[tuple[int, str]]:
    try:
        sources = [Source(entry) for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return []
    names = [(one.inner_path.name, one.path.name) for one in sources]
    return sorted((number, name) for inner, name in names if (number := key(inner)) is not None)


def groups_of(path: Path) -> dict[str, str]:
    """`index` to `group_id` of an evalscope review file, where a group has several samples."""
    path = there(path)
    return _groups(path, _stamp(path))


@lru_cache(maxsize=16)
def _groups(path: Path, stamp: tuple[int, int] | None) -> dict[str, str]:
    if stamp is None or stamp[1] > SISTER_BYTES:
        return {}
    found: dict[str, str] = {}
    try:
        for line in _unpacked(path).split(b"\n"):
            row = parsed(line)
            score = row.get("sample_score") if isinstance(row, dict) else None
            if isinstance(score, dict) and score.get("group_id") is not None:
                found[str(row.get("index"))] = str(score["group_id"])
    except OSError:
        return {}
    return found if any(index != group for index, group in found.items()) else {}


def first_line(path: Path) -> dict[str, Any]:
    """The JSON object in the first line of a file, empty where there is none."""
    path = there(path)
    return _first_line(path, _stamp(path))


@lru_cache(maxsize=64)
def _first_line(path: Path, stamp: tuple[int, int] | None) -> dict[str, Any]:
    if stamp is None:
        return {}
    try:
        value = parsed(_unpacked(path).split(b"\n", 1)[0])
    except OSError:
        return {}
    return value if isinstance(value, dict) else {}


def instance_stats(path: Path) -> dict[tuple[str, int], dict[str, float]]:
    """Means by name for every (instance, trial) of a HELM per_instance_stats.json."""
    path = there(path)
    return _instance_stats(path, _stamp(path))


@lru_cache(maxsize=4)
def _instance_stats(
    path: Path, stamp: tuple[int, int] | None
) -> dict[tuple[str, int], dict[str, float]]:
    found: dict[tuple[str, int], dict[str, float]] = {}
    if stamp is None or stamp[1] > SISTER_BYTES:
        return found
    try:
        rows = parsed(_unpacked(path))
    except OSError:
        return found
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict) or not isinstance(row.get("stats"), list):
            continue
        trial = row.get("train_trial_index")
        means = found.setdefault(
            (str(row.get("instance_id")), trial if isinstance(trial, int) else 0), {}
        )
        for stat in row["stats"]:
            name = stat.get("name") if isinstance(stat, dict) else None
            if isinstance(name, dict) and isinstance(stat.get("mean"), int | float):
                means[str(name.get("name"))] = float(stat["mean"])
    return found
