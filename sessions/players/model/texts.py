"""Acts written as text: `Thought:` and `Action:` with JSON (ReAct), `Action:` alone (Act), `Response:` (users)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

RESPOND: Final = "respond"
"""The action of an agent that speaks, as in τ-bench."""

ACTION: Final = re.compile(r"^[ \t>*#]*Action[*]*\s*:[*]*", re.MULTILINE)
THOUGHT: Final = re.compile(r"^[\s>*#]*Thought[*]*\s*:[*]*", re.IGNORECASE)
RESPONSE: Final = re.compile(r"^[ \t>*#]*(?:User )?Response[*]*\s*:[*]*[ \t]*", re.MULTILINE | re.IGNORECASE)


class Unreadable(Exception):
    """A text that is no act: one line that can be told to the model."""


@dataclass(frozen=True, slots=True)
class Act:
    """What an agent wrote: a call, or words (`name` empty)."""

    name: str = ""
    arguments: Mapping[str, Any] | None = None
    text: str = ""
    thought: str = ""


def read_act(text: str) -> Act:
    """Return the first act in a text. Raises Unreadable.

    What follows its JSON is dropped: models like to write the tool's answer themselves. A text without any `Action:`
    is taken for words, as τ-bench does.
    """
    marker = ACTION.search(text)
    if marker is None:
        if THOUGHT.match(text):
            raise Unreadable("there is a Thought but no Action; write both")
        return Act(text=text.strip())
    thought = THOUGHT.sub("", text[: marker.start()], count=1).strip()
    start = text.find("{", marker.end())
    if start < 0:
        raise Unreadable("after Action: there must be a JSON object with name and arguments")
    try:
        found, _ = json.JSONDecoder(parse_constant=_no_number).raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the JSON after Action: cannot be read: {error}") from None
    name, arguments = found.get("name"), found.get("arguments", {})
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        raise Unreadable("the JSON after Action: needs a name, a text, and arguments, an object")
    if name != RESPOND:
        return Act(name, arguments, thought=thought)
    words = arguments.get("content")
    if not isinstance(words, str) or not words.strip():
        raise Unreadable('to respond, write {"name": "respond", "arguments": {"content": "your words"}}')
    return Act(text=words.strip(), thought=thought)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def read_response(text: str) -> tuple[str, str]:
    """Split what a user wrote into thought and words. Raises Unreadable when there are only thoughts."""
    marker = RESPONSE.search(text)
    if marker is None:
        if THOUGHT.match(text):
            raise Unreadable("there is a Thought but no Response; write both")
        return "", text.strip()
    words = text[marker.end() :].strip()
    if not words:
        raise Unreadable("the Response is empty")
    return THOUGHT.sub("", text[: marker.start()], count=1).strip(), words


def written(name: str, arguments: Mapping[str, Any], thought: str = "") -> str:
    """Return an act as `read_act` reads it."""
    act = json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)
    return f"Thought: {thought}\nAction:\n{act}" if thought else f"Action:\n{act}"
