"""The words and signs of written mathematics: what each means to the reader."""

from __future__ import annotations

GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron rho "
    "varrho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi "
    "Omega hbar ell nabla partial".split()
)
# Variants of one letter that writers use for the same thing.
SAME_LETTER = {"varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi", "varrho": "rho"}

FUNCTIONS = {
    name: name
    for name in (
        "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot ln log lg exp max min gcd lcm "
        "arg sgn det floor ceil arcsinh arccosh arctanh Re Im deg dim ker tr cis"
    ).split()
} | {
    "tg": "tan", "ctg": "cot", "cotg": "cot", "cosec": "csc", "arctg": "arctan", "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan", "sh": "sinh", "ch": "cosh", "th": "tanh", "sign": "sgn", "trace": "tr",
}  # fmt: skip
# Written out in plain text only where a bracket follows; `sh` or `tr` alone is more likely two letters.
NEEDS_BRACKET = frozenset(
    "sh ch th tr arg det deg dim ker Re Im floor ceil max min gcd lcm sign trace".split()
)
TRIGONOMETRIC = frozenset("sin cos tan cot sec csc".split())
INVERSES = {name: "arc" + name for name in "sin cos tan cot sinh cosh tanh".split()}

# Commands that only dress what follows.
IGNORED_COMMANDS = frozenset(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle scriptstyle "
    "limits nolimits middle mathstrut phantom hspace vspace noindent centering hfill allowbreak nobreak "
    "rm bf it sf tt cal large small normalsize".split()
)
SPACES = frozenset("quad qquad enspace thinspace space hskip kern".split())
TEXT_COMMANDS = frozenset(
    "text textbf textit textrm textsf texttt textnormal textup mbox hbox emph underline mathrm mathsf mathit "
    "mathtt operatorname bm boldsymbol mathbf mathnormal boxed fbox textcolor color".split()
)
# Of these the braces vanish and what is in them is read as text where it is a word.
WORDY_COMMANDS = frozenset(
    "text textbf textit textrm textsf texttt textnormal textup mbox hbox emph mathrm mathsf".split()
)
ACCENTS = frozenset(
    "vec hat bar tilde overrightarrow widehat widetilde dot ddot overline overleftrightarrow".split()
)

RELATIONS = {
    "=": "=", "<": "<", ">": ">", "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=",
    "ge": ">=", "geq": ">=",
    "geqslant": ">=", "geqq": ">=", "lt": "<", "gt": ">", "<=": "<=", ">=": ">=", "=<": "<=",
    "=>": ">=", "ne": "!=", "neq": "!=",
    "!=": "!=", "==": "=", ":=": "=", "coloneqq": "=", "approx": "~", "approxeq": "~", "sim": "~",
    "simeq": "~",
    "in": "in", "notin": "notin", "equiv": "mod=", "to": "->", "rightarrow": "->", "->": "->",
    "longrightarrow": "->",
    "subset": "subset", "subseteq": "subset", "ll": "<", "gg": ">", "propto": "propto",
    "doteq": "=", "mapsto": "->",
    "Rightarrow": "=>>", "implies": "=>>", "Leftrightarrow": "=>>", "iff": "=>>",
    "parallel": "parallel", "perp": "perp",
    "triangleq": "=", "leftarrow": "<-", "cong": "cong", "ni": "ni",
}  # fmt: skip

# Commands that are one sign of the tokeniser's own alphabet.
SIGNS = {
    "times": "*", "cdot": "*", "ast": "*", "cdotp": "*", "bullet": "*", "div": "/", "pm": "±", "mp": "∓",
    "cup": "∪", "bigcup": "∪", "cap": "∩", "bigcap": "∩", "setminus": "∖", "backslash": "∖",
    "smallsetminus": "∖",
    "lor": "∨", "vee": "∨", "land": "∧", "wedge": "∧", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|",
    "Vert": "‖", "lVert": "‖", "rVert": "‖", "colon": ":", "prime": "'", "degree": "°", "textdegree": "°",
    "lbrace": "\\{", "rbrace": "\\}", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉", "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")", "cupdot": "∪", "uplus": "∪",
    "pounds": "£", "textsterling": "£", "euro": "€", "texteuro": "€", "yen": "¥",
    "newline": "\n", "percent": "%", "ldotp": ".", "sqcup": "∪",
}  # fmt: skip
DOTS = frozenset("cdots ldots dots dotsc dotsb dotsm dotso vdots ddots".split())

