"""The words of a full-duplex run: what both sides said at the same time, put one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from domains.values import JSON

PAUSE: Final = 5
"""Ticks of silence after which one side's next words are a turn of their own; at five ticks a second, one second."""

Side = Literal["agent", "user"]
ROLES: Final[Mapping[Side, str]] = {"agent": "assistant", "user": "user"}


@dataclass
class _Utterance:
    """Words of one side that belong together."""

    side: Side
    timestamp: JSON
    last: int
    parts: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def add(self, text: str, ids: set[str], tick: int) -> None:
        if self.parts and ids and self.ids and ids.isdisjoint(self.ids):
            self.parts.append(" ")
        self.parts.append(text)
        self.ids = ids
        self.last = tick

    def message(self) -> dict[str, JSON]:
        return {"role": ROLES[self.side], "content": "".join(self.parts).strip(), "timestamp": self.timestamp}


def messages(ticks: Sequence[JSON]) -> list[dict[str, JSON]]:
    """Return the messages that the ticks of a run amount to, in the order in which they began."""
    out: list[dict[str, JSON] | _Utterance] = []
    talking: dict[Side, _Utterance] = {}
    transcribed = any(isinstance(tick, dict) and tick.get("user_transcript") for tick in ticks)
    for number, tick in enumerate(ticks):
        if not isinstance(tick, dict):
            continue
        for side in ROLES:
            text, ids = _said(tick, side, transcribed)
            if text:
                current = talking.get(side)
                if current is None or number - current.last > PAUSE:
                    current = talking[side] = _Utterance(side, tick.get("timestamp"), number)
                    out.append(current)
                current.add(text, ids, number)
            acts = list(_acts(tick, side))
            if acts:
                talking.pop(side, None)
                out.extend(acts)
    return [entry.message() if isinstance(entry, _Utterance) else entry for entry in out]


def _said(tick: Mapping[str, JSON], side: Side, transcribed: bool) -> tuple[str, set[str]]:
    """Return a side's words in a tick, never its audio."""
    chunk = tick.get(f"{side}_chunk")
    chunk = chunk if isinstance(chunk, dict) else {}
    ids = {str(i) for i in chunk.get("utterance_ids") or ()}
    if side == "user" and transcribed:
        words = tick.get("user_transcript")
    elif chunk.get("is_audio"):
        words = chunk.get("audio_script_gold")
    else:
        words = chunk.get("content") or chunk.get("audio_script_gold")
    return (words if isinstance(words, str) else ""), ids


def _acts(tick: Mapping[str, JSON], side: Side) -> Iterator[dict[str, JSON]]:
    calls = tick.get(f"{side}_tool_calls")
    if isinstance(calls, list) and calls:
        requested = [{"requestor": ROLES[side], **call} for call in calls if isinstance(call, dict)]
        yield {"role": ROLES[side], "content": None, "tool_calls": requested, "timestamp": tick.get("timestamp")}
        answers = tick.get(f"{side}_tool_results")
        yield from (answer for answer in (answers if isinstance(answers, list) else ()) if isinstance(answer, dict))
