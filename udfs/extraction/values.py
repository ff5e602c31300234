"""The value that a phrase or a sentence states.

A phrase that is all mathematics is the value itself. In prose the value stands behind the last equals sign,
else behind the last "is", "are", "to be", … that anything follows; without those it is the number that no
preposition makes a circumstance ("360 peaches in 3 hours").
"""

from __future__ import annotations

import re
from fractions import Fraction

from udfs.extraction.choice import choice_letter
from udfs.extraction.circumstances import is_circumstance, the_answer
from udfs.extraction.text import Sentence, sentence_of

# An answer that takes more room than this is a solution, not an answer.
MAX_ANSWER = 1_000
MAX_TEXT_ANSWER_WORDS = 12

# Two numbers that are said to be one ("2/3 or 0.667") differ by the rounding of three digits at most.
ROUNDING = 0.002

NUMBER = (
    r"(?<![A-Za-z0-9_.])(?:(?:(?<![A-Za-z0-9_)])[-−–+]\s?)?\\?[$€£¥₹]?\s?|\\?[$€£¥₹]\s?[-−]\s?)"
    r"(?:\d{1,3}(?:(?:,|\{,\}|,\\!|\\,|[\u2009\u202f\u00a0])\d{3})+(?!\d)|\d+(?=[^\d])|\d+$)"
    r"(?:\.\d+)?(?:[eE][-+]?\d{1,4}\b)?(?:\^\{?-?\d{1,4}\}?)?"
    r"(?:\s?(?:x|×|\*|\\times|\\cdot)\s?10\s?\^\s?\{?-?\d{1,4}\}?)?"
    r"(?:\s?√\s?\(?\d+\)?)?"
    r"(?:\s?/\s?\d+(?:\.\d+)?|\s\d+/\d+|[¼½¾⅓⅔]|:\d+(?::\d+)?(?:\s?[ap]\.?m\b)?)?"
    r"(?:\s?\\?%|(?:st|nd|rd|th)\b|!+(?=\s[a-z]))?"
)
_NUMBER = re.compile(NUMBER + r"|-?√\s?\(?\d+\)?(?:/\d+)?|(?<![\w.])-?\.\d+%?|[¼½¾⅓⅔]")
_LEADING_VALUE = re.compile(r"\s*(?:\x00|" + NUMBER + ")")
# "40的一半" does not begin with its value, but with what it is the half of.
_POSSESSIVE = re.compile(r"\s?(?:[一-鿿]{1,3})?的[一-鿿]")
_ENUMERATOR = re.compile(r"\s*(?:(?:Step|Case|Part)\s\d{1,2}\s?[:.]|\(?\d{1,2}[).]\s+(?=\x00))")
_UNIT = (
    r"(?:hours?|hrs?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|pounds?|ounces?|"
    r"dollars?|cents?|小时|分钟|分|秒|天|元|角|米|厘米)"
)
# "2 hours and 30 minutes" is one quantity.
_COMPOUND = re.compile(rf"\d+\s?{_UNIT}(?:\s?,?\s?(?:and\s)?\d+\s?{_UNIT})+", re.IGNORECASE)
# The unit behind a number, where the gold has one: the next word, unless it is a word of the sentence.
_NEXT_UNIT = re.compile(
    r"\s?(?!(?:in|of|for|and|or|to|per|at|on|by|with|from|than|after|more|left|each)\b)"
    r"(?:[A-Za-z°µ]{1,12}(?:[/^·]-?\w{1,6})*|[一-鿿]{1,3})",
)
_MAGNITUDE = re.compile(
    r"\s?(?:thousand|million|billion|trillion|dozen|hundred|percent|per cent|degrees)\b|\sand\sa\shalf\b|万|亿",
    re.I,
)
# \x00 stands where a formula was blanked out.
_WITHOUT_SIDES = ("number", "quantity", "choice", "expression")
_VALUE = re.compile(r"[\d\x00\\$]")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_TUPLE = re.compile(r"[-−]?[(\[{][^()\[\]{}\n]{0,80}[,;][^()\[\]{}\n]{0,80}[)\]}]")

