"""One OpenAI-compatible endpoint: requests with deadlines and retries, replies as plain data.

The `openai` package says where the endpoint is and how to identify oneself there; the bytes travel
over aiohttp, because that package spends 1.7 ms of processor time on a request, which on one core
is half of what a server with 64 requests in flight at 50 ms each can answer.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import random
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import openai
from multidict import CIMultiDict
from yarl import URL

from ingest.errors import MathmartError
from ingest.models.budget import Budget
from ingest.models.credentials import Scrubber, api_key, base_url, describe_url
from ingest.models.limits import DEFAULT_ATTEMPTS, DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_SECONDS
from ingest.models.prices import NO_USAGE, Usage

CHAT = "/chat/completions"
EMBEDDINGS = "/embeddings"
CONNECT_TIMEOUT_SECONDS = 15.0
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
# A server may ask for an hour's patience. Longer is a daily quota: an honest row beats a hang.
LONGEST_RETRY_AFTER_SECONDS = 3600.0
# Added to a Retry-After so that 64 requests told "in 20 s" do not return in the same instant.
RETRY_AFTER_JITTER = 0.1
REASON_CHARS = 500  # of a server's error text kept on a row
MAX_REPLY_BYTES = 64 * 1024 * 1024  # no honest reply is longer; an endless one must not fill memory

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
# These would come back for every request of the run, so the run stops.
FATAL_STATUS = frozenset({401, 403, 404})
FATAL_CODES = frozenset({"insufficient_quota", "invalid_api_key", "model_not_found"})


# Made once: json.dumps makes a new encoder per call unless all its arguments are the defaults.
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class EndpointUnusable(MathmartError):
    """No request of this run can succeed: wrong key, unknown model, exhausted quota."""


@dataclass
class CallFailed(Exception):
    """One request failed. `kind` is a word for raw.responses.failure_kind."""

    kind: str
    reason: str
    is_retryable: bool = True
    retry_after: float | None = None
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


@dataclass
class Reply:
    """What came of one question, after all attempts. Usage sums the attempts: all were billed."""

    text: str | None
    finish_reason: str | None
    failure_kind: str | None
    failure_reason: str | None
    usage: Usage
    latency_seconds: float  # of the last attempt
    system_fingerprint: str | None
    model: str | None  # as the server names it
    attempts: int
    vectors: list[list[float]] | None = None  # of an embeddings request


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint:
    """An asynchronous context manager around one connection pool.

    No more than `concurrency` requests are in flight; others wait, ready to be sent the moment a
    reply has come, before that reply is read and kept: its reading would leave the server idle.
    `budget` admits every attempt, retries included, and learns what it cost; it may stop the run.
    """

    def __init__(
        self,
        *,
        concurrency: int = DEFAULT_CONCURRENCY,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        attempts: int = DEFAULT_ATTEMPTS,
        first_wait: float = FIRST_WAIT_SECONDS,
        budget: Budget | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        env = {} if environ is None else {"environ": environ}
        self._scrub = Scrubber(**env)
        url = base_url(**env)
        key = api_key(**env)
        self.url = describe_url(url)
        self._client = openai.AsyncOpenAI(api_key=key or "none", base_url=url, max_retries=0)
        headers = {**self._client.auth_headers, "Content-Type": "application/json"}
        for name in ("OpenAI-Organization", "OpenAI-Project"):
            value = self._client.default_headers.get(name)
            if isinstance(value, str):
                headers[name] = value
        if key is None:
            headers.pop("Authorization", None)
        self._headers = CIMultiDict(headers)
        self._root = str(self._client.base_url).partition("?")[0].rstrip("/")
        self._query = urlsplit(url).query
        self._urls = {path: self._url(path) for path in (CHAT, EMBEDDINGS)}
        self._proxy = _proxy_for(self._root)
        self._timeout = aiohttp.ClientTimeout(total=timeout, connect=CONNECT_TIMEOUT_SECONDS)
        self._timeout_seconds = timeout
        self._slots = asyncio.Semaphore(max(1, concurrency))
        self._reading = asyncio.Lock()
        self._attempts = max(1, attempts)
        self._first_wait = first_wait
        self._budget = budget or Budget()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Endpoint:
        connector = aiohttp.TCPConnector(limit=0)  # the slots bound what is in flight
        self._session = aiohttp.ClientSession(
            connector=connector, timeout=self._timeout, cookie_jar=aiohttp.DummyCookieJar()
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
        await self._client.close()

    async def chat(self, payload: dict[str, Any]) -> Reply:
        """Ask for one chat completion; a question that keeps failing is a Reply with a kind."""
        return await self._patiently(CHAT, payload, read_chat)

    async def embed(
        self, model: str, texts: list[str], **options: Any
    ) -> tuple[list[list[float]], Usage, float]:
        """Vectors of `texts` in their order, the usage, the seconds. Raises CallFailed."""
        payload = {"model": model, "input": texts, "encoding_format": "float", **options}
        reply = await self._patiently(
            EMBEDDINGS, payload, lambda body: read_embeddings(body, len(texts))
        )
        if reply.failure_kind is not None:
            raise CallFailed(reply.failure_kind, reply.failure_reason or "", usage=reply.usage)
        return reply.vectors or [], reply.usage, reply.latency_seconds

    async def _patiently(
        self, path: str, payload: dict[str, Any], read: Callable[[Any], Reply]
    ) -> Reply:
        data = _encode(payload).encode()
        spent = NO_USAGE
        for attempt in range(1, self._attempts + 1):
            answer, latency = await self._send(path, data)
            await self._turn_to_read()
            used = NO_USAGE
            try:
                reply = read(self._body_of(answer))
                used = reply.usage
            except CallFailed as failed:
                failure = failed
                used = failure.usage
            else:
                reply.usage = used if attempt == 1 else spent + used
                reply.latency_seconds = latency
                reply.attempts = attempt
                return reply
            finally:
                self._budget.settle(used)
            spent += failure.usage
            wait = wait_before(attempt, failure.retry_after, self._first_wait)
            if not failure.is_retryable or attempt == self._attempts or wait is None:
                break
            await asyncio.sleep(wait)
        return Reply(
            text=None,
            finish_reason=failure.finish_reason,
            failure_kind=failure.kind,
            failure_reason=self._scrub.text(failure.reason)[:REASON_CHARS],
            usage=spent,
            latency_seconds=latency,
            system_fingerprint=None,
            model=None,
            attempts=attempt,
        )

    async def _send(self, path: str, data: bytes) -> tuple[_Answer | CallFailed, float]:
        """What came of one request, unread, and the seconds it took; the budget is to be settled."""
        async with self._slots:
            await self._budget.admit()
            started = time.perf_counter()
            try:
                return await self._post(path, data), time.perf_counter() - started
            except BaseException:
                self._budget.settle(NO_USAGE)
                raise

    async def _turn_to_read(self) -> None:
        """Wait for other requests to be sent: one reply is read a turn of the loop.

        A run that ends meanwhile still reads what has come and was paid for, and ends after that.
        """
        try:
            async with self._reading:
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()  # once more, at the next thing that is waited for

    async def _post(self, path: str, data: bytes) -> _Answer | CallFailed:
        """What the server sent, unread; a failure on the way comes back as a value, to be settled."""
        assert self._session is not None, "use the endpoint as an asynchronous context manager"
        try:
            async with self._session.post(
                self._urls[path], data=data, headers=self._headers, proxy=self._proxy
            ) as response:
                return _Answer(response.status, response.headers, await _read_bounded(response))
        except TimeoutError:
            return CallFailed("timeout", f"no complete reply within {self._timeout_seconds:g} s")
        except (aiohttp.ClientError, OSError) as error:
            return CallFailed("connection", f"{type(error).__name__}: {error}")
        except CallFailed as failure:
            return failure

    def _body_of(self, answer: _Answer | CallFailed) -> Any:
        """The JSON of an answer. Raises CallFailed or EndpointUnusable."""
        if isinstance(answer, CallFailed):
            raise answer
        if answer.status >= 400:
            raise self._status_failure(answer.status, answer.body, answer.headers)
        try:
            return json.loads(answer.body)
        except ValueError as error:
            raise CallFailed("broken_reply", f"the reply is not JSON: {error}") from None

    def _url(self, path: str) -> URL:
        return URL(f"{self._root}{path}" + (f"?{self._query}" if self._query else ""))

    def _status_failure(self, status: int, body: bytes, headers: Mapping[str, str]) -> Exception:
        message, code = _error_of(body)
        reason = self._scrub.text(f"HTTP {status}: {message}")[:REASON_CHARS]
        if status in FATAL_STATUS or code in FATAL_CODES:
            return EndpointUnusable(f"{self.url}: {reason}")
        kind = "rate_limited" if status == 429 else "server_error" if status >= 500 else None
        if kind is None:
            kind = "refused" if code == "content_filter" else "bad_request"
        if status in (408, 524):
            kind = "timeout"
        return CallFailed(
            kind,
            reason,
            is_retryable=status in RETRYABLE_STATUS or status >= 500,
            retry_after=retry_after(headers),
        )


def read_chat(body: Any) -> Reply:
    """A chat completion's body as a Reply. Raises CallFailed where it holds no usable text."""
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        raise CallFailed("server_error", str(body["error"].get("message", body["error"])))
    try:
        choice = body["choices"][0]
        message = choice["message"]
        finish_reason = choice.get("finish_reason")
        text = message.get("content")
        refusal = message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise CallFailed("broken_reply", "the reply has no choices[0].message") from None
    usage = read_usage(body.get("usage"))
    if isinstance(text, list):  # some servers send parts
        text = "".join(str(part.get("text", "")) for part in text if isinstance(part, dict))
    if refusal or finish_reason == "content_filter":
        raise CallFailed(
            "refused",
            str(refusal or "stopped by the provider's content filter"),
            is_retryable=False,
            usage=usage,
            finish_reason=finish_reason,
        )
    if not isinstance(text, str) or not text.strip():
        # The limit was spent before the first visible word: asking again would end the same way.
        cut = finish_reason == "length"
        raise CallFailed(
            "truncated" if cut else "empty",
            "the token limit was reached before any text" if cut else "the reply holds no text",
            is_retryable=not cut,
            usage=usage,
            finish_reason=finish_reason,
        )
    return Reply(
        text=text,
        finish_reason=finish_reason,
        failure_kind=None,
        failure_reason=None,
        usage=usage,
        latency_seconds=0.0,
        system_fingerprint=body.get("system_fingerprint"),
        model=body.get("model"),
        attempts=1,
    )


