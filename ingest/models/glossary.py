"""Concepts without a model: the terms of a bilingual glossary that a solution names.

`glossary.tsv` lists school and olympiad mathematics, one concept a line, with the English words,
LaTeX commands and Chinese words that betray it. A concept is reported by its English name whatever
the language of the text, so that solutions in two languages can be compared.

It finds what is written, all of it: a longer solution names more concepts. The published MSU, which
only asks how near each named concept is to one of the human solution, therefore falls with length
here; coverage and its harmonic mean with MSU do not, so read those with this extractor.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import resources

GLOSSARY = "glossary.tsv"
SEPARATOR = ";"
HASH_DIGITS = 12

# A LaTeX command, a Latin word, one Chinese character, or a sign that names a concept by itself.
_TOKEN = re.compile(r"\\\$|\\[a-z]+|[a-z]+|[\u4e00-\u9fff]|[=^%<>]")
_END = ""  # no token is empty, so this key of a trie node holds the concept that ends there

Node = dict[str, "Node | str"]


class Glossary:
    """Finds concepts in time linear in the text: one step of a trie per token and term length."""

    def __init__(self, text: str) -> None:
        self._root: Node = {}
        self.concepts: list[str] = []
        for line in text.splitlines()[1:]:
            concept, english, chinese = line.split("\t")
            self.concepts.append(concept)
            terms = [concept, *english.split(SEPARATOR), *chinese.split(SEPARATOR)]
            for term in filter(None, map(str.strip, terms)):
                self._add(term, concept)
        digest = hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]
        self.extractor_id = f"glossary {digest}"

    def _add(self, term: str, concept: str) -> None:
        node = self._root
        for token in tokens(term):
            child = node.setdefault(token, {})
            assert isinstance(child, dict)
            node = child
        node.setdefault(_END, concept)

    def find(self, text: str) -> list[str]:
        """The concepts that `text` names, each once, in the order of their first mention.

        Of overlapping terms the one that starts first counts, of those the longest: "right
        triangle" is not also "triangle".
        """
        words = tokens(text)
        found: dict[str, None] = {}
        at = 0
        while at < len(words):
            node: Node | str = self._root
            after, concept, here = at, None, at
            while here < len(words) and isinstance(node, dict) and words[here] in node:
                node = node[words[here]]
                here += 1
                if isinstance(node, dict) and isinstance(named := node.get(_END), str):
                    after, concept = here, named
            if concept is None:
                at += 1
            else:
                found[concept] = None
                at = after
        return list(found)


@cache
def bundled() -> Glossary:
    """The glossary that ships with the package."""
    return Glossary(resources.files("ingest.models").joinpath(GLOSSARY).read_text("utf-8"))


def tokens(text: str) -> list[str]:
    """Words in lower case and the singular, LaTeX commands, Chinese characters, a few signs."""
    return [_singular(token) for token in _TOKEN.findall(text.lower())]


@cache
def _singular(word: str) -> str:
    """A crude singular: it need only do the same to the glossary and to the text."""
    if len(word) < 4 or not word.endswith("s") or word.startswith("\\"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]
