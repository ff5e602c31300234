"""Equivalence of two answers: same key or not (the smallest thing the models can be built against)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

JUDGE_VERSION = "0"


@dataclass(frozen=True, slots=True)
class Verdict:
    verdict: bool | None
    method: str
    milliseconds: float


def normalise(text: str, spec: str | None) -> str:
    return text.strip().strip("$").replace(",", "").replace("\\!", "").removesuffix(".")


def judge(gold: str | None, answer: str | None, spec: str | None) -> Verdict:
    start = time.perf_counter()
    if gold is None or answer is None:
        return Verdict(None if gold is None else False, "missing", 0.0)
    same = normalise(gold, spec) == normalise(answer, spec)
    return Verdict(same, "exact", (time.perf_counter() - start) * 1000)


def classes(answers: Sequence[str | None], spec: str | None) -> list[int]:
    first: dict[str, int] = {}
    return [
        0 if a is None else first.setdefault(normalise(a, spec), i)
        for i, a in enumerate(answers, 1)
    ]
