"""Cut JSON that does not come one value a line (an array, pretty-printed objects) into its values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

import numpy as np

Value = tuple[int, bytes, str | None]  # ordinal from 1, text, what is wrong with it
CUT = "the file ends within this value"
BEHIND = "stands behind the end of the array"
_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_BETWEEN = b" \t\r\n,"  # what may stand between values


def split_values(blocks: Iterator[bytes], depth: int) -> Iterator[list[Value]]:
    """The values at nesting `depth` (0: values one after another, 1: items of an array).

    Yields one list per block that ends at least one value. Text between objects and lists is a value
    too (a `null` among the items, a stray word), so that nothing is passed over in silence. A value
    that the file cuts short comes last, with a problem, and so does what stands behind the array.
    """
    parts: list[bytes] = []
    size = wanted = ordinal = 0
    held, inside = b"", depth == 0
    for block in chain(blocks, [None]):
        if block is not None:
            parts.append(block)
            size += len(block)
            if size < wanted:
                continue
        held = b"".join(parts)
        if not inside:
            start = held.find(b"[")
            if start >= 0:
                held, inside = held[start + 1 :], True
        spans, rest = _spans(held) if inside else ([], 0)
        texts: list[bytes] = []
        begin = 0
        for start, end in spans:
            texts += _loose_values(held[begin:start])
            texts.append(held[start:end])
            begin = end
        if texts:
            yield [(ordinal + number, text, None) for number, text in enumerate(texts, 1)]
            ordinal += len(texts)
        held = held[rest:]
        parts, size = [held], len(held)
        # a value much longer than a block is not looked at anew with every block of it
        wanted = 0 if spans else 2 * size
    if last := _last_values(held.strip(_BETWEEN), depth):
        yield [(ordinal + number, text, problem) for number, (text, problem) in enumerate(last, 1)]


def _last_values(tail: bytes, depth: int) -> list[tuple[bytes, str | None]]:
    """(text, what is wrong with it) of what stands behind the last whole object or list."""
    if depth == 1 and tail.startswith(b"]"):
        beyond = tail[1:].strip(_BETWEEN)
        return [(beyond, BEHIND)] if beyond else []
    is_closed = depth == 1 and tail.endswith(b"]")
    if is_closed:
        tail = tail[:-1].rstrip(_BETWEEN)
    if is_closed and not tail.startswith((b"{", b"[")):
        return [(text, None) for text in _loose_values(tail)]
    return [(tail, CUT)] if tail else []


def _loose_values(text: bytes) -> list[bytes]:
    """The scalars in a text without objects and lists; one value where it is no list of scalars."""
    text = text.strip(_BETWEEN)
    if not text:
        return []
    try:
        return [json.dumps(value).encode() for value in json.loads(b"[%s]" % text)]
    except ValueError:
        return [text]


def _spans(text: bytes) -> tuple[list[tuple[int, int]], int]:
    """Start and end of each whole object or list in `text`, and where the unfinished rest begins."""
    data = np.frombuffer(text, np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    if b'\\"' in text:
        quotes = quotes[~is_escaped(data, quotes)]
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


def is_escaped(data: np.ndarray, places: np.ndarray) -> np.ndarray:
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
