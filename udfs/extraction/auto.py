"""The general extraction: the last statement of a final answer, else the last sentence."""

from __future__ import annotations

import re
from fractions import Fraction

from udfs.extraction.boxed import last_boxes
from udfs.extraction.choice import choice_letter
from udfs.extraction.circumstances import last_computed
from udfs.extraction.denials import MAX_CORRECTION, corrects, denies, is_refusal, refuses
from udfs.extraction.model import Extraction
from udfs.extraction.statements import NUMBER_WORD, last_statement
from udfs.extraction.text import Sentence, before_next_question, last_sentences, read_reply
from udfs.extraction.truncation import is_cut_off, is_unfinished
from udfs.extraction.values import (
    MAX_TEXT_ANSWER_WORDS,
    has_value,
    is_mathematics,
    last_side,
    trim,
    unwrap,
    value_of,
)

# A reply may end in a courtesy or two; the answer stands in the sentence before them.
MAX_SENTENCES_BACK = 4
# Nearly always the last sentence lies within so little.
NEAR_REACH = 320
# "No solution", "infinitely many": a whole reply of so few words is an answer in words.
MAX_BARE_WORDS = 3
MAX_BARE_CHARS = 40
SENTENCE_REACH = 1_200
# What may follow a statement that ends a reply.
CLOSING = " \t\r\n.。!！$*\\])}>】/answer"

_COURTESY = re.compile(
    r"\b(?:i hope|hope this|hope that|thank|thanks|let me know|feel free|please (?:let|ask|feel)|good luck|"
    r"is there anything|if you have any|happy to help|i apologi[sz]e|correct me|great question|"
    r"you're welcome|congratulations)\b"
    r"|希望|谢谢|如有|如果您",
    re.IGNORECASE,
)
# A conclusion without a value ("so there are infinitely many") is not passed over for a number above it.
_CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|infinite\w*|no solutions?|not exist|impossible|cannot|undefined)\b|因此|所以|无解",
    re.IGNORECASE,
)
# "So there are three possibilities", "There are five ways".
_COUNTS = re.compile(rf"{_CONCLUDES.pattern}|^\W*there\s(?:is|are|were|will\sbe)\b", re.IGNORECASE)
# Several sentences that do not begin with the letter: the last one chooses.
_SEVERAL = re.compile(r"(?!\W{0,4}[A-J]\b).*[a-z]\.\s+\S", re.DOTALL)
_SMALL_LETTER = re.compile(r"\(?[a-j]\)?")
_ARROW = re.compile(r"^\s*(?:=>|->|→|⇒|∴)\s*")
_YES_OR_NO = re.compile(r"(?:yes|no|true|false)\b(?=\s*[,.!;]|$)", re.IGNORECASE)
# Values of expressions, sets and intervals that people write out.
_VALUE_IN_WORDS = re.compile(
    r"\b(?:all\s(?:real\snumbers|reals)|no\s(?:real\s)?solutions?|the\sempty\sset|infinitely\smany\ssolutions?|"
    r"undefined|does\snot\sexist)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def extract_auto(
    response: str | None, form: str | None, takes_last_number: bool, grades_truncated: bool
) -> Extraction:
    """The final answer of a reply.

    takes_last_number: a reply without statement or value in its last sentences yields its last number.
    grades_truncated: a reply that is cut off may still be read by its last sentence.
    """
    if response is None or not response.strip():
        return Extraction(None, "no_reply", False)
    reply = read_reply(response)
    text = reply.text
    if reply.is_open and not grades_truncated:
        return Extraction(None, "truncated", True)
    asked = before_next_question(text)
    if len(asked) < len(text) and last_statement(asked, form).answer is not None:
        text = asked
    statement = last_statement(text, form)
    is_last = statement.answer is not None and not text[statement.end :].strip(CLOSING)
    truncated = reply.is_open or statement.is_cut or (not is_last and is_cut_off(text))
    if statement.answer is not None:
        corrected = None
        if statement.kind == "answer_marker" and corrects(text[statement.end :]):
            (sentence, *_) = last_sentences(text[statement.end :], 1, MAX_CORRECTION)
            corrected = _sentence_value(sentence, form)
        kind = "last_sentence" if corrected else statement.kind
        return Extraction(corrected or statement.answer, kind, truncated)
    if len(response) > len(text):
        box, _, _ = last_boxes(response)  # a box far above the window still is the reply's answer
        if box is not None:
            return Extraction(box, "boxed", truncated)
    if truncated and not grades_truncated:
        return Extraction(None, "truncated", True)
    return _from_sentences(text, form, takes_last_number, truncated)