_WORD = re.compile(
    r"(?<![\\A-Za-z])[A-Za-zÀ-ÿ]{3,}|(?<![\\A-Za-z])(?:[Ii]s|[Oo]f|[Tt]o|[Ii]n|[Aa]t|[Bb]y|[Ss]o|or|[Ii]f|[Ww]e|[Hh]e|[Ii]t|[Aa]n|[Aa]s|[Oo]n|[Nn]o)\b|[一-鿿]"
)
_FUNCTION = re.compile(
    r"\b(?:sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|exp|sqrt|frac|pi|inf|infty|infinity|"
    r"max|min|gcd|lcm|mod|abs|det|and|or|undefined)\b"
)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mbox|operatorname)\s*\{[^{}]{0,200}\}")
_LATEX_NAME = re.compile(r"\\[A-Za-z]+")

_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|equals?|becomes?|gives?|yields?|get|gets|obtain|totals?|makes?|"
    r"rounds?(?:\s(?:up|down|off))?\sto|(?:simplifies|reduces|evaluates|comes)\sto)\b"
    r"(?:\s(?:us|you|him|her|them)\b)?"
    r"(?:\s*:|\s+(?:equal to|exactly|approximately|about|only|given by|now|simply|just)\b)?"
    r"|\btotal of\b|\bequal to\b|[是为：共得]|等于|需要|剩下?|还有|：|: ",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(.*?)\s(?:is|are)\s(?:the|our|your|an?)\s(?:\w+\s)?(?:answers?|solutions?|result)\b",
    re.I | re.S,
)
_EQUALS = re.compile(r"(?<![<>!:])(?:=|≈|\\approx|\\Rightarrow|⇒|→)")
# "x = 7 or x = -7", "x = 2 and y = 5": several equations are one answer, unless the gold is a single value.
_EQUATION = r"[A-Za-z]\w?\s?=\s?[-−+]?[\w./√^()]{1,20}"
_SERIES = re.compile(
    rf"(?<![\w\\]){_EQUATION}(?:\s?(?:,|;)?\s?(?:and|or|和|或)?\s{_EQUATION}){{1,5}}(?=[\s.,;。]|$)"
)
_SINGLE_VALUES = ("number", "quantity", "choice", "text")
# Forms of a gold that may be several named values.
_POINTS = ("list", "equation")
_LETTER = re.compile(r"\\?[A-Za-z]\w*")
# What stands behind these says the result again, or draws it.
_CONCLUSION = re.compile(
    r"[,;]?\s(?:so(?!\sthat|\smany|\smuch)|thus|hence|therefore|meaning|"
    r"which(?:\swe)?\s(?:is|are|gives?|equals?|means|simplifies|can\sbe|can|rounds|reduces|evaluates)"
    r"(?!\s(?:the|a|an|one|why|what|less|greater|more|not|at|in|on)\b"
    r"|\s[^.]{1,30}?\b(?:fewer|less|more|greater|larger|smaller)\sthan\b))\b,?\s?"
    # "not 14 but 15", "isn't 14; it's 15"
    r"|(?:\bnot|n['’]t)\s[^,;]{1,40}?[,;.]?\s(?:but(?:\srather)?|rather|it['’]s|it\sis)\s|不是[^，,。]{1,20}[，,]?而?是"
    r"|[,;]\s(?:i\.e\.|that is,),?\s|[,，]\s?(?:即|也就是|所以|因此)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[,;，；]\s*(?:(?:(?:and\s)?not(?!\s(?:only|just))|since|as|where|which|so that|given that|due to)\b"
    r"|由于|因为|而?不是)|\s(?-i:because|since)\b",
    re.IGNORECASE,
)
# "Since 50/7 = 7.14, we can buy 7": the main clause states the value.
_LEADING_REASON = re.compile(
    r"\s*(?:so\s|and\s)?(?:since|as|because|given\sthat)\s[^,]{1,160},\s", re.IGNORECASE
)
# "there are 3: 2, 5 and 7" counts, and then lists what it counted.
_LISTING = re.compile(r"(?<=\d):\s+(?=\S)")
_BOLD = re.compile(r"\*\*([^*\n]{1,300}?)\*\*|\\(?:textbf|mathbf)\{([^{}\n]{1,200})\}")
# A closing remark in brackets: "18 dollars (from 16 eggs)", "8 (i.e. 2^3)".
PARENTHESIS = re.compile(
    r"\s*[(（](?=[^()（）\\]{0,200}(?:[A-Za-z]{3}|[一-鿿]{2}|i\.e|e\.g))[^()（）\\]{0,200}[)）][\s.。$]*$"
)
_TRIM_RIGHT = " \t\r\n.。,，;；:：*_`\"“”'‘’!！?？~"
_TRIM_RIGHT_OF_FACTORIAL = _TRIM_RIGHT.replace("!", "")
_FACTORIAL = re.compile(r"[\d)}]!+$")
_APPOSITION = re.compile(r",\s*or\s+")
# What ends a line or a block of aligned equations.
_LINE_END = re.compile(
    r"\s*(?:\\\\|\\end\{(?:aligned|align\*?|gathered|gather\*?|split|equation\*?)\}|\s)+$"
)
_ALTERNATIVES = re.compile(r"([^,]{1,60}?)(,?)\s+or\s+([^,]{1,60})")
_PLAIN = re.compile(r"(-?\d{1,15}(?:\.\d{1,15})?)(?:/(\d{1,15}))?\s?(%)?")
_JOINED = re.compile(r"\s*(?:,|and|or|和|或|、|&)\s*(?:and\s+|or\s+)?")


