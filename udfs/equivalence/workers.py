"""placeholder"""

from __future__ import annotations

from typing import NamedTuple

from udfs.equivalence.tree import Node


class Answer(NamedTuple):
    verdict: bool | None
    method: str


def equal(a: Node, b: Node) -> Answer:
    return Answer(None, "error")
