"""Statements of a final answer: the marks by which a reply says "this is my answer".

`\\boxed{}`, `#### 5`, `Answer: 5`, `The final answer is 5`, `<answer>5</answer>`, `【5】`, `答案是5`, `A: 5`, … The
last statement that holds a value for the form of the gold wins over all before it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from udfs.extraction.boxed import last_boxes
from udfs.extraction.choice import choice_letter
from udfs.extraction.denials import is_retracted
from udfs.extraction.text import sentence_of
from udfs.extraction.values import (
    MAX_ANSWER,
    MAX_TEXT_ANSWER_WORDS,
    PARENTHESIS,
    has_value,
    is_mathematics,
    last_side,
    said_twice,
    trim,
    unwrap,
    value_of,
)

# So many statements are tried from the end; a reply that makes more without a value repeats itself.
MAX_STATEMENTS = 24

_ANSWER = re.compile(
    # "Answer: 5", "**Final Answer:** 5", '"answer": "5"', "Answer \\[ 5 \\]", "答案：5"
    r"(?P<colon>(?:answers?|réponse|respuesta|resposta|risposta|antwort|ответ|答え|答案|答)[】\"'*_)\]]{0,4}\s{0,3}"
    r"(?:[:：=][*_\"']{0,4}|[*_]{2}\s*\n|(?=\s*(?:\\[\[(]|\$))|(?<=】)))"
    # "the answer is 5", "answer to the question would be: 5", "答案为5"
    r"|answers?\b(?:\s(?:to|for|of)\s(?![$\\\d-])[^.\n:=]{1,80}?|\s\([^()\n]{1,30}\))?[*_\"']{0,3}\s"
    r"(?:is|are|was|would be|should be|will be|must be|comes out to|equals|of(?=\s[$\\\d-]))\b[*_]{0,3}\s?:?"
    r"|(?:答案|结果)(?:应该|应)?[是为]\s?[:：]?",
    re.IGNORECASE,
)
# "Let us check our answer: …" states none.
_MENTION = re.compile(
    r"\b(?:check|verif|confirm|compar|round|simplify|express|writ|leav|explain|match)\w*\s"
    r"(?:(?:our|the|my|your|this|that|final|correct)\s)*\**$",
    re.IGNORECASE,
)
_HASHES = re.compile(
    r"(?<![\#\w])####(?!\#*\s*(?:step|part|case|solution|explanation|conclusion|final)\b)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"【(?=(?:(?!答案|最终答案)[^【】\n]){1,200}】)")
_OPTION = re.compile(
    r"(?:(?<=correct )|(?<=right )|(?<=best ))(?:option|choice)\s(?:is|would be)\b:?"
    r"|selection\sis\b|option\sis\b"
    r"|(?<!不)选(?:择|项)?[是为]?[:：]?(?=\s{0,2}[(（【]?[A-J])",
    re.IGNORECASE,
)
_ANSWER_LINE = re.compile(r"A:(?=[^\n]+\s*$)")

# What every mark begins with, found by plain search, and the pattern that reads the mark there.
_ASCII_TRIGGERS = (
    ("answer", _ANSWER, "answer_marker"),
    ("Answer", _ANSWER, "answer_marker"),
    ("ANSWER", _ANSWER, "answer_marker"),
    ("ntwort", _ANSWER, "answer_marker"),
    ("espuesta", _ANSWER, "answer_marker"),
    ("####", _HASHES, "hashes"),
    ("option", _OPTION, "answer_marker"),
    ("choice", _OPTION, "answer_marker"),
    ("selection", _OPTION, "answer_marker"),
)
_TRIGGERS = (
    *_ASCII_TRIGGERS,
    *(
        (word, _ANSWER, "answer_marker")
        for word in ("éponse", "твет", "答え", "答案", "结果", "答：", "答:")
    ),
    ("【", _BRACKET, "bracket"),
    ("选", _OPTION, "answer_marker"),
)


class Mark(NamedTuple):
    """One mark of a final answer: where it starts, where what it marks begins, and its kind."""

    start: int
    end: int
    kind: str


def _marks(text: str, begin: int, form: str | None) -> list[Mark]:
    """The last marks of a text from a position on, the last one first."""
    found = []
    for word, pattern, kind in _ASCII_TRIGGERS if text.isascii() else _TRIGGERS:
        stop = len(text)
        for _ in range(MAX_STATEMENTS):
            at = text.rfind(word, begin, stop)
            if at < 0:
                break
            stop = at
            # A capital that differs between languages' spellings is left out of the word.
            match = pattern.match(text, at) or (pattern.match(text, at - 1) if at > 0 else None)
            if match and not _MENTION.search(text, max(0, at - 28), at):
                found.append(Mark(at, match.end(), kind))
            elif text[max(0, at - 1) : at + 7].lower() == "<answer>":
                found.append(Mark(at, at + len("answer>"), "answer_tag"))
    # For a choice letter "A: 3" is the first of the choices.
    line = text.rfind("\nA:", begin) if form != "choice" else -2
    at = line + 1 if line >= 0 else (0 if line == -1 and begin == 0 and text[:2] == "A:" else -1)
    match = _ANSWER_LINE.match(text, at) if at >= 0 else None
    if match:
        found.append(Mark(at, match.end(), "answer_line"))
    found.sort(key=lambda mark: (-mark.start, -mark.end))
    return found[:MAX_STATEMENTS]


_NOTHING = re.compile(
    r"(?:none|null|n/?a|nan|unknown|(?:\w+ly\s)?(?:not|never)\b.*|\?+|\[.{0,20}\]|\.{2,})",
    re.IGNORECASE | re.DOTALL,
)
NUMBER_WORD = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|half|third|quarter|infinit\w+|undefined|"
    r"no solutions?)\b",
    re.IGNORECASE,
)
_CLOSING_TAG = re.compile(r"</?answer>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,12}>", re.IGNORECASE)
_FIRST_SENTENCE = re.compile(r"[.!?][\"')*]{0,3}(?:\s+(?=[A-Z\"'(*一-鿿])|\s*$)|[。！？]|\n\s*\n")
_LEADING_IS = re.compile(
    r"^\s*(?:[=:：是为]|(?:[Ii]s|[Aa]re|simply|therefore|thus|that|[Tt]he|an?|as follows)\b)\s*[:：]?"
)


_NEGATIVE = re.compile(r"^(?:negative|minus)\s(?=[\d.])", re.IGNORECASE)


_NUMBERS = ("number", "quantity")
# A bound or a comparison is not the number in it.
_COMPARED = re.compile(
    r"(?:(?:greater|less|more|fewer|larger|smaller)\sthan|at\s(?:least|most)|between)\b"
    r"|\S+\s(?:more|less|fewer|greater|times)\b.{0,60}\bthan\s\$?\d",
    re.IGNORECASE,
)
# "not 42, but 44" says 44.
_NOT_BUT = re.compile(
    r"^not\s[^,;]{1,60}[,;]?\s(?:but|rather|it['’]s|it\sis|it\sshould\sbe)\s(?:rather\s)?",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """What a text states as its final answer.

    answer: None where it states none. kind: of the mark, 'none' without one. end: where the statement ends.
    is_cut: the text breaks off within its last statement.
    """

    answer: str | None
    kind: str
    end: int
    is_cut: bool


def last_statement(text: str, form: str | None) -> Statement:
    """The last statement of a text that holds a value for an answer of this form."""
    box, box_end, box_is_cut = last_boxes(text)
    for position, mark in enumerate(_marks(text, box_end, form)):
        answer, end, is_cut = _payload(text, mark, form, after_box=box is not None)
        if answer is not None:
            return Statement(answer, mark.kind, end, False)
        if is_cut and position == 0 and box is None:
            return Statement(None, mark.kind, len(text), True)
    if box is not None:
        return Statement(_boxed(box, form), "boxed", box_end, False)
    return Statement(None, "none", len(text), box_is_cut)


def _boxed(box: str, form: str | None) -> str:
    if form == "choice":
        return choice_letter(box) or box
    return last_side(box, form)


def _payload(
    text: str, mark: Mark, form: str | None, after_box: bool
) -> tuple[str | None, int, bool]:
    """The value of what follows a mark, where that ends, and whether the text breaks off within it."""
    rest = text[mark.end : mark.end + 4 * MAX_ANSWER]
    if mark.kind == "bracket":
        inner = rest.split("】", 1)[0]
        holds_answer = has_value(inner) or (form == "choice" and choice_letter(inner))
        return _value(inner, form) if holds_answer else None, mark.end + len(inner) + 1, False
    if mark.kind == "answer_tag":
        inner = _CLOSING_TAG.split(rest, maxsplit=1)[0]
        return _value(inner, form), mark.end + len(inner) + len("</answer>"), False
    if mark.kind in ("hashes", "answer_line"):
        lead = len(rest) - len(rest.lstrip())
        line = rest[lead:].split("\n", 1)[0]
        # A heading of that depth holds words; a text answer may too, but not below a box.
        holds_answer = has_value(line) or (form in ("text", "choice") and not after_box)
        answer = _value(line, form) if holds_answer else None
        return answer, mark.end + lead + len(line), False
    phrase, is_cut = _phrase(rest)
    if is_cut:
        return None, len(text), True
    end = mark.end + rest.find(phrase) + len(phrase)
    if after_box and not has_value(phrase) and not (form == "choice" and choice_letter(phrase)):
        return None, end, False
    return _value(phrase, form), end, False


def _phrase(rest: str) -> tuple[str, bool]:
    """What an "answer is" says: a displayed formula, or the sentence it stands in; and whether it is cut off."""
    body = rest.lstrip(" \t*_:：\n\"'")
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)")):
        if body.startswith(opening):
            end = body.find(closing, len(opening))
            if end < 0:
                return body, True
            after = body[end + 2 :].lstrip()
            if opening != "\\(" or not after or after[0] in ".。\n":
                return body[: end + 2], False
    sentence = sentence_of(body)
    stop = _FIRST_SENTENCE.search(sentence.masked)
    if stop is None and "\n" in sentence.masked:
        line = sentence.masked.split("\n", 1)[0]
        if line.strip() and not line.rstrip().endswith((":", "：", ",")):
            return body[: len(line)], False
    phrase = body[: stop.start() + 1] if stop else body
    line = sentence.masked[: len(phrase)].split("\n", 1)[0]
    if line.strip() and not line.rstrip().endswith((":", "：", ",", "=")):
        phrase = phrase[: len(line)]
    is_open = phrase.count("\\left") != phrase.count("\\right") or phrase.count("{") > phrase.count(
        "}"
    )
    return phrase, stop is None and is_open


def _value(phrase: str, form: str | None) -> str | None:
    """The answer that a phrase behind a mark states, None where it is not one."""
    if is_retracted(phrase):
        return None
    text = trim(_TAG.sub(" ", phrase))
    while form != "choice" and len(text) > 1 and (leading := _LEADING_IS.match(text)):
        text = trim(text[leading.end() :])
    text = _NEGATIVE.sub("-", _NOT_BUT.sub("", text))
    text = text.removesuffix("}") if text.count("}") > text.count("{") else text
    text = trim(text)
    if not any(c.isalnum() or c == "\\" for c in text) or _NOTHING.fullmatch(text):
        return None
    if form == "choice":
        return choice_letter(text) or (text if len(text) <= MAX_ANSWER else None)
    text = said_twice(trim(PARENTHESIS.sub("", text)) or text)
    if form in _NUMBERS and _COMPARED.match(text):
        return text if len(text.split()) <= MAX_TEXT_ANSWER_WORDS else None
    if is_mathematics(text):
        return last_side(unwrap(text), form) if len(text) <= MAX_ANSWER else None
    if form == "text":
        return text if len(text.split()) <= MAX_TEXT_ANSWER_WORDS else None
    if form == "list" and len(text) <= MAX_ANSWER and _names_values(text):
        return text
    value = value_of(sentence_of(text), form, leads=True)
    if value is not None:
        return value
    if form in ("number", "quantity") and not NUMBER_WORD.search(text):
        return None
    return text if len(text.split()) <= MAX_TEXT_ANSWER_WORDS else None


def _names_values(text: str) -> bool:
    """Whether a phrase with words is a list with named members: "Minimum: 1, Maximum: 3"."""
    return text.count(":") + text.count("=") >= 2
