"""Grading policies: the switches by which extraction and equivalence are steered.

A policy is one row of the seed `grading_policies`. It travels to the UDFs as one compact text, its spec:
`extraction=auto_v1;equivalence=auto_v1;percent=true;…`. Keys are the field names of `Policy`; a key that is
left out has the default below, a key given twice has its last value, a key or value that is not known is
ignored. So a spec may be extended by one problem's own tolerance: `spec || ';absolute_tolerance=0.01'`.

Every switch is a convention on which graders differ. The default is the lenient reading wherever people
write the same answer both ways, and never where two different values would become equal.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

# A warehouse has tens of policies, times one tolerance per problem set; the cache only has to hold those.
CACHED_SPECS = 4096

EXTRACTION_POLICIES = (
    "auto_v1",  # final-answer statements in the order people trust them, else the last sentence
    "number_v1",  # as auto, and a reply without any statement still yields its last number
    "choice_v1",  # as auto, and only a choice letter is an answer
    "boxed_v1",  # the last \boxed{} and nothing else
    "gsm8k_v1",  # the number after the last `####` (or the last line `A: n`) and nothing else
    "scmath6_official_v1",  # the published SC-Math6 scorer, digit for digit
)
EQUIVALENCE_POLICIES = (
    "auto_v1",  # by the form of gold and answer
    "number_v1",  # numbers only
    "choice_v1",  # choice letters only
    "exact_text_v1",  # same string, nothing else (the published SC-Math6 scorer)
)


@dataclass(frozen=True, slots=True)
class Policy:
    """How one dataset is graded. All fields are switches with a stated default."""

    extraction: str = "auto_v1"
    equivalence: str = "auto_v1"
    # Largest |gold - answer| / |gold| that still counts as equal, for numbers with a decimal point.
    # Integers and exact fractions are always compared exactly.
    relative_tolerance: float = 1e-9
    # Largest |gold - answer| that still counts as equal (OlympiadBench gives one per problem).
    absolute_tolerance: float = 0.0
    # A decimal that is the gold rounded to the digits written (at least three significant) is equal.
    rounding: bool = True
    # `50%`, `50` and `0.5` are equal when one side carries the percent sign.
    percent: bool = True
    # A unit or currency sign may be missing on one side; two different units are never equal.
    units: bool = True
    # A degree sign may be missing on one side.
    degrees: bool = True
    # The subscript of a number base may be missing on one side.
    base_subscript: bool = True
    # Parameters of a family of solutions may be renamed consistently.
    renamed_parameters: bool = True
    # A bare list `1, 2` is equal in any order (tuples, vectors and intervals are always ordered).
    unordered_lists: bool = True
    # A reply cut off by its token limit may still be graded by a number from its middle.
    truncated: bool = False

    def spec(self) -> str:
        """The text from which `parse` makes this policy again."""
        return ";".join(f"{f.name}={_as_text(getattr(self, f.name))}" for f in fields(self))


DEFAULT = Policy()


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(text: str, default: object) -> object:
    """The value that text states for a field with this default; the default where it states none."""
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(text.lower(), default)
    if isinstance(default, float):
        try:
            number = float(text)
        except ValueError:
            return default
        return number if 0 <= number < float("inf") else default
    return text or default


@lru_cache(maxsize=CACHED_SPECS)
def parse(spec: str | None) -> Policy:
    """The policy that a spec describes. Total: None, '' and nonsense give the default policy."""
    values = {f.name: getattr(DEFAULT, f.name) for f in fields(DEFAULT)}
    for part in (spec or "").split(";"):
        key, _, text = part.partition("=")
        if key.strip() in values:
            values[key.strip()] = _read(text.strip(), getattr(DEFAULT, key.strip()))
    if values["extraction"] not in EXTRACTION_POLICIES:
        values["extraction"] = DEFAULT.extraction
    if values["equivalence"] not in EQUIVALENCE_POLICIES:
        values["equivalence"] = DEFAULT.equivalence
    return Policy(**values)
