"""What a reply says to its reader, in pieces: without its thinking, in sentences, with its mathematics marked.

Everything here reads at most `WINDOW` characters from the end of a reply and is linear in them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

# A final answer stands at the end. 12,000 characters are some three pages: more than any verification that
# a model writes below its answer, and a bound on the work one hostile reply can cause.
WINDOW = 12_000

# The longest formula that is read as one inline span; a `$` that is not closed by then was a currency sign.
MAX_SPAN = 1_500

_TURN_TOKEN = re.compile(
    r"<\|(?:im_end|im_start|eot_id|endoftext|end_of_text|end|user|start_header_id)\|>"
    r"|</s>|<end_of_turn>|<｜end▁of▁sentence｜>|\[/?INST\]"
)
_TOKEN_MARKS = ("|>", "</s>", "<end_of", "<｜end", "INST]")
_LEADING_TOKENS = re.compile(r"\s*(?:<\|[a-z_]{1,20}\|>(?:assistant)?\s*|<s>\s*)+")

# What a base model writes after its answer: the next question of its prompt's examples.
_NEXT_QUESTION = re.compile(r"\n\s*\n(?:Question|Q|Problem|Human|User|Instruction)\s?\d{0,3}\s?:")

_DISPLAY = re.compile(
    rf"\$\$(.{{1,{MAX_SPAN}}}?)\$\$|\\\[(.{{1,{MAX_SPAN}}}?)\\\]|\\\((.{{1,{MAX_SPAN}}}?)\\\)"
    # Inline dollars hug their formula; `$5 and $6` does not, nor does a sum of prices.
    rf"|(?<![\\$\d])\$(?=[^\s$])([^$\n]{{0,{MAX_SPAN}}}?(?<=[^\s$\\]))\$(?![\d$])"
    # With blanks inside, only a LaTeX command tells a formula from two prices.
    rf"|(?<![\\$\d])\$ ([^$\n]{{0,{MAX_SPAN}}}?\\[A-Za-z]{{2}}[^$\n]{{0,{MAX_SPAN}}}?) \$(?![\d$])",
    re.DOTALL,
)
# Two words in a row inside dollars are prose between two prices.
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,20}\s[A-Za-z]{2,20}\b")

_BOUNDARY = re.compile(
    r"(?:[.!?]+[\"')*_\]]{0,4}\s+(?=[A-Z0-9$\\(*_\"'\[【一-鿿\x00])|[。！？；]+[\"”*]{0,3}\s*|\n\s*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|approx|no|vs|cf|Dr|Mr|Mrs|Ms|St|Eq|Fig)|^\s*\d{1,2})\.\s*$"
)

# A line that ends so goes on in the next one.
_CONTINUED = (":", "：", "=", ",", " is", "为", "是")

# A calculator annotation of GSM8K's solutions: the value it computes follows it.
_ANNOTATION = re.compile(r"<<[^<>\n]{0,200}>>")


class Reply(NamedTuple):
    """The part of a reply that is addressed to the reader.

    text: at most WINDOW characters from its end. is_open: it stops inside its thinking.
    """

    text: str
    is_open: bool


def read_reply(response: str) -> Reply:
    """The visible end of a response: without thinking, chat tokens and questions made up afterwards."""
    closed = response.rfind("</think>")
    if closed >= 0:
        visible = response[closed + len("</think>") :]
        if not visible.strip():  # it answered while thinking, and then stopped
            visible = response[:closed]
        is_open = False
    else:
        visible = response
        is_open = "<think>" in response and response.lstrip().startswith("<think>")
    text = visible[-WINDOW:]
    if ("<" in text or "]" in text) and any(mark in text for mark in _TOKEN_MARKS):
        leading = _LEADING_TOKENS.match(text)
        text = text[leading.end() :] if leading else text
        turn = _TURN_TOKEN.search(text)
        text = text[: turn.start()] if turn and text[: turn.start()].strip() else text
    if "<<" in text:
        text = _ANNOTATION.sub("", text)
    return Reply(text.rstrip(), is_open)


def before_next_question(text: str) -> str:
    """The text up to the point where the reply starts to ask questions of its own."""
    following = _NEXT_QUESTION.search(text)
    return text[: following.start()] if following else text


def math_spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and content of each formula between dollars or `\\( \\)`, `\\[ \\]`."""
    if "$" not in text and "\\[" not in text and "\\(" not in text:
        return []
    spans = []
    for match in _DISPLAY.finditer(text):
        content = next(group for group in match.groups() if group is not None)
        inline = match.group().count("$") == 2
        if not (inline and _PROSE.search(content)):
            spans.append((match.start(), match.end(), content))
    return spans


def mask_math(text: str, spans: list[tuple[int, int, str]]) -> str:
    """The text with every formula blanked out, all positions unchanged; a full stop inside ends the sentence."""
    pieces, at = [], 0
    for start, end, content in spans:
        stop = "." if content.rstrip().endswith(".") else "\x00"
        pieces += [text[at:start], "\x00" * (end - start - 1), stop]
        at = end
    return "".join(pieces) + text[at:]


class Sentence(NamedTuple):
    """One sentence with its formulas: spans hold positions within the sentence."""

    text: str
    masked: str
    spans: list[tuple[int, int, str]]


def sentence_of(text: str) -> Sentence:
    """A whole text as one sentence."""
    spans = math_spans(text)
    return Sentence(text, mask_math(text, spans), spans)


def last_sentences(text: str, count: int, reach: int) -> list[Sentence]:
    """The last `count` sentences of a text, the last one first, that begin in its last `reach` characters.

    A line ends a sentence, except after a colon and before a displayed formula, which continue it.
    """
    start = max(0, len(text) - reach)
    if start:  # a line's beginning lies outside every inline formula
        start = text.rfind("\n", max(0, start - reach), start) + 1
    tail = text[start:]
    spans = math_spans(tail)
    masked = mask_math(tail, spans) if spans else tail
    cuts = [] if start else [0]
    for match in _BOUNDARY.finditer(masked):
        at, end = match.span()
        if "\n" in match.group():
            before = masked[max(0, at - 3) : at + 1].rstrip()
            if before.endswith(_CONTINUED) or (
                masked[end : end + 1] == "\x00" and before[-1:].isalpha()
            ):
                continue
        elif _ABBREVIATION.search(masked[max(0, at - 8) : end]):
            continue
        cuts.append(end)
    cuts.append(len(tail))
    starts = [span[0] for span in spans]
    sentences = []
    for left, right in zip(reversed(cuts[:-1]), reversed(cuts[1:]), strict=True):
        if tail[left:right].strip():
            inside = spans[bisect_right(starts, left - 1) : bisect_right(starts, right - 1)]
            sentences.append(
                Sentence(
                    tail[left:right],
                    masked[left:right],
                    [(a - left, b - left, content) for a, b, content in inside],
                )
            )
        if len(sentences) == count:
            break
    return sentences
