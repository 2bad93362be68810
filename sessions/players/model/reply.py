"""What a model answered: gathered from the pieces of a stream, measured, and read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from domains.values import JSON
from sessions.players.model.choice import ModelChoice
from sessions.players.model.progress import Calling, Listener, Progress, Thought, Wrote
from sessions.players.model.thinking import ThinkSplitter
from sessions.players.model.trouble import Stumble, Trouble, its_words

LONGEST_REPLY: Final = 100_000
"""Characters of words, reasoning and arguments together; a longer reply is stopped."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the model wrote it: the arguments are text, which may be no JSON at all."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. `usage` is what `Message.usage` keeps: tokens, cost, latency, model asked and served."""

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    reasoning: str = ""
    usage: Mapping[str, JSON] = field(default_factory=dict)


class Gathered:
    """What has come of a reply so far."""

    def __init__(self, tell: Listener, started: float) -> None:
        self._tell = tell
        self._started = started
        self._first: float | None = None
        self._thinking = ThinkSplitter()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._size = 0
        self._usage: Any = None
        self._finish = ""
        self._served = ""

    @property
    def nothing(self) -> bool:
        """Whether nothing has come that says anything."""
        return not self._text and not self._reasoning and not self._calls

    def take(self, chunk: Any) -> None:
        """Add a chunk. Raises Stumble when the reply has become too long."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        hidden = getattr(chunk, "_hidden_params", None) or {}
        self._served = hidden.get("provider_response_model") or self._served or getattr(chunk, "model", None) or ""
        for choice in chunk.choices[:1]:
            self._finish = choice.finish_reason or self._finish
            delta = choice.delta
            if reasoning := getattr(delta, "reasoning_content", None):
                self._put([Thought(reasoning)])
            if delta.content:
                self._put(self._thinking.feed(delta.content))
            for call in delta.tool_calls or ():
                self._call(call)

    def _call(self, piece: Any) -> None:
        name, arguments = piece.function.name or "", piece.function.arguments or ""
        if piece.index not in self._calls:
            self._calls[piece.index] = ["", ""]
            if name:
                self._put([Calling(name)])
        held = self._calls[piece.index]
        held[0] += name
        held[1] += arguments
        self._grow(len(arguments))

    def _put(self, pieces: Sequence[Progress]) -> None:
        for piece in pieces:
            if self._first is None:
                self._first = time.monotonic() - self._started
            match piece:
                case Wrote(text):
                    self._text.append(text)
                    self._grow(len(text))
                case Thought(text):
                    self._reasoning.append(text)
                    self._grow(len(text))
            self._tell(piece)

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > LONGEST_REPLY:
            what = f"it wrote more than {LONGEST_REPLY:,} characters and was stopped"
            raise Stumble(Trouble(what, "try again, or set max_tokens in the arguments"))

    def reply(self, model: ModelChoice, price: Callable[[Any], float | None]) -> Reply:
        """Return the whole reply."""
        self._put(self._thinking.end())
        calls = tuple(RawCall(name, arguments) for _, (name, arguments) in sorted(self._calls.items()))
        usage: dict[str, JSON] = {
            "model": model.name,
            "served": self._served,
            "finish": self._finish,
            "latency": round(time.monotonic() - self._started, 3),
            "cost": None,
        }
        if self._first is not None:
            usage["first_word"] = round(self._first, 3)
        if self._usage is not None:
            usage["prompt_tokens"] = int(self._usage.prompt_tokens or 0)
            usage["completion_tokens"] = int(self._usage.completion_tokens or 0)
            usage["cost"] = price(self._usage)
        reasoning = _whole("".join(self._reasoning)).strip()
        if reasoning:
            usage["reasoning"] = reasoning
        return Reply(_whole("".join(self._text)).strip(), calls, reasoning, usage)


def _whole(text: str) -> str:
    """Join characters whose two halves came in two pieces; a half that stays alone cannot be kept."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def add_usage(one: Mapping[str, JSON], other: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return what two replies of one turn took together; a cost nobody knows makes the sum unknown."""
    if not one:
        return dict(other)
    total = {**one, **other}
    for name in ("prompt_tokens", "completion_tokens", "latency"):
        if name in one or name in other:
            total[name] = round(one.get(name, 0) + other.get(name, 0), 3)
    first, second = one.get("cost"), other.get("cost")
    total["cost"] = None if first is None or second is None else round(first + second, 9)
    return total


def parsed(call: RawCall) -> dict[str, JSON] | str:
    """Return the arguments of a call, or what is wrong with them."""
    try:
        found: JSON = json.loads(call.arguments or "{}", parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return f"the arguments of {call.name} are not valid JSON: {its_words(str(error))}"
    if not isinstance(found, dict):
        return f"the arguments of {call.name} must be a JSON object, not {type(found).__name__}"
    if "\\ud" in call.arguments.lower():
        found = json.loads(_whole(json.dumps(found, ensure_ascii=False)))
    return dict(found)


def _no_number(name: str) -> JSON:
    raise ValueError(f"{name} is no JSON")
