"""One verdict: text, choice letters, times, then the trees, by the policy's form of equivalence."""

from __future__ import annotations

import re
import time
from fractions import Fraction
from typing import NamedTuple

from udfs.equivalence import congruence, scalars, workers
from udfs.equivalence.answers import Reading, decimal_comma, prose_number, read, simple_number
from udfs.equivalence.compare import Comparison
from udfs.equivalence.keys import key
from udfs.equivalence.limits import MAX_CHARS
from udfs.equivalence.shapes import simplify
from udfs.equivalence.tree import Node, Num, Op, free_symbols
from udfs.equivalence.words import (
    choice,
    clock,
    date,
    letters,
    ordinal,
    same_date,
    same_text,
    same_time,
)
from udfs.policy import Policy, parse

# Goes up with every change that may change a verdict; verdicts of older versions stay beside the new ones.
JUDGE_VERSION = "2"

METHODS = (
    "exact",  # the same text
    "normalised",  # the same canonical form, or canonical forms that prove a difference
    "numeric",  # high-precision values at fixed points, or a tolerance or rounding of the policy
    "symbolic",  # computer algebra in a worker process
    "choice", "text", "time", "interval", "set", "list", "matrix",
    "missing",  # no answer, or no gold answer
    "too_long",  # beyond MAX_CHARS, compared as text only
    "timeout", "error",  # undecided
)  # fmt: skip


class Verdict(NamedTuple):
    """verdict: equivalent or not, None where undecided. method: one of METHODS. milliseconds: wall-clock."""

    verdict: bool | None
    method: str
    milliseconds: float


_WORD = re.compile(r"[^\W\d_]{2,}")
_SPACING = re.compile(
    r"\\left(?![a-z])|\\right(?![a-z])|\\[,;:! ]|\$|(?<!\d)\s+|\s+(?!\d)|(?<=\\)[dt](?=frac\b)"
)
_LOOSE = re.compile(r"\\left\b|\\right\b|\\[,;:! ]|[\s$]")


def judge(gold: str | None, answer: str | None, spec: str | None = None) -> Verdict:
    """Whether an answer is equivalent to the gold answer under a policy. Total."""
    start = time.perf_counter()
    try:
        verdict, method = _judge(gold, answer, parse(spec))
    except Exception:  # one pair must not take the whole build with it; the method shows it
        verdict, method = None, "error"
    return Verdict(verdict, method, (time.perf_counter() - start) * 1000)


def normalise(text: str | None, spec: str | None = None) -> str | None:
    """The canonical key of an answer: equal keys mean equivalent answers. None for None. Total."""
    if text is None:
        return None
    policy = parse(spec)
    if policy.equivalence == "exact_text_v1" or len(text) > MAX_CHARS:
        return text
    try:
        return _key_of_form(text) or key(simplify(read(text).node))
    except Exception:
        return text


def _key_of_form(text: str) -> str | None:
    """The key of a lone choice letter, of a time with am or pm, and of a date; None for anything else."""
    letter = choice(text)
    if letter is not None and not letter.text:
        return letter.letter
    time_of_day = clock(text)
    if time_of_day is not None and time_of_day[2]:
        minutes, seconds = divmod(time_of_day[0], 60)
        return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    day = date(text)
    return None if day is None else "-".join(f"{part:02}" for part in day if part is not None)


def _judge(gold: str | None, answer: str | None, policy: Policy) -> tuple[bool | None, str]:
    if gold is None:
        return None, "missing"
    if policy.equivalence == "exact_text_v1":
        return gold == (answer or ""), "exact"
    if not gold.strip():
        return None, "missing"
    if answer is None or not answer.strip():
        return False, "missing"
    if len(gold) > MAX_CHARS or len(answer) > MAX_CHARS:
        return _LOOSE.sub("", gold) == _LOOSE.sub("", answer), "too_long"
    if policy.equivalence == "choice_v1":
        return _choices_only(gold, answer)
    a, b = simple_number(gold), simple_number(answer)
    if a is not None and b is not None:
        how = scalars.Decided()
        same = scalars.same_value(a, b, policy, how)
        return same, "normalised" if same is False or a.value == b.value else "numeric"
    if gold.strip() == answer.strip():
        return True, "exact"
    if _SPACING.sub("", gold) == _SPACING.sub("", answer):
        return True, "normalised"
    verdict, method = _forms(gold, answer)
    if verdict is not None:
        return verdict, method
    return _readings(gold, answer, policy)


def _choices_only(gold: str, answer: str) -> tuple[bool, str]:
    a, b = choice(gold), choice(answer)
    if a is None or b is None:
        return same_text(gold, answer), "text"
    return a.letter == b.letter, "choice"


