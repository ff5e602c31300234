"""The one place that knows the API key: reads it from the environment, removes it elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ingest.errors import UsageError

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
REMOVED = "[secret removed]"

# Shorter values ("none", "EMPTY", "x") are what local servers are given in place of a key. They are
# words that occur in honest text, so removing them would damage answers and protect nothing.
MIN_SECRET_CHARS = 8


def api_key(environ: Mapping[str, str] = os.environ) -> str | None:
    """The key of the environment, None where there is none (local servers need none)."""
    return environ.get(KEY_VARIABLE, "").strip() or None


def base_url(environ: Mapping[str, str] = os.environ) -> str:
    """The endpoint's URL without a trailing slash; OpenAI's own where none is set.

    Raises UsageError where it is no http(s) URL; the value may hold a password, so it is not quoted.
    """
    url = (environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets or a port that are none
        usable = False
    if not usable:
        raise UsageError(
            f"{URL_VARIABLE} is not an http(s) URL. Set it to something like http://localhost:8000/v1."
        )
    return url


def describe_url(url: str) -> str:
    """`url` as it may be written down: no user, no password, no query, no fragment."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is not None:
        host = f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


class Scrubber:
    """Replaces every secret of the environment in any text or JSON-like value that will be written.

    Secrets are the key, and the user part and query values of the base URL. A server that echoes
    the Authorization header, or a prompt that holds the key, therefore reaches no disk.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        parts = urlsplit(base_url(environ))
        candidates = [api_key(environ), parts.password, parts.username]
        candidates += [pair.partition("=")[2] for pair in parts.query.split("&")]
        secrets = {text for text in candidates if text and len(text) >= MIN_SECRET_CHARS}
        secrets |= {quote(secret, safe="") for secret in secrets}
        longest_first = sorted(secrets, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if secrets else None

    def text(self, text: str) -> str:
        """`text` without secrets."""
        return self._pattern.sub(REMOVED, text) if self._pattern else text

    def value(self, value: Any) -> Any:
        """`value` with every string in it, keys included, scrubbed."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value
