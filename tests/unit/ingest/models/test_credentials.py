"""What the environment says of the endpoint."""

from __future__ import annotations

import pytest

from ingest.errors import UsageError
from ingest.models.credentials import DEFAULT_URL, base_url


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000/v1",
        "user:secret-word@host/v1",
        "ftp://x",
        "http://",
        "http://host:port/v1",
        "http://[::1",
    ],
)
def test_what_is_no_url_is_a_mistake_of_use_and_is_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        base_url({"OPENAI_BASE_URL": url})
    assert "OPENAI_BASE_URL" in str(raised.value) and "secret-word" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", DEFAULT_URL),
        (" http://localhost:8000/v1/ ", "http://localhost:8000/v1"),
        ("https://[::1]:8000/v1", "https://[::1]:8000/v1"),
    ],
)
def test_a_url_loses_its_last_slash(url: str, expected: str) -> None:
    assert base_url({"OPENAI_BASE_URL": url}) == expected
