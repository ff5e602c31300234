"""Answers in words, choice letters, clock times and dates."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from udfs.equivalence.vocabulary import MAGNITUDES, NUMBER_WORDS, PART_WORDS

# `all primes` and `primes` answer a question alike.
_ARTICLES = frozenset(
    "the a an of is are it its this that s to be on all any every each there".split()
)
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?|[<>=+\-*/^%≠]")
_NEGATION = frozenset("not no never none neither cannot nor lose loses lost".split())
_ANSWERS = frozenset("yes no true false".split())
_VERBS = frozenset(
    "is are was were will would can could has have had does do did wins win won receives receive gets get loses "
    "must should may might goes comes gives since because as who which".split()
)
_WINS = {
    tuple(said.split())
    for said in (
        "wins",
        "win",
        "won",
        "will win",
        "always wins",
        "can win",
        "has a winning strategy",
    )
}
_TEXT_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|mbox|mathrm|mathbf|boxed|operatorname)\s*(?=\{)"
)
_DRESSING = re.compile(r"[${}\\]|\\[,;:! ]")


def words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without LaTeX dressing; numbers in words become digits."""
    text = _DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).lower()
    if not text.isascii():  # names are often written without their accents
        text = "".join(
            c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f"
        )
    return tuple(str(NUMBER_WORDS.get(w, w)) for w in _WORD.findall(text))


_SPELLED = re.compile(r"[a-z]+(?:[ -]+[a-z]+){0,15}")
_FILLING = frozenset(("and", "a", "an", "of", "full", "whole"))


def spelled_number(text: str) -> Fraction | None:
    """The number that is written out in words: `twenty-five`, `two thirds`, `one and a half`; else None."""
    stripped = _DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).strip(" .").lower()
    if not _SPELLED.fullmatch(stripped):
        return None
    found = [w for w in re.split(r"[ -]+", stripped) if w not in _FILLING]
    part = PART_WORDS.get(found[-1].removesuffix("s")) if found else None
    if part is None:
        return _whole_number(found)
    if len(found) == 1:  # `third` alone is a place, not a part
        return Fraction(1, part) if part == 2 or stripped.startswith("a ") else None
    if " and a " in stripped:  # `two and a half`
        whole = _whole_number(found[:-1])
        return None if whole is None else whole + Fraction(1, part)
    above = _whole_number(found[-2:-1])
    if above is None or len(found) == 2:
        return None if above is None else above / part
    whole = _whole_number(found[:-2])
    return None if whole is None or " and " not in stripped else whole + above / part


_MIXED_IN_WORDS = re.compile(r"(\d{1,9})\s+and\s+(?:an?|one)\s+([a-z]+)")


def mixed_in_words(text: str) -> Fraction | None:
    """`3 and a half`; None where the text is nothing like it."""
    m = _MIXED_IN_WORDS.fullmatch(text.strip().lower())
    part = PART_WORDS.get(m[2]) if m else None
    return None if m is None or part is None else int(m[1]) + Fraction(1, part)


_ORDINAL = re.compile(r"(?:the\s+)?(?:(\d+)\s*(?:\^\s*)?\s*(?:st|nd|rd|th)|([a-z]+))")
_ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        1,
    )
}


def ordinal(text: str) -> int | None:
    """The place that `third` or `3rd` names, else None."""
    if len(text) > 40 or text.rstrip(" .$})")[-1:] not in "htd":
        return None
    m = _ORDINAL.fullmatch(
        " ".join(_DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).split()).strip(" .").lower()
    )
    if m is None:
        return None
    return int(m[1]) if m[1] else _ORDINALS.get(m[2])


