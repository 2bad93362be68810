"""The server: plain HTTP/1.1 on loopback, in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, TypeAlias

from tests.fake_llm.answers import Answer, Hangs, InTurn, Says, Sends, error

Models: TypeAlias = Mapping[str, Sequence[Answer] | InTurn]


class FakeLLM:
    """Answers each request with the next answer of its model's script; the last one stands for all that follow.

    `requests` is everything it was asked, `headers` with which headers.
    """

    def __init__(
        self, *answers: Answer, models: Mapping[str, Sequence[Answer] | InTurn] | None = None, port: int = 0
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.port = port
        self._answers = list(answers)
        self._models = {
            name: script if isinstance(script, InTurn) else list(script) for name, script in (models or {}).items()
        }
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """What to give as `api_base`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        assert self._loop is not None and self._stop is not None and self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def serve(self) -> None:
        """Serve until told to stop."""
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        connections: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            try:
                await self._connection(reader, writer)
            finally:
                connections.discard(task)

        server = await asyncio.start_server(connected, "127.0.0.1", self.port, backlog=1024, limit=1 << 24)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                method, path, _ = head[0].split(" ", 2)
                if not await self._answer(method, path, headers, body, reader, writer):
                    break
        writer.close()

    async def _answer(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Answer one request; false when the connection is to be closed."""
        if method == "GET" and path.endswith("/models"):
            listed = [{"id": name, "object": "model"} for name in self._models]
            _send(writer, Sends(200, json.dumps({"object": "list", "data": listed})))
            return True
        if not path.endswith("/chat/completions"):
            _send(writer, error(404, f"nothing at {path}"))
            return True
        asked = json.loads(body)
        self.requests.append(asked)
        self.headers.append(headers)
        match self._next(asked):
            case Sends() as answer:
                _send(writer, answer)
                await writer.drain()
                return True
            case Hangs():
                await reader.read(1)
                return False
            case Says() as answer if asked.get("stream"):
                return await _stream(writer, answer, asked)
            case Says() as answer:
                _send(writer, Sends(200, json.dumps(answer.whole(asked["model"]))))
                await writer.drain()
                return True

    def _next(self, asked: Mapping[str, Any]) -> Answer:
        script = self._models.get(asked["model"], self._answers)
        if not script:
            return error(404, f"The model `{asked['model']}` does not exist.", "model_not_found")
        if isinstance(script, InTurn):
            return script.at(asked["messages"])
        return script.pop(0) if len(script) > 1 else script[0]


def _send(writer: asyncio.StreamWriter, answer: Sends) -> None:
    body = answer.body.encode()
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
        f"Content-Type: {answer.kind}",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
    ]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


async def _stream(writer: asyncio.StreamWriter, answer: Says, asked: Mapping[str, Any]) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunks = list(answer.chunks(asked["model"]))
    started = time.monotonic()
    if answer.cut:
        chunks = chunks[: max(1, len(chunks) // 2)]
    for i, chunk in enumerate(chunks):
        if writer.is_closing():
            return False
        _event(writer, json.dumps(chunk))
        await writer.drain()
        if i == 1 and answer.gate is not None:
            await asyncio.to_thread(answer.gate.wait)
        if answer.rate:
            await asyncio.sleep(max(0.0, started + (i + 1) / answer.rate - time.monotonic()))
    if answer.cut:
        return False
    if (asked.get("stream_options") or {}).get("include_usage") and (usage := answer.usage_chunk(asked["model"])):
        _event(writer, json.dumps(usage))
    _event(writer, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _event(writer: asyncio.StreamWriter, data: str) -> None:
    event = f"data: {data}\n\n".encode()
    writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")


def closed_port() -> int:
    """Return a port of loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
