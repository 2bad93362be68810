"""A seat that was vacated: its recorded lines are said while they still fit, then an offline partner plays on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import PlayerInfo
from sessions.players import language, mentions
from sessions.players.base import Action, Player, ToolCall, View
from sessions.players.spec import spec_of
from sessions.trajectory import Done, Turn, other

RECORDED: Final = "recorded line"
SOURCE: Final = "source"
"""Under which name the usage of a message says where it comes from: `RECORDED`, or the partner's name."""

ACTIONS: Final = re.compile(
    r"\b(cancel|chang|modif|updat|upgrad|downgrad|book|refund|exchang|return|compensat|certificate|transfer|insur|bag"
    r"|baggage|luggage|passenger|address|payment|cabin|flight|roam|data|suspend|resum|reboot|restart|toggl|turn on"
    r"|turn off|enabl|disabl)"
)
"""What can be spoken of, by the beginnings of words."""


class ReplayPlayer:
    """Says the next recorded line when `next_line` finds that it still fits, and lets `then` act when none does.

    `recorded` are the turns of the parent after the last one that was kept. `happened` returns the turns of the session
    as it stands, of both seats, for what was done decides whether a line fits; whoever opens the session sets it.
    """

    def __init__(self, seat: Seat, recorded: Sequence[Turn], then: Player, *, parent: str, turn: int) -> None:
        settings: dict[str, JSON] = {"parent": parent, "turn": turn, "then": spec_of(seat, then.info)}
        if then.info.kind == "model":
            settings |= {"then_name": then.info.name, "then_settings": dict(then.info.settings)}
        seed = then.info.settings.get("seed")
        self.info = PlayerInfo(
            "replay", f"recorded+{then.info.name}", settings | ({} if seed is None else {"seed": seed})
        )
        self.seat = seat
        self.then = then
        self.happened: Callable[[], Sequence[Turn]] = tuple
        self._recorded = tuple(recorded)
        self._turn = turn

    async def act(self, view: View) -> Action:
        """Say or do the next thing, and say where it comes from."""
        turns = self.happened()
        earlier = [turn for turn in turns if turn.index <= self._turn]
        line = next_line(self._recorded, [turn for turn in turns if turn.index > self._turn], self.seat, earlier)
        if line is not None:
            calls = tuple(ToolCall(done.call.name, done.call.arguments) for done in line.calls)
            return Action(line.text, calls, line.stop, usage={SOURCE: RECORDED})
        action = await self.then.act(view)
        return replace(action, usage={**action.usage, SOURCE: self.then.info.name})


def next_line(recorded: Sequence[Turn], live: Sequence[Turn], seat: Seat, earlier: Sequence[Turn] = ()) -> Turn | None:
    """Return the next recorded turn of a seat, None once the recording no longer fits what has happened.

    `recorded` and `live` begin after the `earlier` turns both have. It fits while all of this holds:
    - everything the seat has done since is what was recorded, and its calls were answered as they were then;
    - the other seat's calls that changed something are, in the same order, those it had made before the line;
    - what the other seat has said since this seat's last turn asks for the same as what the line answered
      (`asks_the_same`), and tells it every value that the line only knows from there.
    """
    done = [turn for turn in live if turn.seat == seat]
    lines = [turn for turn in recorded if turn.seat == seat]
    if len(done) >= len(lines) or not all(map(_same, lines, done)):
        return None
    line = lines[len(done)]
    before = [turn for turn in recorded if turn.index < line.index]
    if _writes(before, other(seat)) != _writes(live, other(seat)):
        return None
    then, now = _words(before, seat), _words(live, seat)
    if not asks_the_same(then, now):
        return None
    known = {value for turn in (*earlier, *live) for value in _known_from(turn, seat)}
    only_from_there = (values(_content(line)) & values(then)) - known
    return None if only_from_there else line


def asks_the_same(then: str, now: str) -> bool:
    """Tell whether words call for the answer that other words were given, whatever their wording.

    They make the same move (ask leave, ask for more, refuse, hand over, say yes or no), ask for nothing and speak of
    nothing that was not asked for and spoken of then, and name no value that was not named.
    """
    if " ".join(then.split()) == " ".join(now.split()):
        return True
    if not then.strip() or not now.strip() or _move(then) != _move(now):
        return False
    return (
        set(language.asked(now)) <= set(language.asked(then))
        and set(ACTIONS.findall(now.lower())) <= set(ACTIONS.findall(then.lower()))
        and values(now) <= values(then)
    )


def _move(text: str) -> tuple[object, ...]:
    answer = language.answer(text)
    return (
        answer is language.Answer.UNCLEAR and language.asks_to_confirm(text),  # "yes, go ahead" asks for nothing
        language.asks_for_more(text),
        language.refuses(text),
        language.transfers(text),
        answer,
    )


def values(text: str) -> set[str]:
    """Return the values a text names: ids, flights, dates, amounts, cabins, numbers."""
    kinds = (
        *(mentions.flights, mentions.payment_ids, mentions.user_ids, mentions.emails, mentions.zips, mentions.orders),
        *(mentions.items, mentions.phones, mentions.records, mentions.cabins, mentions.gigabytes),
    )
    found = {value for kind in kinds for value in mentions.values(kind(text))}
    found |= set(mentions.values(mentions.dates(text, "")))
    # A reservation is told from a word by its capitals or digits; an amount is one with or without a currency.
    found |= {code for code in mentions.values(mentions.codes(text)) if code in text or re.search(r"\d", code)}
    return found | {
        str(float(number)) for number in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", text.replace(",", ""))
    }


def _content(turn: Turn) -> str:
    calls = (json.dumps(dict(done.call.arguments), default=str) for done in turn.calls)
    return "\n".join((turn.text, *calls))


def _known_from(turn: Turn, seat: Seat) -> set[str]:
    """Return the values that a turn has told a seat."""
    if turn.seat != seat:
        return set() if turn.calls else values(turn.text)
    answers = (done.result.content for done in turn.calls if done.result is not None)
    return values("\n".join((turn.text, *answers)))


def _same(recorded: Turn, done: Turn) -> bool:
    return (
        (recorded.text, recorded.stop) == (done.text, done.stop)
        and len(recorded.calls) == len(done.calls)
        and all(map(_same_call, recorded.calls, done.calls))
    )


def _same_call(recorded: Done, done: Done) -> bool:
    answers = [(d.result.content, d.result.error) if d.result is not None else None for d in (recorded, done)]
    return _signature(recorded) == _signature(done) and answers[0] == answers[1]


def _signature(done: Done) -> tuple[str, str]:
    return done.call.name, json.dumps(dict(done.call.arguments), sort_keys=True, default=str)


def _writes(turns: Iterable[Turn], seat: Seat) -> list[tuple[str, str]]:
    return [
        _signature(done)
        for turn in turns
        if turn.seat == seat
        for done in turn.calls
        if (done.result is not None and done.result.changes) or (done.synced is not None and done.synced.changes)
    ]


def _words(turns: Sequence[Turn], seat: Seat) -> str:
    """Return what the seat has heard since its own last turn."""
    last = max((turn.index for turn in turns if turn.seat == seat), default=-1)
    return "\n".join(turn.text for turn in turns if turn.seat != seat and not turn.calls and turn.index > last)
