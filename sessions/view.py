"""What each seat may see, and in which mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from domains.toolkit import Seat
from sessions.event import PlayerInfo, ViewMode
from sessions.trajectory import Turn


def visible_turns(turns: Iterable[Turn], seat: Seat) -> tuple[Turn, ...]:
    """Return the conversation as one seat knows it: the other side's words, one's own words and calls.

    Words the other side sent together with calls went to the tools, as in tau2, and are not heard here.
    """
    heard = []
    for turn in turns:
        if turn.seat == seat:
            heard.append(turn)
        elif not turn.calls:
            heard.append(replace(turn, message=None))
    return tuple(heard)


def default_view(players: Mapping[Seat, PlayerInfo], people: Iterable[Seat]) -> ViewMode:
    """Return blind when a person faces a model under test, open against offline partners and alone."""
    mine = set(people)
    return "blind" if any(info.kind == "model" for seat, info in players.items() if seat not in mine) else "open"