SETS = {
    "R": "ℝ", "Z": "ℤ", "N": "ℕ", "Q": "ℚ", "C": "ℂ", "reals": "ℝ",
}  # fmt: skip

OPENING = {"(": ")", "[": "]", "\\{": "\\}", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}
CLOSING = frozenset(OPENING.values())

CJK_CONNECTORS = {"和": "and", "与": "and", "及": "and", "或": "or"}
CONNECTORS = frozenset({"and", "or", "и", "und", "y", "et"})

# Short words that are words, not products of variables.
SHORT_WORDS = frozenset(
    "a an as at be by do he if in is it me my no of on or so to up us we all and any are but can did few for get "
    "had has her him his how its let may new nor not now odd off old one our out own per sum set the too two use "
    "was way who why yes you ten six red day men man boy cat dog mon tue wed thu fri sat sun jan feb mar apr jun "
    "jul aug sep oct nov dec inf nan oo car pen box pie bus egg hen non tom bob ann amy joe sam ben max jim kim "
    "dan ron tim meg sue leo ray roy ted eve ian mia zoe ada eva amy ivy lee liz ned pat peg rex rob roz".split()
)

NUMBER_WORDS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

PART_WORDS = {
    "half": 2, "halve": 2, "third": 3, "fourth": 4, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
    "hundredth": 100, "thousandth": 1000,
}  # fmt: skip

# Words that multiply the number before them, as powers of ten.
MAGNITUDES = {
    "hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "万": 4, "亿": 8,
}  # fmt: skip

# Characters that stand for LaTeX or ASCII.
CHARACTERS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*",
    "•": "*", "∗": "*",
    "÷": "/", "⁄": "/", "∕": "/", "≤": "<=", "⩽": "<=", "≦": "<=", "≥": ">=", "⩾": ">=", "≧": ">=",
    "≠": "!=", "≈": "\\approx ", "≃": "\\approx ",
    "∼": "\\sim ", "≡": "\\equiv ", "∈": "\\in ", "∉": "\\notin ", "→": "->", "⇒": "\\implies ",
    "∞": "\\infty ",
    "∅": "\\emptyset ", "√": "\\sqrt ", "∛": "\\cbrt ", "π": "\\pi ", "°": "°", "º": "°", "˚": "°",
    "′": "'", "’": "'", "‘": "'", "″": "''",
    "“": '"', "”": '"', "½": "\\frac{1}{2}", "⅓": "\\frac{1}{3}", "⅔": "\\frac{2}{3}", "¼": "\\frac{1}{4}",
    "¾": "\\frac{3}{4}", "⅕": "\\frac{1}{5}", "⅖": "\\frac{2}{5}", "⅗": "\\frac{3}{5}", "⅘": "\\frac{4}{5}",
    "⅙": "\\frac{1}{6}", "⅚": "\\frac{5}{6}", "⅛": "\\frac{1}{8}", "⅜": "\\frac{3}{8}", "⅝": "\\frac{5}{8}",
    "⅞": "\\frac{7}{8}", "，": ", ", "、": ", ", "。": ". ", "；": "; ", "：": ":", "（": "(", "）": ")",
    "【": " ", "】": " ",
    "［": "[", "］": "]", "｛": "{", "｝": "}", "％": "%", "＋": "+", "－": "-", "＝": "=", "＜": "<",
    "＞": ">", "｜": "|",
    "ℝ": "\\mathbb{R}", "ℤ": "\\mathbb{Z}", "ℕ": "\\mathbb{N}", "ℚ": "\\mathbb{Q}",
    "ℂ": "\\mathbb{C}", "∑": "\\sum ",
    "∏": "\\prod ", "∫": "\\int ", "∪": "∪", "∩": "∩", "⟩": "⟩", "∧": "∧", "∨": "∨",
    "…": "\\ldots ", "⋯": "\\cdots ",
    "∠": "\\angle ", "△": "\\triangle ", "∣": "|", "∥": "‖", "´": "'", "`": "'", "€": " € ",
    "£": " £ ", "¥": " ¥ ", "￥": " ¥ ", "₹": " ₹ ", "¢": " ¢ ", "又": " ", "∶": ":",
}  # fmt: skip
GREEK_CHARACTERS = dict(
    zip("αβγδεζηθικλμνξρστυφχψωΓΔΘΛΞΠΣΦΨΩϕϵ", "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu "
    "xi rho sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega phi epsilon".split(),
    strict=True)
)  # fmt: skip
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿˣ", "0123456789+-()nx", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙ", "0123456789+-()n", strict=True))
