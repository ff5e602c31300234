"""From text to tokens: one linear pass over LaTeX or plain text, without any meaning beyond the sign.

Dressing (`$`, `\\left`, `\\displaystyle`, `\\text{}` around a word) goes; every spelling of one sign becomes one sign.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from udfs.equivalence import vocabulary as v
from udfs.equivalence.limits import MAX_DIGITS
from udfs.equivalence.tree import Node, Num, Op, Sym, add, multiply, power


class Token(NamedTuple):
    """One sign. `kind`: num, name, fn, cmd, word, rel, sep, open, close, op, dots, env, end, row, cell."""

    kind: str
    text: str
    node: Node | None = None
    spaced: bool = False  # white space stood before it
    raw: str = ""  # of a group: the text in it


class Unreadable(Exception):
    """The text is not mathematics this reader knows. Never leaves the package."""


_TABLE = str.maketrans(
    v.CHARACTERS
    | {c: f"\\{name} " for c, name in v.GREEK_CHARACTERS.items()}
    | dict.fromkeys(
        "\u200b\u200c\u200d\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2061\u2062\u00ad\x00", ""
    )
    | dict.fromkeys("\u00a0\u2009\u202f\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u200a\u3000", " ")
)
_SUPER = re.compile("[" + "".join(map(re.escape, v.SUPERSCRIPTS)) + "]+")
_SUB = re.compile("[" + "".join(map(re.escape, v.SUBSCRIPTS)) + "]+")
# A doubled backslash before a command is an escaped single one; before anything else it ends a row.
_ESCAPED_COMMAND = re.compile(r"\\\\(?=[a-zA-Z]{2}|[{}()\[\]%$])")


def plain(text: str) -> str:
    """The text in ASCII and LaTeX as far as it can be: fractions, superscripts, Greek letters, dashes, spaces."""
    if not text.isascii():
        text = _SUPER.sub(lambda m: "^{" + "".join(v.SUPERSCRIPTS[c] for c in m[0]) + "}", text)
        text = _SUB.sub(lambda m: "_{" + "".join(v.SUBSCRIPTS[c] for c in m[0]) + "}", text)
        text = text.translate(_TABLE)
        if not text.isascii():
            text = "".join(c if c.isascii() else _digit_or_compatible(c) for c in text)
    elif "\x00" in text:
        text = text.replace("\x00", "")
    if "{,}" in text:
        text = _DECIMAL_COMMA.sub(r"\1.\2", text)
    if "\\not" in text:
        text = _NEGATED.sub(lambda m: "\\notin " if "in" in m[0] else "\\ne ", text)
    if "10" in text or "+/-" in text:
        text = _TIMES_TEN.sub(r"\1*10^", text.replace("+/-", "±"))
    return _TIMES_I.sub("i", text) if "*" in text else text


# `3{,}14`: a comma set without space, before other than three digits, or behind a lone 0, is a decimal one.
_DECIMAL_COMMA = re.compile(
    r"(?<![\d}])(?:(?=0\{,\})|(?=\d+\{,\}(?:\d{1,2}|\d{4,})(?!\d|\{,\})))(\d+)\{,\}(\d+)"
)
_NEGATED = re.compile(r"\\not\s*(?:=|\\in(?![a-z]))")
# `3 x 10^8`: an x between numbers before a power of ten multiplies.
_TIMES_TEN = re.compile(r"(\d)\s*[xX]\s*10\s*\^")


# Computer algebra systems print the imaginary unit as I, always beside a `*`.
_TIMES_I = re.compile(r"(?<=\*)\s*I\b|\bI(?=\s*\*)")


def _digit_or_compatible(c: str) -> str:
    digit = unicodedata.digit(c, None)
    if digit is not None and unicodedata.category(c) == "Nd":
        return str(digit)
    return unicodedata.normalize("NFKC", c) if "\uff00" < c < "\uff70" else c


_NUMBER = (
    r"(?P<rep>\d*\.\d*\\(?:dot\s*(?:\{\d\}|\d)\d{0,20}\\dot\s*(?:\{\d\}|\d)"
    r"|(?:overline|bar|dot|overset\{\.\})\s*(?:\{\d{1,20}\}|\d)))"
    # thousands marked by something only a number has: `{,}`, `,\!`, `\,`
    r"|(?P<thousands>[1-9]\d{0,2}(?:(?:\{,\}\s*|,\\!\s*|\\!,\s*|\\,\s*|,\\,\s*|\{\\,\}|\\thinspace\s*|\\ )\d{3})+"
    r"(?!\d)(?:\.\d+)?)"
    r"|(?P<commas>[1-9]\d{0,2}(?:,\d{3})+(?![\d])(?:\.\d+)?)"
    r"|(?P<sci>(?:\d+\.?\d*|\.\d+)[eE][+-]?\d{1,9}(?![\w.]))"
    r"|(?P<dec>\d+\.\d+|(?<![\w.])\.\d+|\d+)"
)
_TOKEN = re.compile(
    _NUMBER + r"|(?P<space>\s+|~|\\[,;:!> ]|\\(?=\s))"
    r"|(?P<begin>\\begin\s*\{\w+\*?\}(?:\s*\{[lcr|@\s]*\})?)|(?P<end>\\end\s*\{\w+\*?\})"
    r"|(?P<cmd>\\[a-zA-Z]+\*?)|(?P<row>\\\\(?:\[[^\]]{0,20}\])?)|(?P<esc>\\[^a-zA-Z])"
    r"|(?P<word>[^\W\d_]+(?:[-'](?=[^\W\d_]{2})[^\W\d_]+)*)"
    r"|(?P<two>\*\*|<=|>=|!=|==|->|:=|=<|=>)|(?P<one>.)",
    re.DOTALL,
)
# The signs and commands that answers use are some hundred.
CACHED_SIGNS = 1_024
_COMMA_GROUPS = re.compile(r"(?<!\d)\d{1,3}(?:,\d{3})+(?!\d)")
# In a list without spaces after its commas, `99,100,101` is three numbers.
_CLOSE_COMMA = re.compile(r"\d,\d")
# The brace before a system of equations, and the invisible one behind it.
_HALF_BRACE = re.compile(r"\\left\s*\\\{\s*(?=\\begin)|\\(?:left|right)\s*\.")
_NOT_DIGIT = re.compile(r"\D")
_GLUED = re.compile(r"(arc)?(sin|cos|tan|cot|sec|csc|sqrt|ln|log)([a-zA-Z]{1,2})")


def tokenise(text: str, thousands: bool = True) -> list[Token]:
    """The tokens of a text that `plain` has been over.

    thousands: `1,234` is one number. Inside brackets it never is, unless commas there are followed by a space.
    """
    text = _ESCAPED_COMMAND.sub(r"\\", text) if "&" not in text and "\\begin" not in text else text
    text = _HALF_BRACE.sub("", text) if "\\right" in text else text
    out: list[Token] = []
    braces: list[str] = []  # for each open `{`: 'group', or 'drop' where only the dressing had it
    words = 0  # open text commands
    depth = 0
    spaced_list = ", " in text
    thousands = thousands and not _CLOSE_COMMA.search(_COMMA_GROUPS.sub("0", text))
    pending_drop = ""
    spaced = False
    for m in _TOKEN.finditer(text):
        kind = m.lastgroup or "one"
        s = m[0]
        if kind == "space":
            spaced = True
            continue
        if pending_drop and s != "{":
            pending_drop = ""
        emitted = len(out)
        if kind in ("rep", "thousands", "sci", "dec"):
            out.append(Token("num", s, _number(kind, s), spaced))
        elif kind == "commas":
            if thousands and (depth == 0 or spaced_list):
                out.append(Token("num", s, _number(kind, s), spaced))
            else:
                for i, part in enumerate(s.split(",")):
                    if i:
                        out.append(Token("sep", ","))
                    out.append(Token("num", part, _number("dec", part), spaced and not i))
        elif kind == "word":
            raised = text.startswith("^", m.end())  # what carries a power is a product: `at^2`
            out.extend(_letters(s, words > 0, spaced, raised))
        elif kind == "cmd":
            name = s[1:].rstrip("*")
            if name in v.TEXT_COMMANDS:
                pending_drop = name
            elif name not in v.IGNORED_COMMANDS:
                out.append(_command(name, spaced))
        elif kind in ("begin", "end"):
            out.append(
                Token(
                    "env" if kind == "begin" else "end", s.split("{")[1].rstrip("}*").split("}")[0]
                )
            )
        elif kind == "row":
            out.append(Token("row", "\\\\"))
        elif s == "{":
            if pending_drop:
                wordy = pending_drop in v.WORDY_COMMANDS
                braces.append("word" if wordy else "drop")
                words += wordy
                pending_drop = ""
                spaced = True
                continue
            # The argument of a command is no list: `\\frac{1}{1,024}` has one number below.
            argument = bool(out) and (
                out[-1].kind in ("cmd", "close") or out[-1].text in ("^", "_")
            )
            braces.append("argument" if argument else "group")
            depth += not argument
            out.append(Token("open", "{", None, spaced))
        elif s == "}":
            last = braces.pop() if braces else "group"
            if last in ("word", "drop"):
                words -= last == "word"
                spaced = True
                continue
            depth -= last == "group"
            out.append(Token("close", "}"))
        else:
            token = _sign(s, spaced)
            if token is not None:
                depth += {"open": 1, "close": -1}.get(token.kind, 0)
                out.append(token)
        spaced = spaced and len(out) == emitted
    return out


@lru_cache(maxsize=CACHED_SIGNS)
def _command(name: str, spaced: bool) -> Token:
    if name in v.SIGNS:
        return _sign(v.SIGNS[name], spaced) or Token("op", " ")
    if name in v.RELATIONS:
        return Token("rel", v.RELATIONS[name], None, spaced)
    if name in v.FUNCTIONS and name not in ("deg",):
        return Token("fn", v.FUNCTIONS[name], None, spaced)
    if name in v.GREEK:
        if name == "Pi":
            return Token("name", "Pi", Sym("Pi"), spaced)
        return Token("name", name, Sym(v.SAME_LETTER.get(name, name)), spaced)
    if name in ("pi", "infty", "emptyset", "varnothing", "circ", "infin"):
        symbol = {"pi": "pi", "infty": "oo", "infin": "oo", "circ": "∘"}.get(name)
        return Token("name", name, Sym(symbol) if symbol else Op("set", ()), spaced)
    if name in v.SPACES:
        return Token("op", " ", None, True)
    if name in v.DOTS:
        return Token("dots", "…", None, spaced)
    if name in ("dfrac", "tfrac", "cfrac"):
        return Token("cmd", "frac", None, spaced)
    if name in ("dbinom", "tbinom"):
        return Token("cmd", "binom", None, spaced)
    return Token("cmd", name, None, spaced)


@lru_cache(maxsize=CACHED_SIGNS)
def _sign(s: str, spaced: bool) -> Token | None:
    if s in v.OPENING:
        return Token("open", s, None, spaced)
    if s in v.CLOSING:
        return Token("close", s, None, spaced)
    if s in ("\\$", "$", "\\(", "\\)", "\\[", "\\]", '"', "\\&", "\\#", "\\_"):
        return None
    if s == "**":
        return Token("op", "^", None, spaced)
    if s in v.RELATIONS:
        return Token("rel", v.RELATIONS[s], None, spaced)
    if s in (",", ";", "\n"):
        return Token("sep", s, None, spaced)
    if s == "\\%":
        return Token("op", "%", None, spaced)
    if s == "&":
        return Token("cell", "&")
    if s == "°":
        return Token("name", "∘", Sym("∘"), spaced)
    if s.startswith("\\"):
        return None if s == "\\/" else Token("op", s[1:], None, spaced)
    return Token("op", s, None, spaced)


def _letters(s: str, wordy: bool, spaced: bool, raised: bool = False) -> list[Token]:
    """A run of letters: a name, a function, a word, or several one-letter names side by side."""
    if len(s) == 1:
        return [_letter(s, spaced)]
    if s in v.FUNCTIONS and s not in v.NEEDS_BRACKET:
        return [Token("fn", v.FUNCTIONS[s], None, spaced)]
    lower = s.lower()
    if lower in v.CONNECTORS and len(s) > 1:
        return [Token("sep", lower, None, spaced)]
    if lower in ("pi", "infinity", "infty", "oo", "inf"):
        if lower != "oo" or s == "oo":
            return [Token("name", lower, Sym("pi" if lower == "pi" else "oo"), spaced)]
    elif s == "sqrt":
        return [Token("cmd", "sqrt", None, spaced)]
    if wordy:
        return [Token("word", s, None, spaced)]
    if s in v.GREEK or lower in (
        "theta",
        "alpha",
        "beta",
        "gamma",
        "lambda",
        "phi",
        "omega",
        "sigma",
        "epsilon",
    ):
        return [Token("name", s, Sym(s if s in v.GREEK else lower), spaced)]
    if lower in ("sqrt", "cbrt", "binom", "abs", "frac", "dfrac", "tfrac"):
        return [Token("cmd", lower.removeprefix("d").removeprefix("t"), None, spaced)]
    if s in v.NEEDS_BRACKET:
        return [Token("fn?", s, None, spaced)]
    glued = _GLUED.fullmatch(s)
    if glued:
        head = (glued[1] or "") + glued[2]
        first = (
            Token("cmd", "sqrt", None, spaced)
            if head == "sqrt"
            else Token("fn", v.FUNCTIONS[head], None, spaced)
        )
        return [first, *(_letter(c, False) for c in glued[3])]
    short = len(s) <= 3 or (len(s) == 4 and s.isupper())
    if short and s.isascii() and (raised or lower not in v.SHORT_WORDS):
        return [Token("letters", s, None, spaced)]
    return [Token("word", s, None, spaced)]


def _letter(c: str, spaced: bool) -> Token:
    if c in v.CJK_CONNECTORS:
        return Token("sep", v.CJK_CONNECTORS[c], None, spaced)
    if c == "i":
        return Token("name", c, Sym("ⅈ"), spaced)
    if c == "e":
        return Token("name", c, Sym("ℯ"), spaced)
    return Token("name" if c.isascii() else "word", c, Sym(c), spaced)


@lru_cache(maxsize=8192)
def _number(kind: str, s: str) -> Node:
    if len(s) > MAX_DIGITS:
        return Sym("digits:" + s.lstrip("0"))
    if kind == "rep":
        return _repeating(s)
    if kind == "sci":
        mantissa, _, exponent = s.lower().partition("e")
        scale = power(Num(Fraction(10)), Num(Fraction(int(exponent))))
        return multiply((_decimal(mantissa), scale))
    if kind in ("thousands", "commas"):
        whole, dot, decimals = s.partition(".")
        return _decimal(_NOT_DIGIT.sub("", whole) + dot + decimals)
    return _decimal(s)


def _decimal(s: str) -> Num:
    whole, dot, decimals = s.partition(".")
    if not decimals:
        return Num(Fraction(int(whole or "0")), 0 if dot else None)
    return Num(Fraction(int(whole + decimals), 10 ** len(decimals)), len(decimals))


def _repeating(s: str) -> Node:
    """0.1\\overline{6} = 1/6."""
    head, _, tail = s.partition("\\")
    digits = _NOT_DIGIT.sub(
        "", tail
    )  # one group under a bar, or all from the first dot to the last
    whole, _, fixed = head.partition(".")
    base = Fraction(int((whole + fixed) or "0"), 10 ** len(fixed))
    period = Fraction(int(digits), (10 ** len(digits) - 1) * 10 ** len(fixed))
    return add((Num(base), Num(period)))
