"""An OpenAI-compatible server for tests: real HTTP on 127.0.0.1 that misbehaves as it is told.

It runs in a thread of the test's process, so that a test reads directly what arrived.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Request:
    """What arrived, when, and what became of it."""

    number: int  # in the order of arrival, from 1
    path: str
    headers: dict[str, str]
    body: Any
    at: float
    in_flight: int
    fault: str | None = None

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]

    @property
    def last(self) -> str:
        """The last user message."""
        return self.messages[-1]["content"]


@dataclass
class Faults:
    """Misbehaviour by chance: kind to share of requests. The seed makes it the same every time."""

    shares: dict[str, float]
    seed: int = 7
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, request: Request) -> str | None:
        point = self._random.random()
        for kind, share in self.shares.items():
            point -= share
            if point < 0:
                return kind
        return None


def reply_text(request: Request) -> str:
    """A text that depends on what was asked alone."""
    digest = hashlib.sha256(json.dumps(request.messages).encode()).hexdigest()
    return f"After some thought it is 【{int(digest[:4], 16)}】"


class EndpointServer:
    """Serves chat completions and embeddings.

    `fault(request)` names how a request is to go wrong (None: well); `text(request)` is a good
    reply's text; `delay` is how long every reply takes, in seconds.
    """

    FAULTS = (
        "429", "429 retry-after", "429 date", "500", "hang", "cut", "broken json", "empty",
        "refusal", "same id", "slow", "truncated", "400", "401", "echo key", "error body",
    )  # fmt: skip

    def __init__(
        self,
        *,
        fault: Callable[[Request], str | None] = lambda _: None,
        text: Callable[[Request], str] = reply_text,
        delay: float = 0.0,
        retry_after: float = 0.1,
        usage: dict[str, Any] | None = None,
        embedding: Callable[[str, str], list[float]] = lambda _, text: vector(text),
        port: int = 0,
    ) -> None:
        self.requests: list[Request] = []
        self.outcomes: Counter[str] = Counter()
        self.most_in_flight = 0
        self.fault, self.text, self.delay, self.retry_after = fault, text, delay, retry_after
        self.usage = usage or {"prompt_tokens": 100, "completion_tokens": 50}
        self.embedding = embedding  # of (model, text)
        self._port = port
        self._in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> EndpointServer:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)
        )
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.05))
        self._loop.close()

    # ---- one request

    def arrived(self, connection: _Connection, path: str, headers: dict, body: bytes) -> None:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        request = Request(
            len(self.requests) + 1, path, headers, json.loads(body), time.time(), self._in_flight
        )
        self.requests.append(request)
        request.fault = self.fault(request)
        self.outcomes[request.fault or "good"] += 1
        if request.fault in ("hang", "slow"):
            self._loop.create_task(self._crawl(connection, request))
        else:
            self._loop.call_later(self.delay, self._answer, connection, request)

    async def _crawl(self, connection: _Connection, request: Request) -> None:
        if request.fault == "hang":
            while not connection.is_lost:
                await asyncio.sleep(0.05)
        else:
            data = _http(200, self._good(request))
            for start in range(0, len(data), 64):
                connection.write(data[start : start + 64])
                await asyncio.sleep(0.03)
        self._in_flight -= 1

    def _answer(self, connection: _Connection, request: Request) -> None:
        self._in_flight -= 1
        fault = request.fault or ""
        if fault.startswith("429"):
            extra = {}
            if fault == "429 retry-after":
                extra = {"retry-after": str(self.retry_after)}
            elif fault == "429 date":
                moment = time.gmtime(time.time() + self.retry_after)
                extra = {"retry-after": time.strftime("%a, %d %b %Y %H:%M:%S GMT", moment)}
            connection.write(_http(429, {"error": {"message": "slow down"}}, extra))
        elif fault in ("400", "401", "500"):
            connection.write(_http(int(fault), {"error": {"message": f"test says {fault}"}}))
        elif fault == "echo key":
            message = f"bad header {request.headers.get('authorization')}"
            connection.write(_http(500, {"error": {"message": message}}))
        elif fault == "error body":
            connection.write(_http(200, {"error": {"message": "busy"}}))
        elif fault == "cut":
            data = _http(200, self._good(request))
            connection.write(data[: len(data) - 20])
            connection.close()
        elif fault == "broken json":
            connection.write(_http(200, json.dumps(self._good(request))[:-7]))
        else:
            connection.write(_http(200, self._good(request)))

    def _good(self, request: Request) -> dict[str, Any]:
        if request.path.endswith("/embeddings"):
            data = [
                {"index": n, "embedding": self.embedding(request.body["model"], text)}
                for n, text in enumerate(request.body["input"])
            ]
            random.Random(request.number).shuffle(data)
            usage = {"prompt_tokens": sum(map(len, request.body["input"]))}
            return {"object": "list", "data": data, "model": "m", "usage": usage}
        message: dict[str, Any] = {"role": "assistant", "content": self.text(request)}
        finish_reason = "stop"
        if request.fault == "empty":
            message["content"] = ""
        elif request.fault == "refusal":
            message = {"role": "assistant", "content": None, "refusal": "I would rather not."}
        elif request.fault == "truncated":
            message["content"], finish_reason = "First we see that", "length"
        number = 1 if request.fault == "same id" else request.number
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": request.body["model"],
            "system_fingerprint": "fp_test",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": self.usage,
        }


def vector(text: str) -> list[float]:
    """Eight numbers that depend on the text alone."""
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 128 - 1 for byte in digest[:8]]


class _Connection(asyncio.Protocol):
    def __init__(self, server: EndpointServer) -> None:
        self._server = server
        self._buffer = b""
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def connection_lost(self, _: Exception | None) -> None:
        self.is_lost = True

    def write(self, data: bytes) -> None:
        if not self.is_lost:
            self._transport.write(data)  # type: ignore[attr-defined]

    def close(self) -> None:
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in lines)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            length = int(headers.get("content-length", 0))
            if len(self._buffer) < end + 4 + length:
                return
            body = self._buffer[end + 4 : end + 4 + length]
            self._buffer = self._buffer[end + 4 + length :]
            self._server.arrived(self, first.split()[1], headers, body)


def _http(status: int, body: Any, extra: dict[str, str] | None = None) -> bytes:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} X", "content-type: application/json"]
    head += [f"content-length: {len(data)}"]
    head += [f"{name}: {value}" for name, value in (extra or {}).items()]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data
