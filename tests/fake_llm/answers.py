"""What a fake model can answer, and how that looks on the wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Call: TypeAlias = tuple[str, str]
"""A tool's name and the arguments as the model writes them, valid JSON or not."""


def call(name: str, **arguments: Any) -> Call:
    """A call with valid arguments."""
    return name, json.dumps(arguments)


@dataclass(frozen=True, slots=True)
class Says:
    """A streamed reply: words, calls, reasoning, in pieces of a few characters.

    `cut` closes the connection before the end. `gate` is waited for after the first piece, so that a test can look.
    `rate` is a number of pieces a second; 0 is as fast as it goes.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    reasoning: str = ""
    piece: int = 8
    finish: str = ""
    cut: bool = False
    usage: tuple[int, int] | None = (100, 10)
    served: str = ""
    gate: threading.Event | None = None
    rate: float = 0.0

    def chunks(self, model: str) -> Iterator[Mapping[str, Any]]:
        """Yield the chunks of the stream, without the usage."""
        yield self._chunk(model, {"role": "assistant", "content": ""})
        for text in self._pieces(self.reasoning):
            yield self._chunk(model, {"reasoning_content": text})
        for text in self._pieces(self.text):
            yield self._chunk(model, {"content": text})
        for i, (name, arguments) in enumerate(self.calls):
            head = {"index": i, "id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": ""}}
            yield self._chunk(model, {"tool_calls": [head]})
            for text in self._pieces(arguments):
                yield self._chunk(model, {"tool_calls": [{"index": i, "function": {"arguments": text}}]})
        finish = self.finish or ("tool_calls" if self.calls else "stop")
        yield self._chunk(model, {}, finish)

    def usage_chunk(self, model: str) -> Mapping[str, Any] | None:
        """Return the last chunk, which counts the tokens."""
        if self.usage is None:
            return None
        prompt, completion = self.usage
        counted = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        return self._envelope(model) | {"choices": [], "usage": counted}

    def whole(self, model: str) -> Mapping[str, Any]:
        """Return the reply to a request that asked for no stream."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [
                {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for i, (name, arguments) in enumerate(self.calls)
            ]
        finish = self.finish or ("tool_calls" if self.calls else "stop")
        usage = self.usage_chunk(model) or {}
        return (
            self._envelope(model)
            | {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
            | ({"usage": usage["usage"]} if usage else {})
        )

    def _pieces(self, text: str) -> Iterator[str]:
        for start in range(0, len(text), self.piece):
            yield text[start : start + self.piece]

    def _chunk(self, model: str, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        return self._envelope(model) | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    def _envelope(self, model: str) -> dict[str, Any]:
        return {
            "id": "chatcmpl-fake",
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": self.served or model,
        }


@dataclass(frozen=True, slots=True)
class Sends:
    """A reply that is no stream: an error, or a page."""

    status: int
    body: str
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hangs:
    """Takes the request and says nothing until the client goes away."""


Answer: TypeAlias = Says | Sends | Hangs


@dataclass(frozen=True, slots=True)
class InTurn:
    """A script that goes by the conversation asked about, so that many can be held at once; the last answer repeats."""

    answers: Sequence[Answer]

    def at(self, messages: Sequence[Mapping[str, Any]]) -> Answer:
        """Return the answer after so many own messages; a greeting was not the model's own."""
        roles = [message["role"] for message in messages if message["role"] != "system"]
        own = sum(role == "assistant" for role in roles[1:])
        answer: Answer = self.answers[min(own, len(self.answers) - 1)]
        return answer


def error(status: int, message: str, code: str = "", kind: str = "invalid_request_error", **headers: str) -> Sends:
    """An error as OpenAI words it; `retry_after="7"` becomes a header."""
    body = json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code or None}})
    return Sends(status, body, headers={name.replace("_", "-").title(): value for name, value in headers.items()})
