"""One-to-one matching of two sets: the most pairs that share no member."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

# Solutions name tens of concepts; a million candidate pairs is a file gone wrong, not a solution.
MAX_PAIRS = 1_000_000


def matched_pairs(
    left: Sequence[int | None] | None, right: Sequence[int | None] | None
) -> int | None:
    """Size of a maximum matching among the candidate pairs (left[i], right[i]).

    Taking the most similar pair first can block two others, so a greedy choice is not the maximum;
    this is (Hopcroft and Karp 1973, augmenting along shortest paths). A pair with a missing member is
    no pair. None where a list is missing, the lists differ in length, or there are over MAX_PAIRS.
    """
    if left is None or right is None or len(left) != len(right) or len(left) > MAX_PAIRS:
        return None
    neighbours: dict[int, list[int]] = {}
    for a, b in zip(left, right, strict=True):
        if a is not None and b is not None:
            neighbours.setdefault(a, []).append(b)
    partner_of_left: dict[int, int] = {}
    partner_of_right: dict[int, int] = {}
    while levels := _levels(neighbours, partner_of_left, partner_of_right):
        for start in neighbours:
            if start not in partner_of_left:
                _augment(start, neighbours, levels, partner_of_left, partner_of_right)
    return len(partner_of_left)


def _levels(
    neighbours: dict[int, list[int]],
    partner_of_left: dict[int, int],
    partner_of_right: dict[int, int],
) -> dict[int, int]:
    """Distance of each left member from the unmatched ones; empty where no augmenting path is left."""
    levels = {a: 0 for a in neighbours if a not in partner_of_left}
    queue = deque(levels)
    found = False
    while queue:
        a = queue.popleft()
        for b in neighbours[a]:
            other = partner_of_right.get(b)
            if other is None:
                found = True
            elif other not in levels:
                levels[other] = levels[a] + 1
                queue.append(other)
    return levels if found else {}


def _augment(
    start: int,
    neighbours: dict[int, list[int]],
    levels: dict[int, int],
    partner_of_left: dict[int, int],
    partner_of_right: dict[int, int],
) -> None:
    """Follow one shortest augmenting path from `start`, if there is one, and switch its pairs.

    The path is kept on a list, not the call stack: its length is not bounded by Python's.
    """
    path = [(start, iter(neighbours[start]))]
    choices: list[int] = []
    while path:
        a, candidates = path[-1]
        for b in candidates:
            other = partner_of_right.get(b)
            if other is None:
                for (member, _), choice in zip(path, [*choices, b], strict=True):
                    partner_of_left[member] = choice
                    partner_of_right[choice] = member
                return
            if levels.get(other) == levels[a] + 1:
                path.append((other, iter(neighbours[other])))
                choices.append(b)
                break
        else:
            # a dead end in this phase: nobody need come here again
            levels[a] = -1
            path.pop()
            if choices:
                choices.pop()
