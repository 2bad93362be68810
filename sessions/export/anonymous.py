"""Puts stable pseudonyms in the place of people's names, wherever the machinery or a note names them.

A pseudonym is an HMAC of the name under a secret that lives in the recording file: the same person has the same one in
every export of that file, and without the file nobody can try names. What was said in the conversation stays.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sessions.event import (
    Ended,
    Event,
    Exposure,
    Failure,
    Header,
    Judged,
    Mark,
    Note,
    Opened,
    PlayerInfo,
    Reviewed,
    Seated,
    Supervision,
)

DIGITS = 8


class Anonymizer:
    """Replaces names; `known` are the people of the recording file, who may be named in each other's notes."""

    def __init__(self, secret: bytes, known: Iterable[str] = ()) -> None:
        self._secret = secret
        self._known = frozenset(name for name in known if name)

    def pseudonym(self, name: str, kind: str = "player") -> str:
        """Return the pseudonym of a name; one that is a pseudonym already stays."""
        if not name or re.fullmatch(rf"{kind}-[0-9a-f]{{{DIGITS}}}", name):
            return name
        return f"{kind}-{hmac.new(self._secret, name.encode(), hashlib.sha256).hexdigest()[:DIGITS]}"

    def session(self, events: Sequence[Event]) -> list[Event]:
        """Return the events of one session without the names of people."""
        names = set(self._known)
        for event in events:
            if isinstance(event, Opened):
                names |= {info.name for info in event.header.players.values() if info.kind == "human"}
            elif isinstance(event, Seated) and event.player.kind == "human":
                names.add(event.player.name)
            elif isinstance(event, Mark | Judged | Reviewed | Supervision):
                names.add(event.by)
        # Longest first: a name may be the beginning of another.
        listed = sorted((name for name in names if name), key=lambda name: (-len(name), name))
        pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in listed)) if listed else None
        return [self._event(event, pattern) for event in events]

    def _event(self, event: Event, names: re.Pattern[str] | None) -> Event:
        match event:
            case Opened():
                return replace(event, header=self.header(event.header))
            case Mark():
                return replace(event, text=self._text(event.text, names), by=self.pseudonym(event.by))
            case Judged() | Supervision():
                return replace(event, by=self.pseudonym(event.by))
            case Seated():
                return replace(event, player=self._player(event.player))
            case Reviewed():
                return replace(event, reason=self._text(event.reason, names), by=self.pseudonym(event.by))
            case Note():
                return replace(event, text=self._text(event.text, names))
            case Failure():
                return replace(event, what=self._text(event.what, names), detail=self._text(event.detail, names))
            case Ended() | Exposure():
                return replace(event, detail=self._text(event.detail, names))
            case _:
                return event

    def header(self, header: Header) -> Header:
        """Return a header without the names of people."""
        players = {seat: self._player(info) for seat, info in header.players.items()}
        # The folder of a pack often lies in somebody's home.
        pack = header.pack if header.pack == "bundled" else self.pseudonym(header.pack, "pack")
        return replace(header, players=players, pack=pack)

    def _player(self, info: PlayerInfo) -> PlayerInfo:
        return replace(info, name=self.pseudonym(info.name)) if info.kind == "human" else info

    def _text(self, text: str, names: re.Pattern[str] | None) -> str:
        text = text.replace(str(Path.home()), "~")
        return names.sub(lambda found: self.pseudonym(found[0]), text) if names else text
