"""Extraction of the final answer from a reply, by named and versioned policies.

`extract` is pure and total. What it may know of the gold answer is `answer_form(gold)` and nothing more.
"""

from __future__ import annotations

from udfs import policy as policies
from udfs.extraction.auto import extract_auto
from udfs.extraction.forms import answer_form, reduce_gold
from udfs.extraction.model import Extraction
from udfs.extraction.scmath6 import extract_official
from udfs.extraction.strict import extract_boxed, extract_gsm8k

__all__ = ["EXTRACTOR_VERSION", "Extraction", "answer_form", "extract", "reduce_gold"]

# Raised with every change that can change an extracted answer: verdicts of both versions are kept.
EXTRACTOR_VERSION = "2"


def extract(response: str | None, spec: str | None, form: str | None) -> Extraction:
    """The final answer of a reply by the extraction policy of a spec, for an answer of the given form.

    form: what `answer_form` said of the gold; None where nothing is known.
    """
    try:
        return _extract(response, policies.parse(spec), form)
    except Exception:  # one reply must not take the whole build with it; the method shows it
        return Extraction(None, "error", False)


def _extract(response: str | None, policy: policies.Policy, form: str | None) -> Extraction:
    if policy.extraction == "scmath6_official_v1":
        return extract_official(response)
    if policy.extraction == "gsm8k_v1":
        return extract_gsm8k(response)
    if policy.extraction == "boxed_v1":
        return extract_boxed(response)
    return extract_auto(
        response,
        "choice" if policy.extraction == "choice_v1" else form,
        takes_last_number=policy.extraction == "number_v1",
        grades_truncated=policy.truncated,
    )
