"""Which files share a transaction: small ones of one format, wherever they lie.

A big file is a batch of its own; ten thousand small ones do not cost ten thousand commits.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import duckdb

from ingest.errors import FormatFault, WarehouseError, blame, is_interrupt
from ingest.examining import File, examine
from ingest.formats import Format, nothing_in, recognise
from ingest.ledger import Ledger, LoadReport, Options, about
from ingest.sources import Source

# Files smaller than this share transactions; those that wait for one have at most as many bytes in all.
BATCH_BYTES = 16 << 20
BATCH_FILES = 2000
# Files that lie beside results and hold no records; given alone, such a file is an error.
DOCUMENTS = frozenset(
    ".md .rst .html .htm .pdf .png .jpg .svg .webp .py .ipynb .sh .log .yaml .yml .toml .cfg .ini "
    ".done .lock .duckdb .wal .bib .tex".split()
)
# Files that come later keep what was seen of them if it is no longer than this, in characters.
SMALL_HEAD = 20_000


@dataclass
class Batch:
    """Files of one format that share a transaction."""

    form: Format
    files: list[File] = field(default_factory=list)
    contents: set[str] = field(default_factory=set)
    size: int = 0

    def add(self, one: File, size: int) -> None:
        self.files.append(one)
        self.contents.add(one.sha256)
        self.size += size


class Batching:
    """Groups files; `settle` is told of those that need no loading: they fail or are there already."""

    def __init__(
        self, options: Options, ledger: Ledger, settle: Callable[[LoadReport], None]
    ) -> None:
        self.options = options
        self.ledger = ledger
        self.settle = settle
        self.examined: dict[str, tuple[File | None, Format | None]] = {}  # of files that come later
        self.is_one_of_many = False

    def batches(self, sources: list[Source]) -> Iterator[Batch]:
        """The batches, in the order to load them in.

        Files that look for their problems come last, behind those that may bring them.
        """
        looks = len(sources) > 1 and self.options.dataset is None
        later: list[Source] | None = [] if looks else None
        self.is_one_of_many = len(sources) > 1
        yield from self._grouped(sources, later)
        yield from self._grouped(later or [], None)

    def _grouped(self, sources: list[Source], later: list[Source] | None) -> Iterator[Batch]:
        """One batch per format is held, so that a folder of many formats has few of them."""
        held: dict[str, Batch] = {}
        for source in sources:
            try:
                sha256, file_bytes = source.fingerprint()
                for batch in [one for one in held.values() if sha256 in one.contents]:
                    yield held.pop(batch.form.name)
                if known := self.ledger.known(source, sha256, file_bytes):
                    self.settle(known)
                    continue
                one, form = self.examined.pop(source.name, (None, None))
                if one is None or form is None:
                    one = examine(source, sha256, file_bytes)
                    form = self._format_of(one)
                if later is not None and form.finds_dataset:
                    later.append(source)
                    if len(one.head) < SMALL_HEAD:
                        self.examined[source.name] = (one, form)
                    continue
                one.about = about(form, source)
                one.load_id = uuid.uuid4().hex[:16]
                settled = self.ledger.settled_dataset(sha256, form)
                one.is_settled = settled is not None
                one.default_dataset = str(
                    settled or one.about.get("dataset_id") or form.dataset_id or source.stem
                )
                size = one.unpacked_bytes()
            except (duckdb.Error, WarehouseError):  # of the ledger's questions to the warehouse
                raise
            except Exception as caught:
                if is_interrupt(caught):
                    raise KeyboardInterrupt from caught
                error = blame(source.name, "recognising this file", caught)
                report = LoadReport(source.name, self.options.kind, error=error)
                is_document = source.inner_path.suffix.lower() in DOCUMENTS
                if self.is_one_of_many and is_document and not isinstance(error, FormatFault):
                    report.error, report.note = None, "left out: not a file of records"
                self.settle(report)
                continue
            while held and size + sum(batch.size for batch in held.values()) > BATCH_BYTES:
                largest = max(held.values(), key=lambda batch: batch.size)
                yield held.pop(largest.form.name)
            batch = held.setdefault(form.name, Batch(form))
            batch.add(one, size)
            if len(batch.files) == BATCH_FILES:
                yield held.pop(form.name)
        yield from held.values()

    def _format_of(self, one: File) -> Format:
        form = self.options.form
        if form is None:
            return recognise(one.sample, self.options.kind)
        if one.sample.is_header_only and not (form.columns or form.unpack):
            raise nothing_in(one.sample)
        return form