def read_embeddings(body: Any, n_texts: int) -> Reply:
    """An embeddings body as a Reply with its vectors in the order of the texts."""
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        raise CallFailed("server_error", str(body["error"].get("message", body["error"])))
    try:
        items = sorted(body["data"], key=lambda item: item["index"])
        indexes = [item["index"] for item in items]
        vectors = [[float(x) for x in item["embedding"]] for item in items]
    except (KeyError, TypeError, ValueError):
        raise CallFailed("broken_reply", "the reply has no data[].embedding") from None
    if indexes != list(range(n_texts)):
        raise CallFailed("broken_reply", f"{len(indexes)} vectors for {n_texts} texts")
    if not all(vector and all(map(math.isfinite, vector)) for vector in vectors):
        raise CallFailed("broken_reply", "a vector is empty or not finite")
    usage = read_usage(body.get("usage"))
    return Reply(
        text=None,
        finish_reason=None,
        failure_kind=None,
        failure_reason=None,
        usage=usage,
        latency_seconds=0.0,
        system_fingerprint=None,
        model=body.get("model"),
        attempts=1,
        vectors=vectors,
    )


def read_usage(usage: Any) -> Usage:
    """Token counts in either of the two APIs' names; zero where a server sends none."""
    if not isinstance(usage, dict):
        return NO_USAGE

    def count(counts: Any, key: str) -> int:
        value = counts.get(key) if isinstance(counts, dict) else None
        return int(value) if isinstance(value, (int, float)) and value > 0 else 0

    def detail(side: str, other_name: str, key: str) -> int:
        found = usage.get(side), usage.get(other_name)
        return next((n for details in found if details and (n := count(details, key))), 0)

    return Usage(
        count(usage, "prompt_tokens") or count(usage, "input_tokens"),
        detail("prompt_tokens_details", "input_tokens_details", "cached_tokens"),
        count(usage, "completion_tokens") or count(usage, "output_tokens"),
        detail("completion_tokens_details", "output_tokens_details", "reasoning_tokens"),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds a server asks to wait: `retry-after-ms`, seconds, or an HTTP date. None if unsaid."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def wait_before(attempt: int, asked: float | None, first_wait: float) -> float | None:
    """Seconds to wait after failed attempt number `attempt`; None if the server asks too much.

    Without a Retry-After: a random share of a wait that doubles ("full jitter"). With one: never
    less than it, plus a little jitter.
    """
    if asked is not None and asked > LONGEST_RETRY_AFTER_SECONDS:
        return None
    backoff = random.uniform(0, min(LONGEST_WAIT_SECONDS, first_wait * 2**attempt))
    if asked is None:
        return backoff
    return asked + min(backoff, RETRY_AFTER_JITTER * (1 + asked))


async def _read_bounded(response: aiohttp.ClientResponse) -> bytes:
    length = response.content_length
    if length is not None and length <= MAX_REPLY_BYTES:
        return await response.read()
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MAX_REPLY_BYTES:
            raise CallFailed("broken_reply", f"the reply is longer than {MAX_REPLY_BYTES} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _error_of(body: bytes) -> tuple[str, str | None]:
    text = body.decode("utf-8", "replace").strip()
    try:
        error = json.loads(text).get("error")
    except (ValueError, AttributeError):
        return text or "no text", None
    if isinstance(error, dict):
        code = error.get("code") or error.get("type")
        return str(error.get("message", "")), code if isinstance(code, str) else None
    return str(error or text), None


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.request.getproxies().get(parts.scheme)
