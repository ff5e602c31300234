"""Boxed answers: `\\boxed{…}` and `\\fbox{…}`, nested, several, cut off, without braces."""

from __future__ import annotations

import re
from typing import NamedTuple

# How far a box is read for its closing brace, and how many boxes are looked at from the end. An answer is
# short; the limits bound the work on replies that repeat a box a hundred thousand times.
MAX_BOX = 4_000
MAX_BOXES = 40

_COMMANDS = ("\\boxed", "\\fbox", "\\framebox")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BARE = re.compile(
    r"\s*(\\[dt]?frac\s?(?:\{[^{}]{1,20}\}|\d)\s?(?:\{[^{}]{1,20}\}|\d)|\\?[A-Za-z]{1,12}|-?\d[\d.,]{0,40})"
)
_EMPTY = re.compile(
    r"(?:\\[hv]?phantom\{[^{}]{0,80}\}|\\(?:quad|qquad|,|;|!|square|ldots|dots)|[\s?_.{}~])*"
)
# What may stand between two boxes that are one answer together: "$\boxed{2}$ and $\boxed{3}$".
_CONNECTOR = re.compile(
    r"[\s$,;]*(?:\\text\{\s*)?(?:and|or|和|或|、|&)?(?:\s*\})?[\s$\\()\[\],;]*(?:[A-Za-z]\w?\s*=\s*)?"
)
MAX_CONNECTOR = 30


class Box(NamedTuple):
    """One box: its content, where its command starts and where it ends."""

    content: str
    start: int
    end: int


def last_boxes(text: str) -> tuple[str | None, int, bool]:
    """The content of the last filled box of a text, where it ends, and whether a later box is cut off.

    Boxes that stand together in one phrase ("\\boxed{2} and \\boxed{3}") are one answer, joined by commas.
    (None, 0, …) where there is no filled box.
    """
    if "box" not in text:
        return None, 0, False
    found: list[Box] = []
    is_cut = False
    stop = len(text)
    for _ in range(MAX_BOXES):
        start = _last_command(text, stop)
        if start < 0:
            break
        box = _read(text, start)
        stop = start
        if box is None:
            is_cut = is_cut or not found
            continue
        if found and not (box.end <= found[-1].start and _together(text, box.end, found[-1].start)):
            if box.end >= found[-1].end:  # it encloses the last one
                found[-1] = Box(found[-1].content, box.start, box.end)
                continue
            break
        if _EMPTY.fullmatch(box.content[:MAX_CONNECTOR]) and len(box.content) <= MAX_CONNECTOR:
            if found:
                break
            continue
        found.append(box)
    if not found:
        return None, 0, is_cut
    contents = [box.content for box in reversed(found)]
    if len(set(contents)) == 1:
        contents = contents[:1]
    return ", ".join(contents), found[0].end, is_cut


def _last_command(text: str, stop: int) -> int:
    """Where the last box command before a position starts; -1 without one."""
    while (stop := text.rfind("box", 0, stop)) >= 0:
        start = text.rfind("\\", max(0, stop - len("\\frame")), stop)
        if start >= 0 and text.startswith(_COMMANDS, start):
            return start
    return -1


def _together(text: str, left: int, right: int) -> bool:
    gap = text[left : min(right, left + MAX_CONNECTOR + 1)]
    return len(gap) <= MAX_CONNECTOR and _CONNECTOR.fullmatch(gap) is not None


def _read(text: str, start: int) -> Box | None:
    """The box whose command starts here; None where it is not closed or holds nothing."""
    at = start + next(len(c) for c in _COMMANDS if text.startswith(c, start))
    opening = at
    while opening < len(text) and text[opening].isspace() and opening - at < MAX_CONNECTOR:
        opening += 1
    if text[opening : opening + 1] != "{":
        bare = _BARE.match(text, at, at + 60)
        return Box(bare[1], start, bare.end()) if bare else None
    depth = 0
    for match in _BRACE.finditer(text, opening, opening + MAX_BOX):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return Box(text[opening + 1 : match.start()].strip(), start, match.end())
    return None