_PICTOGRAPHS = re.compile("[\\s\u2713\u2714\u2705\u2611\ufe0f\U0001f300-\U0001faff]+$")


def trim(text: str) -> str:
    """Without markdown, quotes, closing punctuation and ticks around it, brackets and factorials kept."""
    text = text if text.isascii() else _PICTOGRAPHS.sub("", text)
    stripped = text.strip().lstrip("*_`>\"“”'‘ \t\r\n:：,，;")
    ends_in_factorial = stripped.endswith("!") and _FACTORIAL.search(stripped) is not None
    stripped = stripped.rstrip(_TRIM_RIGHT_OF_FACTORIAL if ends_in_factorial else _TRIM_RIGHT)
    return stripped.strip()


def is_mathematics(text: str) -> bool:
    """Whether a phrase holds no prose: names of functions, single letters and LaTeX commands are none."""
    bare = _LATEX_NAME.sub(" ", _LATEX_TEXT.sub(" ", text)) if "\\" in text else text
    return _WORD.search(_FUNCTION.sub(" ", bare)) is None


def has_value(text: str) -> bool:
    """Whether a phrase could hold a mathematical value at all."""
    return _VALUE.search(text) is not None


def unwrap(text: str) -> str:
    """A phrase that is one formula, or a formula with closing words, without its delimiters."""
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) * 2:
            inner = text[len(opening) : -len(closing)]
            if opening not in inner and closing not in inner:
                return inner.strip()
    return text


def value_of(
    sentence: Sentence, form: str | None, leads: bool = False, computed: Fraction | None = None
) -> str | None:
    """The value that a sentence states for an answer of this form, None where it states none.

    leads: the sentence stands behind a mark, so that a value it begins with is the answer. computed: the result of the
    last computation before it.
    """
    if form == "choice":
        letter = choice_letter(sentence.text)
        if letter:
            return letter
    if len(sentence.text) > MAX_ANSWER * 3:
        return None
    enumerator = _ENUMERATOR.match(sentence.masked)
    if enumerator:
        sentence = _part(sentence, enumerator.end(), len(sentence.text))
    leading = _LEADING_VALUE.match(sentence.masked) if leads else None
    if (
        leading
        and not _EQUALS.search(sentence.masked)
        and not _POSSESSIVE.match(sentence.masked, leading.end())
    ):
        value = _pick((sentence, True), form)
    else:
        value = _pick(_narrow(sentence, form), form, computed)
    return value if value and len(value) <= MAX_ANSWER else None


def _narrow(sentence: Sentence, form: str | None = None) -> tuple[Sentence, bool]:
    """The part of a sentence that states its value, and whether it begins with the value."""
    text, masked = sentence.text, sentence.masked
    for match in reversed(list(_BOLD.finditer(text))):
        inner = match[1] or match[2]
        if has_value(inner) and match.end() >= len(text) * 0.4:
            return sentence_of(inner), True
    conclusions = [m for m in _CONCLUSION.finditer(masked) if has_value(masked[m.end() :])]
    if conclusions:
        sentence = _part(sentence, conclusions[-1].end(), len(text))
        text, masked = sentence.text, sentence.masked
    lead = _LEADING_REASON.match(masked)
    if lead and has_value(masked[lead.end() :]):
        sentence = _part(sentence, lead.end(), len(text))
        text, masked = sentence.text, sentence.masked
    listing = _LISTING.search(masked) if form in ("number", "quantity") else None
    if listing and len(_NUMBER.findall(masked, listing.end())) > 1:
        sentence = _part(sentence, 0, listing.start())
        text, masked = sentence.text, sentence.masked
    reason = _REASON.search(masked)
    if reason and has_value(masked[: reason.start()]):
        sentence = _part(sentence, 0, reason.start())
        text, masked = sentence.text, sentence.masked
    remark = PARENTHESIS.search(masked)
    if remark and has_value(masked[: remark.start()]):
        sentence = _part(sentence, 0, remark.start())
        text, masked = sentence.text, sentence.masked
    subject = _SUBJECT.match(masked)
    if subject and has_value(subject[1]):
        return _part(sentence, 0, subject.end(1)), False
    series = _SERIES.search(masked) if form not in _SINGLE_VALUES else None
    if series and not has_value(masked[series.end() :]):
        return _part(sentence, series.start(), series.end()), True
    links = [
        match.end()
        for pattern in (_EQUALS, _VERB)
        for match in pattern.finditer(masked)
        if has_value(masked[match.end() :]) and not _leads_away(masked, match.end())
    ]
    if links:
        return _part(sentence, max(links), len(text)), True
    return sentence, _LEADING_VALUE.match(masked) is not None


