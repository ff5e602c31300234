"""The file formats: one module each, found by their `FORMAT`. README.md here says how to add one."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from ingest.errors import AmbiguousFormat, EmptyFile, UnknownFormat, UsageError
from ingest.field_names import meant
from ingest.sources import Source

KINDS = ("problems", "outputs", "concepts", "embeddings")
# How near a file is to a format it does not fit: a required field it has, has under another name, lacks.
_HAS, _RENAMED, _LACKS = 2.0, 1.0, -2.0
_KNOWN = 0.25  # any other field that the format knows
# A file of no tool is most easily made one of ours, unless it is clearly nearer to another format.
_NATIVE = 2.5
# How like a format's name a misspelt one is at least, from 0 to 1; difflib's own default.
_LIKE = 0.6


@dataclass(frozen=True)
class Sample:
    """The first records of a file, parsed loosely, for recognisers only."""

    path: Path
    layout: str  # lines | array | documents | csv | parquet | sheet | archive
    records: list[dict[str, Any]]
    text: str = ""  # how the file begins
    rows: tuple[tuple[str, ...], ...] = ()  # of a CSV, as they stand, the first line too
    name: str = ""  # the file as the user knows it, where `path` has lost a suffix
    is_whole: bool = True  # what was looked at is all there is

    @property
    def shown(self) -> str:
        """What messages call the file."""
        return self.name or str(self.path)

    @property
    def fields(self) -> set[str]:
        return {name for record in self.records for name in record}

    @property
    def is_header_only(self) -> bool:
        """Whether it is a CSV of one line that is not blank, which names its columns if it has a header."""
        is_one_line = self.layout == "csv" and len(self.rows) == 1
        return is_one_line and self.is_whole and not any(self.records)

    def every(self, test: Callable[[dict[str, Any]], bool]) -> bool:
        """Whether `test` holds for every sampled record (of which there is at least one)."""
        try:
            return bool(self.records) and all(test(record) for record in self.records)
        except (TypeError, KeyError, AttributeError, ValueError, IndexError):
            return False


@dataclass(frozen=True)
class Format:
    """One file format: how to recognise it and the SQL that maps its records to the raw contract.

    `fields` names the record's top-level fields the SQL uses, each with the type it is read as:
    VARCHAR (text as it stands, numbers in their own spelling, objects and lists as JSON text) or
    JSON. The SQL reads the view `records`:

        record_id   hand it on untouched: it leads back to file and line
        r           a struct of `fields`
        extra       JSON object of all other fields, NULL where there are none
        line        line (JSON lines) or ordinal (array items, CSV and Parquet rows), from 1
        file        path of the file; `stem`: its name without suffixes; `folder`: its folder's name
        sha256      of the file
        about       JSON of what `about(path)` returned

    An `unpack` makes the records of a file that holds them in some other way: a log within one JSON
    object, an archive. `about` may return `dataset_id`, and `role` where files of equal content are
    told apart by their name. `metrics` maps summary figures to raw.reported_metrics; a format with
    metrics alone reads files that hold no replies.

    The SQL returns columns of `ingest.contract` by name, all as text; columns left out are NULL, types
    are cast and checked by the loader. A query that makes several rows of one record also returns
    `item`, an integer that tells them apart. A column `reject` with a reason rejects the record.
    """

    name: str
    kind: str
    title: str
    example: Mapping[str, Any]
    fields: Mapping[str, str]
    requires: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()  # of these fields, one at least must be there too
    check: Callable[[Sample], bool] | None = None
    problems: str | None = None
    responses: str | None = None
    concepts: str | None = None
    embeddings: str | None = None
    dataset_id: str | None = None
    about: Callable[[Path], Mapping[str, Any]] | None = field(default=None)
    # (text of a record as JSON, what is wrong with it or None), in order, for files that are not one
    # record a line, item or row; called with the source and its encoding.
    unpack: Callable[[Source, str], Iterator[tuple[bytes, str | None]]] | None = None
    metrics: str | None = None
    # Names of the columns of a CSV that has no header; `check` says whether this is one.
    columns: tuple[str, ...] = ()
    # Outputs that name no dataset join the loaded one that has all their problem ids.
    finds_dataset: bool = False

    def score(self, sample: Sample) -> int:
        """How well the sample fits: 0 not at all, else the more specific the higher."""
        names = sample.fields
        if any(name not in names for name in self.requires):
            return 0
        if self.one_of and not names & set(self.one_of):
            return 0
        if self.check is not None and not self.check(sample):
            return 0
        return 10 * len(self.requires) + (5 if self.check or self.one_of else 0) + 1

    @property
    def is_native(self) -> bool:
        return self.name.startswith("native")

    def missing(self, sample: Sample) -> dict[str, str | None]:
        """The fields that the sample lacks, each with the field to be renamed to it, if one is like it."""
        names = sample.fields
        lacking = [name for name in self.requires if name not in names]
        if self.one_of and not names & set(self.one_of):
            free = names - set(self.fields)
            lacking.append(next((one for one in self.one_of if meant(one, free)), self.one_of[0]))
        found: dict[str, str | None] = {}
        for name in lacking:
            free = names - set(self.requires) - set(self.one_of) - set(found.values())
            found[name] = meant(name, free)
        return found

    def nearness(self, sample: Sample) -> float:
        """How near a sample that does not fit is; only comparable between formats."""
        missing = self.missing(sample)
        if not self.is_native and list(missing.values()).count(None) == len(self.requires):
            return -inf
        value = _NATIVE if self.is_native else 0.0
        value += sum(_LACKS if like is None else _RENAMED for like in missing.values())
        value += _HAS * sum(name in sample.fields for name in self.requires)
        return value + _KNOWN * len(sample.fields & (set(self.fields) - set(self.requires)))


@cache
def all_formats() -> dict[str, Format]:
    """Every format by name, in alphabetical order."""
    found = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        for value in (getattr(loaded, "FORMAT", None), *getattr(loaded, "FORMATS", ())):
            if isinstance(value, Format):
                found[value.name] = value
    return found


def format_named(name: str, kind: str | None) -> Format:
    """The format `name`, which may be written with or without the kind's suffix."""
    formats = all_formats()
    if kind is None and name in formats:
        return formats[name]
    for key in (name, f"{name}_{kind}"):
        if key in formats and formats[key].kind == kind:
            return formats[key]
    if name in formats:
        raise UsageError(
            f"--format {name}: holds {formats[name].kind}, not {kind}. "
            f"Use `mathmart load {formats[name].kind}`."
        )
    names = [key for key, value in formats.items() if kind in (None, value.kind)]
    spelt = name.strip().lower().replace("-", "_")
    near = difflib.get_close_matches(spelt, names, n=3, cutoff=_LIKE)
    advice = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(names)}."
    raise UsageError(
        f"--format {name}: no such format{f' for {kind}' if kind else ''}. {advice} "
        "`mathmart formats` lists them all, each with an example."
    )