def _forms(gold: str, answer: str) -> tuple[bool | None, str]:
    """What can be said of the texts before anything is read as mathematics."""
    if gold.strip() == answer.strip():
        return True, "exact"
    a, b = choice(gold), choice(answer)
    if a is not None and b is not None:
        return a.letter == b.letter, "choice"
    several = letters(gold)
    if several and (chosen := letters(answer)):
        return several == chosen, "choice"
    for one, other in ((a, answer), (b, gold)):
        if one is not None and one.text and same_text(one.text, other):
            return True, "choice"
    place = ordinal(gold)
    if place is not None and (other_place := ordinal(answer)) is not None:
        return place == other_place, "text"
    s = clock(gold)
    t = clock(answer) if s is not None else None
    if s is not None and t is not None and (s[2] or t[2] or gold.count(":") == answer.count(":")):
        if same_time(s, t):
            return True, "time"
        if s[2] or t[2] or ":0" in gold + answer:  # `4:05` is a time, `4:5` would be a ratio
            return False, "time"
    d = date(gold)
    e = date(answer) if d is not None else None
    if d is not None and e is not None:
        return same_date(d, e), "time"
    return None, ""


def _readings(gold: str, answer: str, policy: Policy) -> tuple[bool | None, str]:
    g, a = read(gold), read(answer)
    if _is_formula(g.node) or _is_formula(a.node):
        workers.prepare()  # where formulas come, computer algebra may be asked for soon
    verdict, method = _compare(g, a, policy)
    if verdict:
        return verdict, method
    if g.ambiguous and not a.ambiguous and _is_list(a.node):
        alternative = _compare(read(gold, False), a, policy)
    elif a.ambiguous and not g.ambiguous and _is_list(g.node):
        alternative = _compare(g, read(answer, False), policy)
    else:
        alternative = _decimal_commas(gold, answer, g, a, policy)
    if alternative[0]:
        return alternative
    if _same_residues(gold, answer, g, a):
        return True, "set"
    if policy.equivalence != "number_v1" and _same_words(g, a):
        return True, "text"
    if _is_text(g.node) != _is_text(a.node):
        return _prose(g, a, policy) or verdict, "text"
    return verdict, method


def _is_formula(node: Node) -> bool:
    """Whether a node is a term or statement with variables."""
    if not isinstance(node, Op):
        return False
    is_term = node.head in ("add", "mul", "pow", "rel") or node.head.startswith("fn:")
    return is_term and bool(free_symbols(node))


def _is_list(node: Node) -> bool:
    return isinstance(node, Op) and node.head in ("list", "seq", "set", "both", "either")


def _decimal_commas(
    gold: str, answer: str, g: Reading, a: Reading, policy: Policy
) -> tuple[bool | None, str]:
    """`3,14` beside `3.14`: a comma for the decimal point is believed where the other side has the same digits."""
    for text, other in ((gold, a.node), (answer, g.node)):
        if isinstance(other, Num) and other.places:
            comma = decimal_comma(text)
            if comma is not None and comma == other:
                return True, "normalised"
    return None, ""


def _same_residues(gold: str, answer: str, g: Reading, a: Reading) -> bool:
    """Whether both name the same residue classes, at least one of them as a congruence."""
    x, y = congruence.of_text(gold), congruence.of_text(answer)
    if x is None and y is None:
        return False
    x, y = x or congruence.of_family(simplify(g.node)), y or congruence.of_family(simplify(a.node))
    return x is not None and y is not None and congruence.same(x, y)


def _is_text(node: Node) -> bool:
    return isinstance(node, Op) and node.head == "text"


def _prose(g: Reading, a: Reading, policy: Policy) -> bool:
    """Whether a sentence ends in the number that is the other side."""
    prose, other = (g, a) if _is_text(g.node) else (a, g)
    number = prose_number(prose.text)
    if number is None or not isinstance(other.node, Num):
        return False
    return scalars.same_value(other.node, number, policy, scalars.Decided()) is True


def _same_words(g: Reading, a: Reading) -> bool:
    in_words = any(_is_text(r.node) and _WORD.search(r.text) for r in (g, a))
    return in_words and same_text(g.text, a.text)


def _compare(g: Reading, a: Reading, policy: Policy) -> tuple[bool | None, str]:
    if policy.equivalence == "number_v1":
        return _numbers(g.node, a.node, policy)
    comparison = Comparison(policy, g.qualified or a.qualified)
    verdict = comparison._renamed(g.node, a.node)
    method = comparison.how.method
    if method == "normalised" and comparison.kind:
        method = comparison.kind
    if verdict is None and method not in ("timeout", "error"):
        method = "timeout" if comparison.how.open else "error"
    return verdict, method


def _numbers(g: Node, a: Node, policy: Policy) -> tuple[bool | None, str]:
    how = scalars.Decided()
    g, a = _number_in(g), _number_in(a)
    if not isinstance(g, Num) or not isinstance(a, Num):
        comparison = Comparison(policy)
        return comparison.same(g, a), comparison.how.method
    return scalars.same_value(g, a, policy, how), how.method


def _number_in(node: Node) -> Node:
    """The number in a quantity or under a name."""
    node = simplify(node)
    while (
        isinstance(node, Op)
        and node.head in ("unit", "named", "rel", "percent")
        and not isinstance(node, Num)
    ):
        if node.head == "rel":
            node = node.args[2]
        elif node.head == "named":
            node = node.args[1]
        else:
            node = node.args[0]
    return node


def exact_value(text: str) -> Fraction | None:
    """The rational number that an answer is, if it is one."""
    node = read(text).node
    return node.value if isinstance(node, Num) else None
