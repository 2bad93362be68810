"""The fold of the event log: the turns taken, whose turn it is, and how far the limits are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from domains.toolkit import Seat
from sessions.event import (
    Call,
    Draft,
    Ended,
    Event,
    Failure,
    Header,
    Judged,
    Message,
    Opened,
    PlayerInfo,
    Result,
    Reviewed,
    Scored,
    Seated,
    Stop,
    Supervision,
    Synced,
    Undone,
)


@dataclass(frozen=True, slots=True)
class Done:
    """A call with its answer; `result` is None while it runs (and for good when the process died in it)."""

    call: Call
    result: Result | None = None
    synced: Synced | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One act of a player: words, calls, or both."""

    index: int
    seat: Seat
    text: str = ""
    stop: Stop | None = None
    calls: tuple[Done, ...] = ()
    at: float = 0.0
    message: Message | None = None


def other(seat: Seat) -> Seat:
    """Return the other seat."""
    return "user" if seat == "agent" else "agent"


@dataclass
class State:
    """Where a session stands; `advance` folds one event into it."""

    header: Header | None = None
    turns: list[Turn] = field(default_factory=list)
    next: Seat | None = None
    """Whose act it is; None before the opening and after the end."""
    next_index: int = 0
    steps: int = 0
    errors: int = 0
    agent_actions: int = 0
    ended: Ended | None = None
    failure: Failure | None = None
    """The last failure, until the session goes on."""
    scored: Scored | None = None
    """The last verdict of ours."""
    recorded: Scored | None = None
    """What the file said that the session was imported from."""
    judged: dict[int, Judged] = field(default_factory=dict)
    """The standing verdict on each natural-language assertion that has been judged."""
    drafts: dict[Seat, str] = field(default_factory=dict)
    players: dict[Seat, PlayerInfo] = field(default_factory=dict)
    """Who fills the seats now."""
    supervised: bool = False
    """Whether a person decides on writes now."""
    refused: list[Reviewed] = field(default_factory=list)
    """The writes a supervisor refused; `turn` is the turn that would have made them."""

    def advance(self, event: Event) -> None:
        """Fold one event."""
        match event:
            case Opened():
                self.header = event.header
                self.players = dict(event.header.players)
                self.supervised = event.header.supervised
                self.next = "agent" if event.header.solo else "user"
            case Message() | Call():
                self._act(event)
            case Result():
                self._answer(event)
            case Synced():
                self._sync(event)
            case Draft():
                self.drafts[event.seat] = event.text
            case Undone():
                self.failure = None
                self.turns = [turn for turn in self.turns if turn.index != event.turn]
                self.next = event.seat
                self.next_index += 1  # whoever was answering it is answering nothing
                self.steps -= 1
                self.agent_actions -= event.seat == "agent"
            case Reviewed() if event.decision == "refused":
                self.refused.append(event)
            case Supervision():
                self.supervised = event.on
            case Seated():
                self.failure = None
                self.players[event.seat] = event.player
            case Failure():
                self.failure = event
            case Ended():
                self.ended = event
                self.next = None
            case Judged() if event.kind == "human" or self._is_a_models(event.assertion):
                self.judged[event.assertion] = event
            case Scored() if event.source == "recorded":
                self.recorded = event
            case Scored():
                self.scored = event

    def judgements(self, count: int) -> tuple[bool | None, ...]:
        """Return the verdicts on so many natural-language assertions, None where one is still to come."""
        return tuple(self.judged[i].met if i in self.judged else None for i in range(count))

    def _is_a_models(self, assertion: int) -> bool:
        standing = self.judged.get(assertion)
        return standing is None or standing.kind == "model"

    def _act(self, event: Message | Call) -> None:
        self.failure = None
        self.drafts.pop(event.seat, None)
        if not self.turns or self.turns[-1].index != event.turn:
            self.turns.append(Turn(index=event.turn, seat=event.seat, at=event.at))
            greeting = event.turn == 0 and event.seat == "agent" and isinstance(event, Message)
            self.next_index = event.turn + 1
            if not greeting:  # tau2 does not count the greeting
                self.steps += 1
        turn = self.turns[-1]
        if isinstance(event, Message):
            self.turns[-1] = replace(turn, text=event.text, stop=event.stop, message=event)
            # Alone, an agent goes on: whatever it says beside its calls is said to nobody.
            alone = self.header is not None and self.header.solo
            # Without words it only says what the calls that follow have taken.
            bare = not event.text and event.stop is None
            self.next = event.seat if alone or bare else other(event.seat)
            if event.turn > 0 and not bare:
                self.agent_actions += event.seat == "agent"
        else:
            if not turn.calls:
                self.steps += 1  # the delivery of all results of one act, together
            self.agent_actions += event.seat == "agent"
            self.turns[-1] = replace(turn, calls=(*turn.calls, Done(event)))
            self.next = event.seat

    def _answer(self, event: Result) -> None:
        self.errors += event.error
        turn = self.turns[-1]
        calls = tuple(replace(done, result=event) if done.call.id == event.id else done for done in turn.calls)
        self.turns[-1] = replace(turn, calls=calls)

    def _sync(self, event: Synced) -> None:
        turn = self.turns[-1]
        self.turns[-1] = replace(turn, calls=(*turn.calls[:-1], replace(turn.calls[-1], synced=event)))


def fold(events: Iterable[Event]) -> State:
    """Return the state after these events."""
    state = State()
    for event in events:
        state.advance(event)
    return state
