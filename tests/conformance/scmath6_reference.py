"""The published SC-Math6 scoring rules in plain Python: no SQL, no UDF, no warehouse.

Written from the rules (SuperCLUE-Math6, arXiv 2401.11819, and the behaviour of its scorer), one
pair of turns at a time, with weights per pair so that errors can be checked by differentiation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STEPS = range(1, 6)
TURNS = (
    ("model_answer_turns_1", "answer", "reasoning_step_ref"),
    ("model_answer_turns_2", "answer_followup", "reasoning_step_followup_ref"),
)
_BRACKET = re.compile(r"【(\d+)】")
_DIGITS = re.compile(r"\d+")

Record = Mapping[str, object]


def extract(reply: str) -> tuple[str, str]:
    """(answer, way): the first digits alone in brackets, else the last run of digits, else ''."""
    if bracket := _BRACKET.search(reply):
        return bracket[1], "bracket"
    runs = _DIGITS.findall(reply)
    return (runs[-1], "fallback") if runs else ("", "none")


@dataclass
class Counts:
    """Weighted counts over pairs; keys of turns are 1 and 2, of steps '1' to '5'."""

    replies: Counter = field(default_factory=Counter)
    wins: Counter = field(default_factory=Counter)
    step_extracted: Counter = field(default_factory=Counter)
    step_wins: Counter = field(default_factory=Counter)
    ways: Counter = field(default_factory=Counter)
    missing: float = 0
    both_replied: float = 0
    both_won: float = 0
    characters: float = 0


def count(records: Sequence[Record], weights: Sequence[float] | None = None) -> Counts:
    """Add the pairs up, each with its weight (1 where none are given)."""
    counts = Counts()
    for record, weight in zip(records, weights or [1] * len(records), strict=True):
        replied, won = [], []
        for turn, (reply_key, gold_key, step_key) in enumerate(TURNS, 1):
            reply = record.get(reply_key) or ""
            assert isinstance(reply, str)
            answer, way = extract(reply)
            step = record[step_key]
            win = answer == record[gold_key]
            counts.replies[turn] += weight * bool(reply)
            counts.missing += weight * (not reply)
            counts.characters += weight * len(reply)
            counts.wins[turn] += weight * win
            if reply:
                counts.ways[way] += weight
            if way != "none":
                counts.step_extracted[step] += weight
            counts.step_wins[step] += weight * win
            replied.append(bool(reply))
            won.append(win)
        counts.both_replied += weight * all(replied)
        counts.both_won += weight * all(won)
    return counts


def _percent(part: float, whole: float) -> float | None:
    return round(part / whole * 100, 2) if whole else None


def scores(records: Sequence[Record]) -> dict[tuple[str, str], float | None]:
    """{(metric id, slice value): value} of version 1; None where the warehouse has NULL.

    The scorer writes 0 for a ratio without a denominator and goes on with that 0; it fails where a
    step from 1 to 5 has no right answer: 0 if any answer was extracted, else nothing.
    """
    counts = count(records)
    turn = {t: _percent(counts.wins[t], counts.replies[t]) for t in (1, 2)}
    overall = _percent(counts.both_won, counts.both_replied)
    average = _percent(sum(counts.wins.values()), sum(counts.replies.values()))
    accuracy = round(0.5 * (overall or 0) + 0.5 * (average or 0), 2)
    steps: dict[int, float | None] = {
        step: round(counts.step_wins[str(step)] / counts.step_extracted[str(step)], 2)
        if counts.step_extracted[str(step)]
        else None
        for step in STEPS
    }
    weighted = composite = None
    if None not in steps.values():
        weighted = _percent(sum(step * (steps[step] or 0) for step in STEPS), sum(STEPS))
        composite = round(0.5 * accuracy + 0.5 * (weighted or 0), 2)
    extracted = counts.ways["bracket"] + counts.ways["fallback"]
    return {
        ("turn_accuracy", "1"): turn[1],
        ("turn_accuracy", "2"): turn[2],
        ("overall_accuracy", ""): overall,
        ("average_accuracy", ""): average,
        ("accuracy_composite", ""): accuracy,
        **{("step_accuracy", str(step)): steps[step] for step in STEPS},
        ("step_weighted_score", ""): weighted,
        ("composite_score", ""): composite,
        ("instruction_following_rate", ""): counts.ways["bracket"] / extracted
        if extracted
        else None,
        ("bracket_answers", ""): counts.ways["bracket"],
        ("fallback_answers", ""): counts.ways["fallback"],
        ("unanswered_replies", ""): counts.ways["none"],
        ("missing_replies", ""): counts.missing,
        ("answer_length", ""): _percent(counts.characters / 100, sum(counts.replies.values())),
    }


def unrounded(counts: Counts) -> dict[str, float]:
    """The published formulas without any rounding: what standard errors are of."""
    average = sum(counts.wins.values()) / sum(counts.replies.values())
    accuracy = 0.5 * counts.both_won / counts.both_replied + 0.5 * average
    weighted = sum(s * counts.step_wins[str(s)] / counts.step_extracted[str(s)] for s in STEPS) / 15
    return {
        "turn_difference": counts.wins[2] / counts.replies[2] - counts.wins[1] / counts.replies[1],
        "average_accuracy": average,
        "accuracy_composite": accuracy,
        "step_weighted_score": weighted,
        "composite_score": 0.5 * accuracy + 0.5 * weighted,
    }


def _is_observed(record: Record, metric: str) -> bool:
    """Whether a pair has a part in any numerator or denominator of a metric."""
    counts = count([record])
    steps = any(counts.step_extracted[str(s)] or counts.step_wins[str(s)] for s in STEPS)
    replies = any(counts.replies.values()) or any(counts.wins.values())
    return {"step_weighted_score": steps, "composite_score": steps or replies}.get(metric, replies)


def standard_errors(records: Sequence[Record], nudge: float = 1e-6) -> dict[str, float]:
    """Errors over pairs: sqrt(C/(C-1) * sum over pairs of (d value / d weight)^2)."""
    n = len(records)
    squares: Counter = Counter()
    for i in range(n):
        up, down = ([1.0 + sign * nudge * (i == j) for j in range(n)] for sign in (1, -1))
        above, below = unrounded(count(records, up)), unrounded(count(records, down))
        for name in above:
            squares[name] += ((above[name] - below[name]) / (2 * nudge)) ** 2
    pairs = {name: sum(_is_observed(record, name) for record in records) for name in squares}
    return {n: (pairs[n] / (pairs[n] - 1) * square) ** 0.5 for n, square in squares.items()}
