"""Maximum one-to-one matching."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from udfs.matching import matched_pairs

PAIRS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=9)


def most(pairs: list[tuple[int, int]]) -> int:
    """Size of the largest matching, by trying every choice."""
    if not pairs:
        return 0
    (left, right), *rest = pairs
    taken = [(a, b) for a, b in rest if a != left and b != right]
    return max(most(rest), 1 + most(taken))


@given(PAIRS)
def test_equals_the_best_of_all_choices(pairs: list[tuple[int, int]]) -> None:
    assert matched_pairs([a for a, _ in pairs], [b for _, b in pairs]) == most(pairs)


def test_first_come_first_served_is_not_enough() -> None:
    """1 could take either, 2 only the first: a greedy choice in order finds one pair."""
    assert matched_pairs([1, 1, 2], [1, 2, 1]) == 2


def test_long_chains_do_not_exhaust_the_stack() -> None:
    n = 5_000
    chain = [(i, i) for i in range(n)] + [(i, i - 1) for i in range(1, n)]
    assert matched_pairs([a for a, _ in chain], [b for _, b in chain]) == n


def test_is_total() -> None:
    assert matched_pairs(None, [1]) is None
    assert matched_pairs([1], None) is None
    assert matched_pairs([1, 2], [1]) is None
    assert matched_pairs([], []) == 0
    assert matched_pairs([1, None], [None, 1]) == 0
