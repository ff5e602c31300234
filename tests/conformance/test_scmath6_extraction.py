"""The official SC-Math6 extraction finds what the published scorer's two patterns find."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from udfs.extraction import extract
from udfs.policy import Policy

SPEC = Policy(extraction="scmath6_official_v1", equivalence="exact_text_v1").spec()


def published(reply: str) -> str:
    """The answer of the published scorer: its two searches, the first match of each."""
    bracketed = re.findall(r"【(\d+)】", reply)
    last = re.findall(r"(\d+)[^\d]*$", reply)
    return bracketed[0] if bracketed else last[0] if last else ""


@pytest.mark.parametrize(
    ("file", "n_replies"),
    [
        ("oracles/scmath6/fixture_adversarial.jsonl", 116),
        ("data/outputs/scmath6_sample_answer.json", 4400),
    ],
)
def test_every_reply_of_a_file(shared: Path, file: str, n_replies: int) -> None:
    replies = [
        record.get(f"model_answer_turns_{turn}")
        for record in map(json.loads, (shared / file).read_text("utf-8").splitlines())
        for turn in (1, 2)
    ]
    texts = [reply for reply in replies if reply]
    assert len(texts) == n_replies
    assert [extract(text, SPEC, "number").answer for text in texts] == [published(t) for t in texts]


def test_adversarial_counts(shared: Path) -> None:
    """How often each of the two patterns finds an answer, and how often neither does."""
    expected = json.loads((shared / "oracles/scmath6/expected_adversarial.json").read_text("utf-8"))
    file = shared / "oracles/scmath6/fixture_adversarial.jsonl"
    methods = [
        extract(reply, SPEC, "number").method
        for record in map(json.loads, file.read_text("utf-8").splitlines())
        for turn in (1, 2)
        if (reply := record.get(f"model_answer_turns_{turn}"))
    ]
    assert methods.count("scmath6_bracket") == expected["ref"]["n_bracket"]
    assert methods.count("scmath6_last_digits") == expected["ref"]["n_last_number"]
    assert methods.count("scmath6_none") == expected["ref"]["n_reply_no_number"]


@given(st.text("【】0123456789３५ .,-元\n", max_size=60))
def test_any_text(reply: str) -> None:
    assert extract(reply, SPEC, "number").answer == published(reply)
