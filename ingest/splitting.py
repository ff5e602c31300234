"""Cut JSON that does not come one value a line (an array, pretty-printed objects) into its values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Value = tuple[int, bytes, str | None]  # ordinal from 1, text, what is wrong with it
_QUOTE, _BACKSLASH = ord('"'), ord("\\")


def split_values(blocks: Iterator[bytes], depth: int) -> Iterator[list[Value]]:
    """The values at nesting `depth` (0: values one after another, 1: items of an array).

    Yields one list per block that ends at least one value. A value that the file cuts short comes
    last, with a problem; what stands after the array's end is such a value too. Scalars are values
    only inside arrays.
    """
    held, ordinal = b"", 0
    inside = depth == 0
    for block in blocks:
        held += block
        if not inside:
            start = held.find(b"[")
            if start < 0:
                continue
            held, inside = held[start + 1 :], True
        spans, rest = _spans(held)
        if spans:
            values: list[Value] = [
                (ordinal + number, held[start:end], None)
                for number, (start, end) in enumerate(spans, 1)
            ]
            ordinal += len(spans)
            yield values
        held = held[rest:]
    tail = held.strip(b" \t\r\n,")
    if depth == 1 and tail.endswith(b"]"):
        tail = tail[:-1].strip(b" \t\r\n,")
    elif depth == 1 and not tail and inside:
        tail = b""
    if tail:
        yield [(ordinal + 1, tail, "the file ends within this value")]


def _spans(text: bytes) -> tuple[list[tuple[int, int]], int]:
    """Start and end of each whole object or list in `text`, and where the unfinished rest begins."""
    data = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    if b'\\"' in text:
        quotes = quotes[~_is_escaped(data, quotes)]
    opens = np.flatnonzero((data == ord("{")) | (data == ord("[")))
    closes = np.flatnonzero((data == ord("}")) | (data == ord("]")))
    places = np.concatenate((opens, closes))
    steps = np.concatenate((np.ones(len(opens), np.int8), -np.ones(len(closes), np.int8)))
    outside = np.searchsorted(quotes, places) % 2 == 0
    order = np.argsort(places[outside], kind="stable")
    places, steps = places[outside][order], steps[outside][order]
    depth = np.cumsum(steps, dtype=np.int64)
    below = np.flatnonzero(depth < 0)
    if len(below):  # the bracket that closes the array: nothing behind it is an item
        places, steps, depth = places[: below[0]], steps[: below[0]], depth[: below[0]]
    starts = places[(steps == 1) & (depth == 1)]
    ends = places[(steps == -1) & (depth == 0)] + 1
    spans = list(zip(starts[: len(ends)].tolist(), ends.tolist(), strict=True))
    return spans, spans[-1][1] if spans else 0


def _is_escaped(data: np.ndarray, places: np.ndarray) -> np.ndarray:
    """For each place: whether an odd run of backslashes stands before it."""
    others = np.flatnonzero(data != _BACKSLASH)
    before = np.searchsorted(others, places) - 1
    last = np.where(before >= 0, others[np.maximum(before, 0)], -1)
    return (places - 1 - last) % 2 == 1


def csv_record_lines(blocks: Iterator[bytes]) -> tuple[list[int], set[int], int, bytes]:
    """Where the records of a CSV begin: (line numbers of its records, header and blank lines too;
    positions of the blank ones; bytes up to the end of the last whole record; the cut one after it).

    A record ends at a line end outside quotes, as RFC 4180 has it.
    """
    lines: list[int] = []
    blanks: set[int] = set()
    line, sound, held = 1, 0, b""
    for block in blocks:
        held += block
        data = np.frombuffer(held, np.uint8)
        ends = np.flatnonzero(data == 0x0A)
        outside = np.searchsorted(np.flatnonzero(data == _QUOTE), ends) % 2 == 0
        numbers = line + np.arange(len(ends))
        starts = np.concatenate(([0], ends[outside] + 1))
        if len(starts) == 1:
            continue
        first = np.concatenate(([line], numbers[outside] + 1))[:-1]
        lengths = np.diff(starts)
        blank = (lengths == 1) | ((lengths == 2) & (data[starts[:-1]] == 0x0D))
        blanks.update((len(lines) + np.flatnonzero(blank)).tolist())
        lines.extend(first.tolist())
        line = int(numbers[outside][-1]) + 1
        sound += int(starts[-1])
        held = held[starts[-1] :]
    if held and held.count(b'"') % 2 == 0:
        lines.append(line)
        return lines, blanks, sound + len(held), b""
    return lines, blanks, sound, held
