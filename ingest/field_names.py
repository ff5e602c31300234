"""Which field of a file is likely meant by a name that a format asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

# Names that tools give the same thing, without signs and capitals.
_SAME_THING = (
    "response reply output completion generation prediction modeloutput modelresponse modelreply "
    "modelanswer generatedtext generatedsolution generatedanswer outputtext text rawoutput pred",
    "problemid id questionid nativeid taskid sampleid itemid uid uuid qid idx index problemidx",
    "question problem prompt query input instruction questiontext problemtext questioncontent task",
    "goldanswer answer gold target groundtruth expectedanswer expected reference referenceanswer "
    "correctanswer label finalanswer",
    "embedding vector emb embeddings vectors",
)
_GROUPS = tuple(frozenset(names.split()) for names in _SAME_THING)
# Below this, short names of different things (level, label) count as one misspelt.
_SPELLING = 0.8


def meant(name: str, fields: Iterable[str]) -> str | None:
    """The field of `fields` that is `name` under another name or spelling; None where none is."""
    plain = {_plain(field): field for field in sorted(fields, reverse=True)}
    wanted = _plain(name)
    if wanted in plain:
        return plain[wanted]
    for group in _GROUPS:
        if wanted in group and (found := sorted(group & set(plain))):
            return plain[found[0]]
    # what is known by a name of its own is no misspelling of another
    plain = {
        one: field for one, field in plain.items() if not any(one in group for group in _GROUPS)
    }
    close = get_close_matches(wanted, sorted(plain), n=1, cutoff=_SPELLING)
    return plain[close[0]] if close else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
