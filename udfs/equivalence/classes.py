"""Equivalence classes of the answers to one problem, for votes.

The rule: two answers are in one class when their keys are equal, or when they are judged equivalent (the one with
the smaller key as gold), or when a chain of such pairs links them. So the classes depend on the set of answers
alone, never on their order. Where there are too many distinct keys to compare each with each, only those that share
a fingerprint are compared, up to the limit in the order of fingerprints and keys, and the rest is grouped by key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from udfs.equivalence.answers import read
from udfs.equivalence.fingerprints import Fingerprint, fingerprints
from udfs.equivalence.judging import judge, normalise
from udfs.equivalence.limits import MAX_CHARS, MAX_CLASS_PAIRS

_RATIONAL = re.compile(r"-?\d+(?:/\d+)?")


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

    for k, other in islice(_candidates(members), MAX_CLASS_PAIRS):
        if root(k) != root(other) and judge(members[k], members[other], spec).verdict:
            a, b = sorted((root(k), root(other)))
            parent[b] = a
    return {k: root(k) for k in members}


def _candidates(members: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The pairs of keys worth comparing, in a fixed order; two exact rationals are not."""
    exact = {k for k, text in members.items() if _RATIONAL.fullmatch(k) and "." not in text}
    if len(members) * (len(members) - 1) // 2 <= MAX_CLASS_PAIRS:
        yield from (p for p in combinations(sorted(members), 2) if not exact.issuperset(p))
        return
    sharing: dict[Fingerprint, list[str]] = {}
    for k in sorted(members):
        if len(members[k]) <= MAX_CHARS:
            for fingerprint in fingerprints(members[k], read(members[k]).node):
                sharing.setdefault(fingerprint, []).append(k)
    seen: set[tuple[str, str]] = set()
    for _, group in sorted(sharing.items(), key=lambda item: repr(item[0])):
        for pair in combinations(group, 2):
            if pair not in seen and not exact.issuperset(pair):
                seen.add(pair)
                yield pair