def recognise(sample: Sample, kind: str | None) -> Format:
    """The format that fits the sample best among those of `kind` (None: of any)."""
    formats = all_formats().values()
    wanted = [one for one in formats if kind is None or one.kind == kind]
    if not sample.records and not sample.rows:
        raise UnknownFormat(f"{sample.shown}: holds no record that can be read as {sample.layout}.")
    scored = sorted(((one.score(sample), one) for one in wanted), key=lambda pair: -pair[0])
    if kind is None:
        # replies say more of a file than the questions and golds beside them
        replies = [pair for pair in scored if pair[1].kind == "outputs"]
        scored = replies if replies and replies[0][0] == scored[0][0] else scored
    best = [one for score, one in scored if score == scored[0][0] and score > 0]
    if len(best) == 1:
        return best[0]
    if best:
        names = " and ".join(one.name for one in best)
        raise AmbiguousFormat(
            f"{sample.shown}: fits {names} equally well. Say which with --format {best[0].name}."
        )
    if sample.is_header_only:
        raise nothing_in(sample)
    shown = ", ".join(sorted(sample.fields)[:12]) or "none"
    near = max((one for one in wanted if one.requires), key=lambda one: one.nearness(sample))
    missing = near.missing(sample)
    other = [one for one in formats if one not in wanted and one.score(sample) > 0]
    # of one's own making, with names of one's own: said to be of this kind, and right
    is_renamed = near.is_native and missing and None not in missing.values()
    if other and not is_renamed:
        other.sort(key=lambda one: -one.score(sample))
        raise UnknownFormat(
            f"{sample.shown}: holds {other[0].kind} ({other[0].name}), not {kind}. "
            f"Use `mathmart load {other[0].kind}`. Its fields: {shown}."
        )
    raise UnknownFormat(
        f"{sample.shown}: no format for {kind or 'results'} fits its fields ({shown}). The closest is "
        f"{near.name}, for which {_what_is_wrong(missing)}. `mathmart formats` shows an "
        "example of each; --format overrides."
    )


def nothing_in(sample: Sample) -> EmptyFile:
    """The error for a file without a record."""
    header = " (its only line is read as a header)" if sample.is_header_only else ""
    return EmptyFile(
        f"{sample.shown}: empty: no records in it{header}. "
        "Check that whatever wrote it got to its end."
    )


def _what_is_wrong(missing: Mapping[str, str | None]) -> str:
    if not missing:
        return "its values do not fit"
    noun = "the field {} is missing" if len(missing) == 1 else "the fields {} are missing"
    said = noun.format(", ".join(f'"{name}"' for name in missing))
    renames = [f'rename "{like}" to "{name}"' for name, like in missing.items() if like]
    return f"{said}: {' and '.join(renames)}" if renames else said
