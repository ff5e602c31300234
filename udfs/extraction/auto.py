"""The general extraction: the last statement of a final answer, else the last sentence."""

from __future__ import annotations

import re

from udfs.extraction.boxed import last_boxes
from udfs.extraction.choice import choice_letter
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
# Several sentences that do not begin with the letter: the last one chooses.
_SEVERAL = re.compile(r"(?!\W{0,4}[A-J]\b).*[a-z]\.\s+\S", re.DOTALL)
_SMALL_LETTER = re.compile(r"\(?[a-j]\)?")
_YES_OR_NO = re.compile(r"(?:yes|no|true|false)\b(?=\s*[,.!;]|$)", re.IGNORECASE)
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
        return Extraction(statement.answer, statement.kind, truncated)
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
    whole = trim(text)
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
    for count, reach in ((1, NEAR_REACH), (MAX_SENTENCES_BACK, SENTENCE_REACH)):
        for position, sentence in enumerate(last_sentences(text, count, reach)):
            value = None if _COURTESY.search(sentence.text) else _sentence_value(sentence, form)
            if value:
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


# "42 is not the answer": what such a sentence holds is no answer, unless it goes on to the right one.
_DENIES = re.compile(
    r"\b(?:is|are|was|were|be)(?:\snot|n['’]t)\s(?:the|a|our|an?)\s(?:\w+\s)?(?:answers?|solutions?|result)\b"
    r"|\b(?:answers?|solutions?|result)\s(?:(?:is|are|was)(?:\snot|n['’]t)|cannot\sbe|can['’]t\sbe)\s"
    r"(?!.*\bbut\b)|(?:答案|结果)不是(?!.*而是)",
    re.IGNORECASE | re.DOTALL,
)


def _sentence_value(sentence: Sentence, form: str | None) -> str | None:
    if _DENIES.search(sentence.text):
        return None
    if form == "choice":
        return choice_letter(sentence.text)
    if form == "text" and not has_value(sentence.masked):
        return _text_value(sentence.text)
    if has_value(sentence.masked):
        return value_of(sentence, form)
    if form == "number" and _CONCLUDES.search(sentence.text):
        words = NUMBER_WORD.findall(sentence.text)  # "so there are three possibilities"
        return words[0] if len(words) == 1 else None
    return None


_COPULA = re.compile(
    r"\b(?:is|are|was|were|be|falls?\son)\s+(?:an?\s+|the\s+)?(?!.*\b(?:is|are|was|were|be)\b)|[是为]",
    re.IGNORECASE,
)


def _text_value(sentence: str) -> str | None:
    """What a sentence says of its subject: its words behind the last "is"."""
    verb = list(_COPULA.finditer(sentence))
    value = trim(sentence[verb[-1].end() :]) if verb else ""
    return value if value and len(value.split()) <= MAX_TEXT_ANSWER_WORDS else None
