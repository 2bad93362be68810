"""What a seat knows, as the messages and tools of OpenAI's protocol; the other side's turns are the `user`'s."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from domains.toolkit import Tool
from sessions.event import Reviewed
from sessions.players.base import View
from sessions.players.model.texts import written
from sessions.trajectory import Done, Turn

UNANSWERED = "Error: the call was never answered"


def schema(tool: Tool) -> dict[str, Any]:
    """Return a tool as a model is told of it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def messages(view: View) -> list[dict[str, Any]]:
    """Return the conversation with calls as calls. Ids are made anew: those of a recording may repeat."""
    out: list[dict[str, Any]] = []
    for turn, refused in _turns(view):
        out += _refusals(refused)
        if turn is None:
            continue
        if turn.seat != view.seat:
            if turn.text:
                out.append({"role": "user", "content": turn.text})
            continue
        if not turn.text and not turn.calls:
            continue
        message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
        named = [(f"call_{turn.index}_{i}", done) for i, done in enumerate(turn.calls)]
        if named:
            message["tool_calls"] = [_call(name, done.call.name, done.call.arguments) for name, done in named]
        out.append(message)
        out += [{"role": "tool", "tool_call_id": name, "content": content(done)} for name, done in named]
    return out


def text_messages(view: View, *, thoughts: bool) -> list[dict[str, Any]]:
    """Return the conversation with calls in words, as ReAct and Act agents write them."""
    out: list[dict[str, Any]] = []
    for turn, refused in _turns(view):
        for one in refused:
            out.append({"role": "assistant", "content": written(one.name, one.arguments)})
            out.append({"role": "user", "content": f"API output: {refusal(one)}"})
        if turn is None:
            continue
        if turn.seat != view.seat:
            if turn.text:
                out.append({"role": "user", "content": turn.text})
            continue
        thought = _thought(turn) if thoughts else ""
        if turn.text and not turn.calls:
            out.append({"role": "assistant", "content": written("respond", {"content": turn.text}, thought)})
        for i, done in enumerate(turn.calls):
            said = written(done.call.name, done.call.arguments, thought if i == 0 else "")
            out += [
                {"role": "assistant", "content": said},
                {"role": "user", "content": f"API output: {content(done)}"},
            ]
    return out


def content(done: Done) -> str:
    """Return what a call was answered."""
    return done.result.content if done.result is not None else UNANSWERED


def refusal(one: Reviewed) -> str:
    """Return what a model is told of a call that was not made."""
    because = f" {one.reason}" if one.reason else ""
    return f"Error: a supervisor refused this call; nothing has happened.{because}"


def transcript(turns: Iterable[Turn], *, own: str, other: str, seat: str) -> str:
    """Return the words of a conversation, one line a turn, without calls."""
    return "\n".join(f"{own if turn.seat == seat else other}: {turn.text}" for turn in turns if turn.text)


def _turns(view: View) -> Iterator[tuple[Turn | None, Sequence[Reviewed]]]:
    """Yield every turn with the calls that were refused before it, and at last those nothing has followed yet."""
    waiting = list(view.refused)
    for turn in view.turns:
        before = [one for one in waiting if one.turn <= turn.index]
        waiting = [one for one in waiting if one.turn > turn.index]
        yield turn, before
    yield None, waiting


def _refusals(refused: Sequence[Reviewed]) -> Iterator[dict[str, Any]]:
    for i, one in enumerate(refused):
        name = f"refused_{one.turn}_{i}"
        yield {"role": "assistant", "content": None, "tool_calls": [_call(name, one.name, one.arguments)]}
        yield {"role": "tool", "tool_call_id": name, "content": refusal(one)}


def _call(name: str, tool: str, arguments: Any) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(dict(arguments))}}


def _thought(turn: Turn) -> str:
    return str(turn.message.usage.get("reasoning", "")) if turn.message is not None else ""
