"""One big JSON document to the records in it, without parsing it: its members by their places.

An evaluation log is one object whose `samples` may hold gigabytes. Brackets and quotes are found by
numpy in slices, so that beside the text itself only the places of the members take memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ingest.reading import utf8_blocks
from ingest.sources import Source
from ingest.splitting import CUT, is_escaped

# Bytes looked at at once: some ten numpy arrays of this length live at a time.
SLICE_BYTES = 8 << 20
_KINDS = np.zeros(256, np.int8)
_KINDS[[ord("{"), ord("[")]] = 1
_KINDS[[ord("}"), ord("]")]] = 2
_KINDS[[ord(","), ord(":")]] = 3
_STEPS = np.array([0, 1, -1, 0], np.int8)

# (key as JSON text or None in a list, value as JSON text, what is wrong with it)
Child = tuple[bytes | None, bytes, str | None]


def whole_text(source: Source, encoding: str) -> bytes:
    """The content as UTF-8, in one piece: its size is what a document costs in memory."""
    return b"".join(utf8_blocks(source, encoding))


def children(text: bytes) -> Iterator[Child]:
    """The members of the object, or the items of the list, that `text` begins with.

    A child that the text cuts short comes last, with a problem. Text that is neither object nor list
    has no children.
    """
    start = colon = -1
    in_list = False
    for place, char in _top_level(text):
        if start < 0:
            in_list = char == ord("[")
            start = place + 1
        elif char == ord(":"):
            colon = place if colon < 0 else colon
        else:
            if child := _child(text[start:place], colon - start, in_list):
                yield child
            start, colon = place + 1, -1
            if char in b"}]":
                return
    if start >= 0 and (child := _child(text[start:], colon - start, in_list, CUT)):
        yield child


def members(text: bytes) -> dict[str, bytes]:
    """The members of an object by name, each as JSON text; the first of equal names wins."""
    found: dict[str, bytes] = {}
    for key, value, problem in children(text):
        if key is not None and problem is None:
            found.setdefault(_name(key), value)
        elif key is not None and value[:1] in (b"{", b"["):
            found.setdefault(_name(key), value)  # cut: what is whole within it can still be had
    return found


def loose_object(text: bytes) -> dict[str, Any]:
    """The first level of an object for recognisers: values that are cut are empty."""
    found: dict[str, Any] = {}
    for key, value, problem in children(text):
        if key is None:
            continue
        try:
            found[_name(key)] = json.loads(value)
        except (ValueError, RecursionError):
            found[_name(key)] = _loose(value) if problem else None
    return found


def record(**parts: bytes) -> bytes:
    """One JSON object of parts that are JSON texts themselves."""
    inner = b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items())
    return b"{" + inner + b"}"


def to_json(value: Any) -> bytes:
    """JSON text of a Python value; lone surrogates stay escaped, as they came."""
    return json.dumps(value, ensure_ascii=True).encode()


def _loose(value: bytes) -> Any:
    if value[:1] == b"{":
        return loose_object(value)
    if value[:1] == b"[":
        first = next(((text, problem) for _, text, problem in children(value)), None)
        if first is None:
            return []
        try:
            return [json.loads(first[0])]
        except (ValueError, RecursionError):
            return [_loose(first[0])] if first[0][:1] == b"{" else []
    return None


def _name(key: bytes) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return key.decode("utf-8", "replace")


def _child(text: bytes, colon: int, in_list: bool, problem: str | None = None) -> Child | None:
    if in_list:
        value = text.strip()
        return (None, value, problem) if value else None
    if colon < 0:
        return (
            (text.strip(), b"null", problem or "a name without a value") if text.strip() else None
        )
    return text[:colon].strip(), text[colon + 1 :].strip(), problem


def _top_level(text: bytes) -> Iterator[tuple[int, int]]:
    """(place, character) of the first bracket, of the commas and colons right under it, and of its end."""
    depth, in_string, begin = 0, False, 0
    view = memoryview(text)
    while begin < len(text):
        end = min(begin + SLICE_BYTES, len(text))
        while end < len(text) and text[end - 1] == ord("\\"):
            end += 1  # an escape stays in one slice
        data = np.frombuffer(view[begin:end], np.uint8)
        quotes = np.flatnonzero(data == ord('"'))
        if len(quotes) and bytes(view[begin:end]).find(b'\\"') >= 0:
            quotes = quotes[~is_escaped(data, quotes)]
        kinds = _KINDS[data]
        places = np.flatnonzero(kinds)
        outside = (np.searchsorted(quotes, places) % 2 == 0) ^ in_string
        places = places[outside]
        steps = _STEPS[kinds[places]].astype(np.int64)
        after = depth + np.cumsum(steps)
        wanted = ((kinds[places] == 1) & (after == 1)) & (after - steps == 0)
        wanted |= (kinds[places] == 3) & (after == 1)
        wanted |= (kinds[places] == 2) & (after == 0)
        for place in places[wanted].tolist():
            yield begin + place, int(data[place])
        if len(after):
            depth = int(after[-1])
            if depth <= 0 and np.any(after <= 0):
                return
        in_string ^= len(quotes) % 2 == 1
        begin = end
