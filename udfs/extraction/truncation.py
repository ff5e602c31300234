"""Whether a reply stops before it ends, as one does that reached its token limit."""

from __future__ import annotations

import re

# Only the end of a reply can tell.
TAIL = 1_200
# A short reply without a full stop is a bare answer, not a cut one.
SHORT = 160

_FINISHED = re.compile(
    r"[.!?。！？…:：;)\]}>*`\"'”’$%°】）|#~✓✅\x00-\x1f]\s*$|\\\]\s*$|\\\)\s*$|[\U0001F300-\U0001FAFF]\s*$"
)
_BROKEN = re.compile(
    r"(?:[-+*/=^_,\\(\[{×÷·<≤≥≈&]|\\[A-Za-z]+|\b(?:the|of|and|or|to|is|are|a|an|in|by|with|for|from|that|which|"
    r"since|because|we|so|if|then|be|as|at|on|this|these|her|his|their|its)|，|、|的|是|为)\s*$",
    re.IGNORECASE,
)
# However short the text, these call for more; a bare answer may be "A" or end in the unit "in".
_CALLS_FOR_MORE = re.compile(
    r"(?<![\\A-Za-z])(?:the|of|and|or|but|to|with|for|from|than|into|because|where|who|whose|when|while|until|"
    r"between|which|gives|yields|equals|means|implies|let|using|since|therefore|thus|hence|then|we|if|we\s[a-z]{2,8}|"
    r"(?:would|will|should|must|could)(?:\s(?:have|be|get|need))?)\s*$"
    r"|[=＝÷×＋−]\s*$|(?:即|读|给|共|和|与|把|将|约|需要?|乘以|除以|加上|减去|等于|得到?|于是|那么|因为|所以)\s*$"
)
# A last line that only begins: a word or two of a sentence, the next step.
_OPEN_LINE = re.compile(
    r"(?:The|So|Then|Next|Now|He|She|They|It|We|In|For|If|Each|This)(?:\s[a-z]{1,12})?"
    r"|(?:Next|First|Second|Third),?\s[^.=]{8,}(?<![.!?:。])"
    r"|(?:Step\s\d{1,2}|第.{1,3}步)\s?[:：]"
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}|[一-鿿]")
_SENTENCE_END = re.compile(r"[A-Za-z0-9)$][.!?](?:\s|$)|[。！？]")
_FORMULA = re.compile(
    r"=(?!.*\b(?:and|or|the|of|to|is|are|with|which|where|so|then|that|for)\b)(?!.*,\s[A-Za-z]*$)[^=]{0,60}$"
)


# "Therefore, correct", "QED": fewer words without a full stop are a closing.
MIN_UNFINISHED_WORDS = 3


def is_unfinished(sentence: str) -> bool:
    """Whether the last sentence of a reply goes on beyond its end: words enough, and nothing that closes them."""
    return (
        _FINISHED.search(sentence.rstrip()[-8:]) is None
        and len(_WORD.findall(sentence)) >= MIN_UNFINISHED_WORDS
    )


def is_cut_off(text: str) -> bool:
    """Whether a text breaks off: inside a formula or after a word that calls for more, or, in a reply that
    otherwise closes its sentences, in the middle of one."""
    tail = text[-TAIL:]
    if len(text) > SHORT // 4 and _is_open(text, tail):
        return True
    line = tail.rstrip().rsplit("\n", 1)[-1].strip()
    if len(line) < len(text.strip()) and _OPEN_LINE.fullmatch(line):
        return True
    if _FINISHED.search(tail[-8:]):
        return False
    if _CALLS_FOR_MORE.search(tail[-24:]) or (
        len(text) > SHORT // 4 and _BROKEN.search(tail[-24:])
    ):
        return True
    if len(text) <= SHORT:
        return False
    if len(_WORD.findall(line)) < 4 or not _SENTENCE_END.search(tail[: -len(line)] or tail):
        return False
    # "Total cost = 3 * 5 = 15 dollars" ends many a reply without a full stop; "The total cost is 7,50" none.
    return not _FORMULA.search(line)


def _is_open(text: str, tail: str) -> bool:
    """Whether the end of the text lies inside a displayed formula, an environment or an annotation."""
    has_commands = "\\" in tail
    if has_commands and (
        tail.rfind("\\[") > tail.rfind("\\]") or tail.rfind("\\(") > tail.rfind("\\)")
    ):
        return True
    if tail.rfind("<<") > tail.rfind(">>"):
        return True
    line = tail.rstrip().rsplit("\n", 1)[-1]
    if line.count("{") > line.count("}"):
        return True
    if has_commands:
        begins, ends = tail.count("\\begin{"), tail.count("\\end{")
        if (begins > ends and len(text) <= TAIL) or tail.rfind("\\begin{") > tail.rfind("\\end{"):
            return True
    return len(text) <= TAIL and text.count("$$") % 2 == 1
