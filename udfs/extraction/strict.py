"""Extractions that take one kind of statement and nothing else."""

from __future__ import annotations

import re

from udfs.extraction.boxed import last_boxes
from udfs.extraction.model import Extraction
from udfs.extraction.text import read_reply
from udfs.extraction.truncation import is_cut_off

_HASHES = re.compile(r"####[ \t]*((?:(?!####)[^\n]){0,400})")
_ANSWER_LINE = re.compile(r"(?:^|\n)A:[ \t]*([^\n]{1,400})\s*$")
_NUMBER = re.compile(r"[-−]?\$?\s?[-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)")


def extract_gsm8k(response: str | None) -> Extraction:
    """The number behind the last `####`, else that of a last line `A: n` (Cobbe et al. 2021, section 2)."""
    if response is None or not response.strip():
        return Extraction(None, "no_reply", False)
    reply = read_reply(response)
    lines = _HASHES.findall(reply.text)
    method = "hashes"
    if not lines:
        lines = _ANSWER_LINE.findall(reply.text)
        method = "answer_line"
    number = _NUMBER.search(lines[-1]) if lines else None
    if number is None:
        return Extraction(None, "none", is_cut_off(reply.text))
    return Extraction(re.sub(r"[$,\s]", "", number[0]).replace("−", "-"), method, False)


def extract_boxed(response: str | None) -> Extraction:
    """The content of the last box."""
    if response is None or not response.strip():
        return Extraction(None, "no_reply", False)
    box, _, is_cut = last_boxes(response)
    cut = is_cut or is_cut_off(read_reply(response).text)
    return Extraction(box, "boxed" if box is not None else "none", cut)
