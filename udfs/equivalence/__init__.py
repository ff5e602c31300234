"""Equivalence of a short answer with a gold answer.

`judge` decides one pair, `normalise` gives the canonical key of one answer, `classes` groups the answers to one
problem. All are pure and total: they never raise, never run text as code, and do bounded work.
"""

from __future__ import annotations

from udfs.equivalence.classes import classes
from udfs.equivalence.judging import JUDGE_VERSION, METHODS, Verdict, judge, normalise

__all__ = ["JUDGE_VERSION", "METHODS", "Verdict", "classes", "judge", "normalise"]