def _leads_away(masked: str, verb_end: int) -> bool:
    """Whether the value behind a verb is a circumstance while one before it is none: "6 buses are needed for 250"."""
    values = [(m.start(), m.end(), m[0]) for m in _NUMBER.finditer(masked)]
    behind = next((value for value in values if value[0] >= verb_end), None)
    if behind is None or not is_circumstance(masked, behind, weakly=True):
        return False
    before = [value for value in values if value[1] <= verb_end]
    return any(not is_circumstance(masked, value, weakly=True) for value in before)


def _part(sentence: Sentence, start: int, end: int) -> Sentence:
    return Sentence(
        sentence.text[start:end],
        sentence.masked[start:end],
        [(a - start, b - start, c) for a, b, c in sentence.spans if a >= start and b <= end],
    )


def _pick(
    phrase: tuple[Sentence, bool], form: str | None, computed: Fraction | None = None
) -> str | None:
    sentence, leads = phrase
    text = trim(PARENTHESIS.sub("", sentence.text))
    if not text:
        return None
    formula = unwrap(text)
    if is_mathematics(text) and not (form in ("number", "quantity") and "$" in formula):
        return last_side(_one_of_two(formula) if form == "number" else formula, form)
    found = _values(sentence, form)
    if not found:
        return None
    chosen = found[0] if leads else the_answer(sentence.masked, found, computed)
    return last_side(_with_neighbours(sentence, found, chosen, form), form)


def _values(sentence: Sentence, form: str | None) -> list[tuple[int, int, str]]:
    """Formulas, tuples and numbers of a sentence, in order: start, end, text."""
    found = [
        (start, end, content.strip())
        for start, end, content in sentence.spans
        if form not in ("number", "quantity") or any(c.isdigit() for c in content)
    ]
    taken = sentence.masked
    if form not in ("number", "quantity", "choice"):
        found += [(m.start(), m.end(), m[0]) for m in _TUPLE.finditer(taken) if has_value(m[0])]
    if form != "number":
        found += [(m.start(), m.end(), m[0]) for m in _COMPOUND.finditer(taken)]
    covered = sorted((start, end) for start, end, _ in found)
    for match in _NUMBER.finditer(taken):
        if not any(start <= match.start() < end for start, end in covered):
            end = match.end()
            extended = _MAGNITUDE.match(taken, end) or (
                _NEXT_UNIT.match(taken, end) if form == "quantity" else None
            )
            end = extended.end() if extended else end
            found.append((match.start(), end, _ORDINAL.sub("", taken[match.start() : end].strip())))
    if form == "number":  # `3.5 hours, or 3 hours and 30 minutes` says one thing twice
        twice = [(m.start(), m.end()) for m in _COMPOUND.finditer(taken)]
        outside = [v for v in found if not any(start <= v[0] < end for start, end in twice)]
        found = outside or found
    return sorted(found)


