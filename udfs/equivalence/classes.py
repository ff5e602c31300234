"""Equivalence classes of the answers to one problem, for votes.

The rule: two answers are in one class when their keys are equal, or when they are judged equivalent (either one as
gold), or when a chain of such pairs links them. So the classes depend on the set of answers alone, never on their
order. Work is bounded: where there are more distinct keys than can be compared pair by pair, pairs are
taken in the order of the keys until the limit, and what is left stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from udfs.equivalence.judging import judge, normalise
from udfs.equivalence.limits import MAX_CLASS_PAIRS


def classes(answers: Sequence[str | None], spec: str | None = None) -> list[int]:
    """For each answer the 1-based position of the first member of its class; 0 for a missing answer."""
    keys = [None if a is None or not a.strip() else normalise(a, spec) for a in answers]
    members: dict[str, str] = {}
    for k, a in zip(keys, answers, strict=True):
        if k is not None and a is not None:
            members[k] = min(members.get(k, a), a)
    roots = _linked(members, spec)
    first: dict[str, int] = {}
    return [0 if k is None else first.setdefault(roots[k], i) for i, k in enumerate(keys, 1)]


def _linked(members: dict[str, str], spec: str | None) -> dict[str, str]:
    """The root of each key after linking equivalent ones."""
    parent = {k: k for k in members}

    def root(k: str) -> str:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    ordered = sorted(members)
    pairs = 0
    for i, k in enumerate(ordered):
        for other in ordered[i + 1 :]:
            if pairs >= MAX_CLASS_PAIRS:
                return {x: root(x) for x in ordered}
            if root(k) == root(other) or (k.lstrip("-").isdigit() and other.lstrip("-").isdigit()):
                continue
            pairs += 1
            if (
                judge(members[k], members[other], spec).verdict
                or judge(members[other], members[k], spec).verdict
            ):
                a, b = sorted((root(k), root(other)))
                parent[b] = a
    return {x: root(x) for x in ordered}
