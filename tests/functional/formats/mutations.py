"""Damage to files as it happens: cut, reordered, retyped, dropped, duplicated; seeded, so repeatable."""

from __future__ import annotations

import json
import random
from typing import Any

_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**40, "", "x", "2024-01-02", "\x00", "\ud800", '"', "a\"b/c~d",
    [], {}, [None], ["x", 1], {"a": {"b": []}}, [[["deep"]]], {"": 1}, "9" * 5000,
)  # fmt: skip


def mutate(content: bytes, chance: random.Random) -> bytes:
    """The content with one to three kinds of damage."""
    for _ in range(chance.randint(1, 3)):
        content = chance.choice((_cut, _lines, _bytes, _retype, _retype, _retype))(content, chance)
    return content


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randint(0, len(content))]


def _lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    place = chance.randrange(len(lines))
    kind = chance.randrange(5)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, lines[chance.randrange(len(lines))])
    elif kind == 2:
        chance.shuffle(lines)
    elif kind == 3:
        lines.insert(place, chance.choice((b"\n", b"null\n", b"[1, 2]\n", b"garbage\n", b"{}\n")))
    else:
        lines = [line.replace(b"\n", b"\r\n") for line in lines]
    return b"".join(lines)


def _bytes(content: bytes, chance: random.Random) -> bytes:
    place = chance.randint(0, len(content))
    piece = chance.choice(
        (b"\x00", b"\xff", b'"', b"\\", b"{", b"]", b",", b"NaN", b"\xef\xbb\xbf")
    )
    width = chance.choice((0, 0, 1, 7))
    return content[:place] + piece + content[place + width :]


def _retype(content: bytes, chance: random.Random) -> bytes:
    """Change one value, name or member somewhere in a JSON document or in one of its lines."""
    try:
        return json.dumps(_changed(json.loads(content), chance)).encode()
    except (ValueError, RecursionError):
        pass
    lines = content.split(b"\n")
    place = chance.randrange(len(lines))
    try:
        lines[place] = json.dumps(_changed(json.loads(lines[place]), chance)).encode()
    except (ValueError, RecursionError):
        return _lines(content, chance)
    return b"\n".join(lines)


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        kind = chance.randrange(8)
        copy = dict(value)
        if kind == 0:
            del copy[name]
        elif kind == 1:
            copy[chance.choice(("id", "", 'q"u', "a/b", name + "2"))] = copy.pop(name)
        elif kind == 2:
            copy[name.upper()] = copy[name]
        else:
            copy[name] = _changed(copy[name], chance)
        return copy
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        kind = chance.randrange(6)
        copy_of_list = list(value)
        if kind == 0:
            del copy_of_list[place]
        elif kind == 1:
            copy_of_list.insert(place, value[place])
        elif kind == 2:
            copy_of_list.reverse()
        else:
            copy_of_list[place] = _changed(value[place], chance)
        return copy_of_list
    return chance.choice(_VALUES)