def _whole_number(found: list[str]) -> Fraction | None:
    """The value of `two hundred five`: tens before ones, each magnitude smaller than the one before."""
    total, group = 0, 0
    last, ceiling = 0, None
    for word in found:
        if word in NUMBER_WORDS:
            value = NUMBER_WORDS[word]
            if last and not (last >= 20 > 10 > value > 0) and last != 100:
                return None
            group, last = group + value, value
        elif word == "dozen" and len(found) <= 2:
            return Fraction(12 * (group or 1))
        elif word == "hundred" and group < 100:
            group, last = (group or 1) * 100, 100
        elif (
            word in MAGNITUDES
            and word.isascii()
            and (ceiling is None or MAGNITUDES[word] < ceiling)
        ):
            ceiling = MAGNITUDES[word]
            total, group, last = total + (group or 1) * 10**ceiling, 0, 0
        else:
            return None
    return Fraction(total + group) if found else None


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning: no articles, no forms of `be`."""
    found = words(text)
    carrying = tuple(_singular(w) for w in found if w not in _ARTICLES)
    return carrying[:2] if carrying == _INFINITELY_MANY else carrying or found


_OPENINGS = frozenset("the so thus hence therefore".split())
_INFINITELY_MANY = ("infinitely", "many", "solution")


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def same_text(a: str, b: str) -> bool:
    """Whether two texts say the same in the same words, articles and the order of a list apart."""
    x, y = content_words(a), content_words(b)
    if not x or not y:
        return False
    if x[0] in _ANSWERS and y[0] in _ANSWERS and 1 in (len(x), len(y)):
        return x[0] == y[0]  # `Yes, because …` says yes
    joined = "".join(x)
    if x == y or (joined == "".join(y) and not any(map(str.isdigit, joined))):
        return True
    is_list = "and" in x or "and" in y or "," in a or "," in b
    if is_list and sorted(w for w in x if w != "and") == sorted(w for w in y if w != "and"):
        return True
    return _is_subject(x, words(b)) or _is_subject(y, words(a))


def _is_subject(short: tuple[str, ...], sentence: tuple[str, ...]) -> bool:
    """Whether a sentence states the short answer first and then only says more of it, or that it wins."""
    while sentence[:1] and sentence[0] in _OPENINGS:
        sentence = sentence[1:]
    if not 1 <= len(short) <= 3 or sentence[: len(short)] != short or not short[0].isalpha():
        return False
    rest = sentence[len(short) :]
    if not rest or _NEGATION & set(rest):
        return False
    return rest in _WINS or (len(rest) >= 3 and rest[0] in _VERBS)


_CHOICE = re.compile(
    r"\s*(?:the\s+)?(?:(?:option|choice|answer(?:\s+is)?)\s*:?\s*)?"
    r"(?:\(\s*([A-Ja-j])\s*\)|([A-J])\s*[.):]|([A-Ja-j])(?=\s*$)|\[([A-J])\])\s*[.:]?\s*(.*)",
    re.DOTALL | re.I,
)
# `B不是 A`: a letter directly followed by CJK text; `B is wrong` would not be one.
_CHOICE_CJK = re.compile(r"\s*([A-J])(?=[\u3400-\u9fff])(.*)", re.DOTALL)


# Cheap looks that rule out most answers before the careful ones.
_MAY_BE_CHOICE = re.compile(
    r"[\s${(\[]*(?:\\\w+\s*[{(\s]+)*(?:[a-j](?![a-z])|the\b|option|choice|answer)", re.I
)
_MAY_BE_CLOCK = re.compile(r"\d:\d|\d\s*(?:\\\w+\s*\{)?\s*[ap]\.?\s*m|clock|noon|midnight", re.I)
_MAY_BE_DATE = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d{4}[-/]\d|月", re.I)


class Choice(NamedTuple):
    """A letter of a multiple choice question, and the text of the option where it stands beside it."""

    letter: str
    text: str


def choice(text: str) -> Choice | None:
    """The choice that an answer states: `B`, `(B)`, `B. 12 cm`, `\\text{(B)}`, `option b`; else None."""
    if len(text) > 300 or not _MAY_BE_CHOICE.match(text):
        return None
    stripped = _DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).strip()
    m = _CHOICE.fullmatch(stripped)
    if m:
        letter = next(g for g in m.groups()[:4] if g)
        return Choice(letter.upper(), m[5].strip())
    m = _CHOICE_CJK.fullmatch(stripped)
    return Choice(m[1], m[2].strip()) if m else None


_MAY_BE_LETTERS = re.compile(r"[\s${(\[]*(?:\\\w+\s*[{(\s]+)*[A-J](?![a-z])")
_LETTERS = re.compile(r"\(?[A-J]\)?(?:\s*(?:,|;|&|and)?\s*\(?[A-J]\)?){1,9}")


def letters(text: str) -> frozenset[str] | None:
    """The choices of an answer with several: `A, C`, `AC`, `(A) and (C)`; else None."""
    if len(text) > 60 or not _MAY_BE_LETTERS.match(text):
        return None
    stripped = _DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).strip(" .")
    if not _LETTERS.fullmatch(stripped):
        return None
    found = re.findall(r"(?<![a-z])[A-J](?![a-z])", stripped)
    return frozenset(found) if len(set(found)) == len(found) > 1 else None


_TIME = re.compile(
    r"(?:at\s+)?(\d{1,2})(?:[:.](\d{2})(?::(\d{2}))?)?\s*(?:o'?clock)?\s*([ap])?\.?\s*(m)?\.?(?:\s*o'?clock)?",
    re.I,
)
_NOON = {"noon": 720, "midnight": 0, "12 noon": 720, "12 midnight": 0}


def clock(text: str) -> tuple[int, bool, bool] | None:
    """(seconds after midnight, whether am/pm or 24 hours make it certain, whether it must be a time), else None."""
    if len(text) > 60 or not _MAY_BE_CLOCK.search(text):
        return None
    stripped = (
        " ".join(_DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).split()).strip(" .").lower()
    )
    if stripped in _NOON:
        return _NOON[stripped] * 60, True, True
    m = _TIME.fullmatch(stripped)
    if not m or (m[4] and not m[5]) or (m[5] and not m[4]):
        return None
    if m[2] is None and not m[4] and "clock" not in stripped:
        return None
    hour, minute, second = int(m[1]), int(m[2] or 0), int(m[3] or 0)
    if hour > 24 or minute > 59 or second > 59 or (m[4] and not 1 <= hour <= 12):
        return None
    if "." in stripped.split(" ")[0].rstrip(".") and not m[4]:
        return None
    if m[4]:
        hour = hour % 12 + (12 if m[4] == "p" else 0)
    seconds = (hour * 60 + minute) * 60 + second
    return seconds, bool(m[4]) or hour > 12 or hour == 0, bool(m[4]) or "clock" in stripped


def same_time(a: tuple[int, bool, bool], b: tuple[int, bool, bool]) -> bool:
    """Equal times; where one side leaves am or pm open, equal on the twelve-hour dial."""
    if a[0] == b[0]:
        return True
    half_day = 12 * 3600
    return not (a[1] and b[1]) and a[0] % half_day == b[0] % half_day


_MONTHS = {
    name: n
    for n, name in enumerate(
        "january february march april may june july august september october november december".split(),
        1,
    )
}
_MONTHS |= {name[:3]: n for name, n in list(_MONTHS.items())} | {"sept": 9}
_DATES = (
    re.compile(r"(?P<m>[a-z]+)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y>\d{4}))?"),
    re.compile(r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m>[a-z]+)\.?(?:,? (?P<y>\d{4}))?"),
    re.compile(r"(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})"),
    re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]"),
)
_WEEKDAYS = {
    name: n
    for n, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
}
_WEEKDAY = re.compile(r"^(?:on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )")


def date(text: str) -> tuple[int | None, int, int] | None:
    """(year or None, month, day) of a date in the usual spellings, else None."""
    if len(text) > 60 or not _MAY_BE_DATE.search(text):
        return None
    stripped = (
        " ".join(_DRESSING.sub(" ", _TEXT_COMMAND.sub(" ", text)).split()).strip(" .").lower()
    )
    stripped = _WEEKDAY.sub("", stripped).removeprefix("on ").removeprefix("the ")
    for pattern in _DATES:
        m = pattern.fullmatch(stripped)
        if m:
            month = int(m["m"]) if m["m"].isdigit() else _MONTHS.get(m["m"], 0)
            if 1 <= month <= 12 and 1 <= int(m["d"]) <= 31:
                return (int(m["y"]) if m["y"] else None, month, int(m["d"]))
    return None


def same_date(a: tuple[int | None, int, int], b: tuple[int | None, int, int]) -> bool:
    return a[1:] == b[1:] and (a[0] == b[0] or a[0] is None or b[0] is None)