def _from_sentences(
    text: str, form: str | None, takes_last_number: bool, truncated: bool
) -> Extraction:
    whole = trim(_ARROW.sub("", text))
    if len(whole.split()) <= MAX_TEXT_ANSWER_WORDS and "\n" not in whole:
        if form == "choice" and _SMALL_LETTER.fullmatch(whole):
            return Extraction(whole.strip("().").upper(), "whole_reply", truncated)
        if form == "choice" and choice_letter(whole) and not _SEVERAL.match(whole):
            return Extraction(choice_letter(whole), "whole_reply", truncated)
        if form == "text":
            if word := _YES_OR_NO.match(whole):
                return Extraction(word[0], "whole_reply", truncated)
            if len(whole.split()) > MAX_BARE_WORDS and (said := _text_value(whole)):
                return Extraction(said, "whole_reply", truncated)
            return Extraction(whole, "whole_reply", truncated)
        if is_mathematics(whole) and has_value(whole):
            return Extraction(last_side(unwrap(whole), form), "whole_reply", truncated)
    if form not in ("text", "choice") and is_refusal(text):
        return Extraction(None, "none", truncated)
    for count, reach in ((1, NEAR_REACH), (MAX_SENTENCES_BACK, SENTENCE_REACH)):
        for position, sentence in enumerate(last_sentences(text, count, reach)):
            if form not in ("text", "choice") and refuses(sentence.text):
                return Extraction(None, "none", truncated)
            value = None
            if not _COURTESY.search(sentence.text):
                value = _sentence_value(sentence, form, _computed_before(text, sentence, form))
            if value and value.strip("? "):
                return Extraction(value, "last_sentence", truncated)
            if position == 0 and not takes_last_number and is_unfinished(sentence.text):
                return Extraction(None, "truncated", True)
            if _CONCLUDES.search(sentence.text) and not takes_last_number:
                return Extraction(None, "none", truncated)
    if takes_last_number:
        numbers = _NUMBER.findall(text)
        if numbers:
            return Extraction(numbers[-1].rstrip(","), "last_number", truncated)
    is_bare = len(whole.split()) <= MAX_BARE_WORDS and len(whole) <= MAX_BARE_CHARS
    if whole and is_bare and form not in ("choice", "number", "quantity"):
        return Extraction(whole, "whole_reply", truncated)
    return Extraction(None, "none", truncated)


def _computed_before(text: str, sentence: Sentence, form: str | None) -> Fraction | None:
    """What was last computed above a sentence, for the forms in which that can be the answer."""
    if form not in ("number", "quantity") or "=" not in text or "=" in sentence.text:
        return None
    at = text.rfind(sentence.text)
    return last_computed(text[max(0, at - SENTENCE_REACH) : at]) if at > 0 else None


def _sentence_value(
    sentence: Sentence, form: str | None, computed: Fraction | None = None
) -> str | None:
    if denies(sentence.text) or sentence.text.rstrip().endswith(("?", "？")):
        return None
    if form == "choice":
        return choice_letter(sentence.text)
    if form == "text" and not has_value(sentence.masked):
        return _text_value(sentence.text)
    if has_value(sentence.masked):
        return value_of(sentence, form, computed=computed)
    if form not in ("number", "quantity") and (said := _VALUE_IN_WORDS.search(sentence.text)):
        return said[0]
    if form == "number" and _COUNTS.search(sentence.text):
        words = NUMBER_WORD.findall(sentence.text)
        return words[0] if len(words) == 1 else None
    return None


_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|has|have|falls?\son|on(?=\s+\w+day\b))\s+(?:an?\s+|the\s+)?(?!.*\b(?:is|are|was|were|be)\b)|[是为]",
    re.IGNORECASE,
)


# "a hyperbola, not an ellipse"
_CONTRAST = re.compile(r",\s(?:and\s)?not\s", re.IGNORECASE)


def _text_value(sentence: str) -> str | None:
    """What a sentence says of its subject: its words behind the last "is"."""
    verb = list(_COPULA.finditer(sentence))
    value = trim(_CONTRAST.split(sentence[verb[-1].end() :])[0]) if verb else ""
    return value if value and len(value.split()) <= MAX_TEXT_ANSWER_WORDS else None
