"""What every model in a seat has in common: it is asked, told what was wrong with its reply, and asked once more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from domains.toolkit import Tool
from domains.values import JSON
from sessions.event import PlayerInfo
from sessions.players.base import PlayerFailure, ToolCall, View
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import Request, complete
from sessions.players.model.progress import Listener, Progress, Withdrawn, nobody
from sessions.players.model.reply import Reply, add_usage, parsed
from sessions.players.model.wire import schema

ASKED_AGAIN: Final = 1
"""How often a model is told what was wrong with its reply before that is a failure."""


class Completing(Protocol):
    """How a model is asked; `client.complete` but in tests."""

    def __call__(self, request: Request, tell: Listener) -> Awaitable[Reply]:
        """Return the reply. Raises PlayerFailure."""
        ...


@dataclass(frozen=True, slots=True)
class Said:
    """A reply that could be read."""

    text: str
    calls: tuple[ToolCall, ...]
    thought: str
    usage: Mapping[str, JSON]


class Unusable(Exception):
    """What was wrong with a reply, in a line that is told to the model."""


Reading = Callable[[Reply], tuple[str, tuple[ToolCall, ...], str]]


class ModelPlayer:
    """A model in a seat. `listener` is told of its words as they come; whoever shows the session sets it."""

    info: PlayerInfo

    def __init__(
        self, model: ModelChoice, temperature: float, seed: int | None, complete: Completing = complete
    ) -> None:
        self.model = model
        self.temperature = temperature
        self.seed = seed
        self.listener: Listener = nobody
        self._complete = complete
        self._schemas: tuple[tuple[Tool, ...], list[dict[str, Any]]] = ((), [])

    def tell(self, progress: Progress) -> None:
        """Tell whoever listens now."""
        self.listener(progress)

    def schemas(self, view: View) -> list[dict[str, Any]]:
        """Return the tools of the seat as the protocol has them, made once."""
        if self._schemas[0] != view.tools:
            self._schemas = (view.tools, [schema(tool) for tool in view.tools])
        return self._schemas[1]

    async def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        read: Reading,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        must_call: bool = False,
        tell: Listener | None = None,
    ) -> Said:
        """Return a reply that can be read. Raises PlayerFailure when there is none in two."""
        heard = self.tell if tell is None else tell
        usage: Mapping[str, JSON] = {}
        told: list[Mapping[str, Any]] = []
        for attempt in range(ASKED_AGAIN + 1):
            reply = await self._complete(
                Request(self.model, [*messages, *told], tools, must_call, self.temperature, self.seed), heard
            )
            usage = add_usage(usage, reply.usage)
            try:
                text, calls, thought = read(reply)
            except Unusable as error:
                if attempt == ASKED_AGAIN:
                    raise PlayerFailure(
                        f"{self.model.name}: {error}, {attempt + 1} times; try again, or choose another model"
                    ) from None
                heard(Withdrawn(str(error)))
                told = _complaint(reply, str(error))
                continue
            thoughts = "\n".join(filter(None, (reply.reasoning, thought)))
            return Said(text, calls, thought, {**usage, **({"reasoning": thoughts} if thoughts else {})})
        raise AssertionError("unreachable")


def read_calls(reply: Reply) -> tuple[str, tuple[ToolCall, ...], str]:
    """Read a reply whose calls are calls. Raises Unusable."""
    calls = []
    for raw in reply.calls:
        arguments = parsed(raw)
        if isinstance(arguments, str):
            raise Unusable(arguments)
        calls.append(ToolCall(raw.name, arguments))
    return reply.text, tuple(calls), ""


def _complaint(reply: Reply, problem: str) -> list[Mapping[str, Any]]:
    """Return what was written and what is wrong with it, in a form every provider takes."""
    if not reply.calls:
        return [
            {"role": "assistant", "content": reply.text},
            {"role": "user", "content": f"This could not be used: {problem}. Write it again, in the form asked for."},
        ]
    calls = [
        {"id": f"wrong_{i}", "type": "function", "function": {"name": call.name or "unknown", "arguments": "{}"}}
        for i, call in enumerate(reply.calls)
    ]
    answer = f"Error: {problem}. None of these calls was made; send them again."
    return [
        {"role": "assistant", "content": reply.text or None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "content": answer} for call in calls),
    ]
