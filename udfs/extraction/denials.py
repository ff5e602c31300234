"""What a reply takes back: refusals, denied values, and corrections of an answer it has just given."""

from __future__ import annotations

import re

# "42 is not the answer": what such a sentence holds is no answer, unless it goes on to the right one.
_NO = r"(?:\snot|n['’]t|\snever)"
_CORRECTED = r"(?!.*(?:\bbut\b|[,;.]\s?(?:it['’]s|it\sis|it\sshould|rather)\b))"
_DENIES = re.compile(
    rf"\b(?:is|are|was|were|be){_NO}\s(?:the|a|our|an?)\s(?:\w+\s)?(?:answers?|solutions?|result)\b"
    rf"|\b(?:answers?|solutions?|result)\s(?:(?:is|are|was)(?:\s\w+ly)?{_NO}|"
    rf"(?:cannot|can['’]t|(?:can|could|should|would|must){_NO})\s(?:possibly\s)?be)\s{_CORRECTED}"
    r"|\b(?:is|are|was|were|be)\s(?:also\s|clearly\s|simply\s)?(?:wrong|incorrect|mistaken)\b"
    r"|(?:答案|结果)[^，,。]{0,4}不是(?!.*(?:而是|[，,]\s?是))|(?:是错误?的|不正确|不对)[。.!！\s]*$",
    re.IGNORECASE | re.DOTALL,
)
# "14, but that is wrong"
_RETRACTED = re.compile(
    r"[,;]?\s(?:but|though|however|although|which)\b[^.]{0,40}\b(?:wrong|incorrect|mistaken|not\s(?:right|correct|true))\b",
    re.IGNORECASE,
)
_ANSWERS = r"(?:solve|answer|determine|help|provide|compute|calculate|find|tell|say|know)"
_REFUSES = re.compile(
    rf"\b(?:unable\sto|not\sable\sto|(?:cannot|can\snot|can['’]t|could\snot|couldn['’]t)\s(?:be\s)?{_ANSWERS}(?:d|ed)?|"
    rf"(?:impossible|not\spossible)\sto\s{_ANSWERS}|(?:insufficient|(?:not|n['’]t)\s(?:\w+\s){{0,2}}enough)\s(?:information|data|details)|"
    r"(?:is|are)\s(?:incomplete|missing|not\s(?:specified|given|provided|stated))|gi?ve\sup|"
    r"has\sno\sanswer|could\syou\s(?:please\s)?\w+|please\s(?:provide|check|clarify|specify))\b"
    r"|无法|不能(?:确定|回答|判断|解答)|抱歉|信息不足|条件不足",
    re.IGNORECASE,
)
# "I'm sorry, but …": what follows such a beginning is no answer either.
_REGRETS = re.compile(
    r"\s*(?:(?:i['’]m|i\sam|we['’]re)\s(?:very\s)?sorry|sorry|unfortunately|i\sapologi[sz]e|很?抱歉|对不起)",
    re.IGNORECASE,
)
# Within so many characters of the beginning.
BEGINNING = 200
_TURNS = re.compile(
    r"\b(?:actually|wait|correction|oops|sorry|hold\son|(?:that|this)(?:['’]s|\sis|\swas)\s(?:wrong|incorrect|not\sright)|"
    r"(?:made|my)\s(?:an?\s)?(?:mistake|error))\b|等等|不对|更正|算错|错了",
    re.IGNORECASE,
)
_SAYS_INSTEAD = re.compile(
    r"\b(?:should\s(?:be|have\sbeen)|it['’]s|it\sis|must\sbe)\b|:\s*[-$\\\d]|应该?[是为]|[，,]\s?是",
    re.IGNORECASE,
)
# A reply corrects an answer at once, or reasons on for so long that the sentence rules apply to it.
MAX_CORRECTION = 200


def denies(text: str) -> bool:
    """Whether a sentence says of the value in it that it is not the answer."""
    return _DENIES.search(text) is not None


def is_retracted(phrase: str) -> bool:
    """Whether the phrase behind a mark takes back the answer it gives."""
    return _RETRACTED.search(phrase) is not None


def refuses(text: str) -> bool:
    """Whether a sentence says that there is no answer to be had, or asks for more."""
    return _REFUSES.search(text) is not None


def is_refusal(reply: str) -> bool:
    """Whether a whole reply begins by refusing: "I'm sorry, but I can't solve this"."""
    return _REGRETS.match(reply) is not None and refuses(reply[:BEGINNING])


def corrects(text: str) -> bool:
    """Whether what follows an answer takes it back and says another one."""
    if len(text) > MAX_CORRECTION or not text.strip():
        return False
    turn = _TURNS.search(text)
    return turn is not None and _SAYS_INSTEAD.search(text, turn.start()) is not None
