"""Verdicts on real files agree with those that came with them."""

from __future__ import annotations

import json
from pathlib import Path

from udfs import equivalence
from udfs.extraction import answer_form, extract, reduce_gold
from udfs.policy import DEFAULT, Policy

GSM8K = Policy(extraction="gsm8k_v1", equivalence="number_v1", truncated=True).spec()


def is_correct(gold: str, response: str, spec: str) -> bool:
    extraction = extract(response, spec, answer_form(gold))
    if extraction.answer is None:
        return False
    return equivalence.judge(reduce_gold(gold), extraction.answer, spec).verdict is True


def test_qwen_rollouts(shared: Path) -> None:
    """At most three of 800: the file's own grader does not read 10{,}000 as ten thousand."""
    differing = []
    lines = (shared / "data/outputs/qwen_math_cot_100.jsonl").read_text("utf-8").splitlines()
    n_responses = 0
    for record in map(json.loads, lines):
        for response, reported in zip(record["code"], record["score"], strict=True):
            n_responses += 1
            if is_correct(record["gt"], response, DEFAULT.spec()) != reported:
                differing.append((record["idx"], record["gt"], response[-80:]))
    assert n_responses == 800
    assert len(differing) <= 3, differing


def test_gsm8k_solutions(shared: Path) -> None:
    """The four systems' counts of correct solutions, by the published marker and by the general policy alike."""
    expected = {
        "6b_finetuning": 286,
        "6b_verification": 515,
        "175b_finetuning": 458,
        "175b_verification": 742,
    }
    lines = (shared / "data/outputs/gsm8k_example_model_solutions.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in lines.splitlines()]
    assert len(records) == 1319
    for spec in (GSM8K, DEFAULT.spec()):
        correct = {
            system: sum(is_correct(r["ground_truth"], r[system]["solution"], spec) for r in records)
            for system in expected
        }
        assert correct == expected


def test_labelled_replies(shared: Path) -> None:
    """Accuracy at least .99 and precision at least .998 on replies whose labels people set."""
    lines = (shared / "grading/dev.jsonl").read_text("utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "response"]
    verdicts = [is_correct(case["gold"], case["response"], DEFAULT.spec()) for case in cases]
    right = sum(v == case["label"] for v, case in zip(verdicts, cases, strict=True))
    accepted = [case["label"] for v, case in zip(verdicts, cases, strict=True) if v]
    assert right / len(cases) >= 0.99
    assert sum(accepted) / len(accepted) >= 0.998