def _with_neighbours(
    sentence: Sentence,
    found: list[tuple[int, int, str]],
    chosen: tuple[int, int, str],
    form: str | None,
) -> str:
    """The chosen value together with those joined to it by commas, "and" and "or"."""

    def joined(left: tuple[int, int, str], right: tuple[int, int, str]) -> bool:
        between = _JOINED.fullmatch(sentence.masked, left[1], right[0])
        if between is None:
            return False
        names = _name(left[2]), _name(right[2])
        # "x = 2 and y = -3" gives a point its coordinates; "12 = 8a, and a = 3/2" leads on.
        point = form in _POINTS and all(n is not None and _LETTER.fullmatch(n) for n in names)
        return names[0] == names[1] or point

    first = last = found.index(chosen)
    while last + 1 < len(found) and _continues(sentence, found[last], found[last + 1]):
        first = last = last + 1
    while first > 0 and joined(found[first - 1], found[first]):
        first -= 1
    while last + 1 < len(found) and joined(found[last], found[last + 1]):
        last += 1
    texts = [text for _, _, text in found[first : last + 1]]
    if len(texts) == 2:
        between = sentence.masked[found[first][1] : found[last][0]]
        if _APPOSITION.fullmatch(between):
            return texts[1]  # "7^4, or 2401" says one thing twice
        if "or" in between and _same_number(*texts):
            return texts[0]  # so does "1/5 or 20%"
    return ", ".join(texts)


def _continues(sentence: Sentence, left: tuple[int, int, str], right: tuple[int, int, str]) -> bool:
    """Whether one equation leads to the next: "12 = 8a, and a = 3/2"."""
    names = _name(left[2]), _name(right[2])
    joined = _JOINED.fullmatch(sentence.masked, left[1], right[0])
    return joined is not None and None not in names and (names[0] or "")[:1].isdigit()


def _one_of_two(text: str) -> str:
    """One of two numbers that are said to be the same, else the text."""
    both = _ALTERNATIVES.fullmatch(text)
    if both is None:
        return text
    if both[2]:
        return both[3]
    return both[1] if _same_number(both[1], both[3]) else text


_TWICE = re.compile(r"(\S{1,40})\s\(=?\s?([^\s()]{1,40})\)")


def said_twice(text: str) -> str:
    """`0.375 (3/8)` without what only repeats it; any other text unchanged."""
    both = _TWICE.fullmatch(text)
    return both[1] if both and _same_number(both[1], both[2]) else text


def _name(text: str) -> str | None:
    """What an equation gives a value to, None for a bare value."""
    return text.split("=", 1)[0].strip() if "=" in text else None


def _same_number(left: str, right: str) -> bool:
    """Whether two plain numbers are equal up to the rounding of one of them."""
    a, b = _plain_number(left), _plain_number(right)
    return a is not None and b is not None and abs(a - b) <= abs(a) * ROUNDING


def _plain_number(text: str) -> float | None:
    match = _PLAIN.fullmatch(text.replace(",", "").replace("$", "").replace("\\", ""))
    if match is None or (match[2] and float(match[2]) == 0):
        return None
    return float(match[1]) / float(match[2] or 1) / (100 if match[3] else 1)


def last_side(text: str, form: str | None) -> str:
    """The last side of a chain of equations; of any equation where the gold has no sides."""
    text = text.strip()
    if "=" in text or "\\approx" in text or "≈" in text:
        sides = [side for side in _top_level_sides(text) if side.strip()]
        continues = len(sides) == 1 and text.startswith("=")
        if len(sides) > 2 or continues or (len(sides) == 2 and form in _WITHOUT_SIDES):
            text = sides[-1].strip(" \t\n&~")
    text = _LINE_END.sub("", text)
    return text.rstrip(" .。,;") if len(text) > 1 else text


_JOINTS = (
    "\\text",
    "\\mbox",
    "\\mathrm",
    "\\lor",
    "\\land",
    "\\vee",
    "\\wedge",
    "\\quad",
    "\\qquad",
)


def _top_level_sides(text: str) -> list[str]:
    sides, depth, start = [], 0, 0
    for match in re.finditer(
        r"\\(?:text|mbox|textrm|mathrm)\s*\{[\s,]*(?:and|or)[\s,]*\}|\\(?:lor|land|vee|wedge|quad|qquad)\b|\\left|\\right|\\[{}]|[{(\[]|[})\]]|\\approx|[<>!:]=|=|≈|(?<!\d),|,(?!\d{3})|;|\s(?:and|or)\s",
        text,
    ):
        token = match[0]
        if token in ("{", "(", "[", "\\{"):
            depth += 1
        elif token in ("}", ")", "]", "\\}"):
            depth -= 1
        elif depth == 0 and (
            token in (",", ";") or token[0].isspace() or token.startswith(_JOINTS)
        ):
            return [text]  # several equations, not a chain
        elif depth == 0 and token in ("=", "≈", "\\approx"):
            sides.append(text[start : match.start()])
            start = match.end()
    return [*sides, text[start:]]
