"""SQL that finds the final answer in a worked solution, for formats whose golds are whole solutions."""

from __future__ import annotations

# Braces nest four deep in the golds of MATH; a deeper one makes no match and so no answer.
_NESTING = 8


def last_boxed(text: str) -> str:
    r"""SQL: what stands in the last \boxed{…} (or \fbox{…}, or `\boxed 5`) of the SQL `text`."""
    inner = "[^{}]*"
    for _ in range(_NESTING):
        inner = f"(?:[^{{}}]|\\{{{inner}\\}})*"
    braced = f"regexp_extract({text}, '.*\\\\(?:boxed|fbox)\\s*\\{{({inner})\\}}', 1, 's')"
    bare = f"regexp_extract({text}, '.*\\\\boxed\\s+([^\\s$]+)', 1, 's')"
    return f"coalesce(nullif(trim({braced}), ''), nullif({bare}, ''))"


def after_hashes(text: str) -> str:
    """SQL: what follows the last #### of the SQL `text`, NULL where there is none (GSM8K)."""
    return f"case when contains({text}, '####') then trim(split_part({text}, '####', -1)) end"
