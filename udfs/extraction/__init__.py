"""Extraction of the final answer from a reply, by named and versioned policies.

`extract` is pure and total. What it may know of the gold answer is `answer_form(gold)` and nothing more.
"""

from __future__ import annotations

import re

from udfs import policy as policies
from udfs.extraction.model import Extraction
from udfs.extraction.scmath6 import extract_official

__all__ = ["EXTRACTOR_VERSION", "Extraction", "answer_form", "extract"]

EXTRACTOR_VERSION = "1"

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def answer_form(gold: str | None) -> str | None:
    if gold is None:
        return None
    if len(gold) == 1 and gold in "ABCDEFGHIJ":
        return "choice"
    return "number" if re.fullmatch(r"[-\d.,]+", gold) else "expression"


def extract(response: str | None, spec: str | None, form: str | None) -> Extraction:
    policy = policies.parse(spec)
    if policy.extraction == "scmath6_official_v1":
        return extract_official(response)
    if response is None or not response.strip():
        return Extraction(None, "no_reply", False)
    start = response.rfind("\\boxed{")
    if start >= 0:
        depth, i = 0, start + 6
        for i in range(start + 6, len(response)):
            depth += {"{": 1, "}": -1}.get(response[i], 0)
            if depth == 0:
                break
        return Extraction(response[start + 7 : i], "boxed", False)
    for marker in ("####", "\nA: ", "answer is", "Answer:"):
        at = response.rfind(marker)
        if at >= 0:
            line = response[at + len(marker) :].strip(" :.$\n").split("\n")[0]
            return Extraction(line, "marker", False)
    numbers = _NUMBER.findall(response[-2000:])
    return Extraction(numbers[-1], "last_number", False) if numbers else Extraction(None, "none", False)
