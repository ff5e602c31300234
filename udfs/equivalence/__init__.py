"""Equivalence of a short answer with a gold answer.

`judge` decides one pair, `normalise` gives the canonical key of one answer, `classes` groups the answers to one
problem. All are pure and total: they never raise, never run text as code, and do bounded work.

How a verdict comes about, cheapest means first:

1. `judging`: same text; plain numbers; choice letters, times and dates (`words`).
2. `answers` reads a text into a tree (`tokens`, `brackets`, `grammar`): labels, units and qualifiers taken off.
3. `compare` walks two trees by their shape (`shapes`, `regions`, `units`, `congruence`, `ellipsis`).
4. `scalars` decides expressions: an exact normal form proves or disproves (`exact`, `polynomials`); where it leaves
   the matter open, values at fixed points with 50 and 110 digits do (`numeric`).
5. Sums, integrals and limits go to computer algebra in worker processes (`workers`, `symbolic`).
"""

from __future__ import annotations

from udfs.equivalence.classes import classes
from udfs.equivalence.judging import JUDGE_VERSION, METHODS, Verdict, judge, normalise

__all__ = ["JUDGE_VERSION", "METHODS", "Verdict", "classes", "judge", "normalise"]
