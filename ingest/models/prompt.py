"""Prompts are files: a version, a hash, and one text per language and kind of turn."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ingest.errors import UsageError

HASH_DIGITS = 12
_HAN = re.compile(r"[\u4e00-\u9fff]")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
LANGUAGES = ("en", "zh")


def language_of(text: str) -> str:
    """'zh' where `text` holds a Chinese character, else 'en'."""
    return "zh" if _HAN.search(text) else "en"


@dataclass(frozen=True)
class Prompt:
    """A prompt file. Its `hash` is of its bytes: another wording is another run."""

    name: str
    version: str
    hash: str
    texts: dict[str, Any]

    @property
    def label(self) -> str:
        """Name, version and hash, as rows and runs carry it."""
        return f"{self.name} v{self.version} {self.hash}"

    def uses(self, placeholder: str) -> bool:
        """Whether any of its texts has `{{placeholder}}`."""
        return any(placeholder in _PLACEHOLDER.findall(text) for text in _strings(self.texts))

    def render(
        self, language: str, *, turn: int = 1, is_conversation: bool = False, **values: str
    ) -> str:
        """The text to send. Values are put in as they are; braces in them mean nothing.

        A prompt without texts for conversations, or for a language, serves them with what it has.
        Raises UsageError where a placeholder has no value.
        """
        texts = self.texts
        if is_conversation and "two_turn" in texts:
            texts = texts["two_turn"]
        texts = texts.get(language) or next(texts[name] for name in LANGUAGES if name in texts)
        template = texts["question"] if turn == 1 else texts.get("follow_up", "{{question}}")

        def value(match: re.Match[str]) -> str:
            if match[1] not in values:
                raise UsageError(f"prompt {self.name!r}: {{{{{match[1]}}}}} has no value here.")
            return values[match[1]]

        return _PLACEHOLDER.sub(value, template.strip())


def read_prompt(name: str) -> Prompt:
    """The bundled prompt `name`, or the one in the file `name`.

    A `.toml` file has the bundled ones' form; any other file is one text with `{{question}}` in it,
    used for every language and turn. Raises UsageError where there is no such prompt.
    """
    path: Any = resources.files("ingest.models.prompts").joinpath(f"{name}.toml")
    if not re.fullmatch(r"\w+", name) or not path.is_file():
        path = Path(name)
    if not path.is_file():
        raise UsageError(
            f"prompt {name!r}: neither bundled nor a file. "
            "Use zeroshot, fewshot, zeroshot_cot, or the path of a prompt file."
        )
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()[:HASH_DIGITS]
    stem = Path(path.name).stem
    try:
        text = data.decode("utf-8")
        if not path.name.endswith(".toml"):
            texts: dict[str, Any] = {"en": {"question": text, "follow_up": text}}
            version = "1"
        else:
            texts = tomllib.loads(text)
            version = str(texts.pop("version", 1))
    except ValueError as error:
        raise UsageError(f"{path}: not a prompt file ({error}).") from error
    prompt = Prompt(stem, version, digest, texts)
    if not any(language in texts for language in LANGUAGES) or not prompt.uses("question"):
        raise UsageError(
            f"{path}: not a prompt file: it needs a text with {{{{question}}}} in it "
            "(in TOML: `question` under [en] or [zh])."
        )
    return prompt


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return [value] if isinstance(value, str) else []
