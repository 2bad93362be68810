"""Everything that can happen in a session, as frozen values that are written once and never changed.

`encode` and `decode` carry them through JSON; `VERSION` is written with each event, and every older one stays readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from domains.database import Change
from domains.toolkit import Seat
from domains.values import ABSENT, JSON, Record
from sessions.limits import Limits

VERSION: Final = 1

PlayerKind: TypeAlias = Literal["human", "model", "oracle", "script", "replay"]
ViewMode: TypeAlias = Literal["blind", "open", "present"]
Stop: TypeAlias = Literal["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"]
Termination: TypeAlias = Literal[
    "user_stop",
    "agent_stop",
    "max_steps",
    "timeout",
    "too_many_errors",
    "agent_error",
    "user_error",
    "infrastructure_error",
    "context_window_exceeded",
    "unexpected_error",
    "abandoned",
]
ScoreSource: TypeAlias = Literal["computed", "recorded"]
Decision: TypeAlias = Literal["approved", "edited", "refused"]
JudgeKind: TypeAlias = Literal["human", "model"]
ExposureKind: TypeAlias = Literal["trace", "database", "goal", "preview", "completion", "plan", "words"]


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """Who fills a seat: `name` is a pseudonym, a model, or a partner with its options (`oracle:slips=1`)."""

    kind: PlayerKind
    name: str
    settings: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Header:
    """Under which conditions a session is played; fixed when it is opened."""

    id: str
    domain: str
    task_id: str
    task: Mapping[str, JSON]
    """The whole task in tau2's schema, so that the session can be scored whatever becomes of the pack."""
    players: Mapping[Seat, PlayerInfo]
    view: ViewMode
    pack: str = "bundled"
    split: str = "base"
    solo: bool = False
    plan: bool = False
    no_policy: bool = False
    spoilers: bool = False
    supervised: bool = False
    """Whether a person decides on the writes of those who are no people, from the beginning on."""
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    temperature: float | None = None
    program: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of `agent` and `user` database before the task's own changes, `policy`, `task`, `prompts`."""
    parent: str = ""
    parent_turn: int | None = None
    run: str = ""
    """The run of `tau-tui run` it was played in; `trial` counts from 0 within its task."""
    trial: int | None = None
    origin: Mapping[str, JSON] = field(default_factory=dict)
    """Of an imported session, what its file says: `format`, `simulation`, `trial`, and what has no other place here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened; `at` is seconds since the epoch, never earlier than the event before."""

    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Event):
    header: Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(Event):
    """The session was taken up again, by another run of the program."""

    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Event):
    """What a player said in one turn. `stop` is the control token, which a person never types into `text`.

    With calls in the same turn the words are kept here and the calls follow as events of that turn.
    """

    turn: int
    seat: Seat
    text: str
    stop: Stop | None = None
    usage: Mapping[str, JSON] = field(default_factory=dict)
    """Where a model spoke: tokens, cost, latency, model served, reasoning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Event):
    turn: int
    seat: Seat
    id: str
    name: str
    arguments: Mapping[str, JSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Event):
    """The answer to the call of the same id, with what the tool changed; `elapsed` in seconds."""

    turn: int
    seat: Seat
    id: str
    content: str
    error: bool = False
    changes: tuple[Change, ...] = ()
    elapsed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced(Event):
    """What the other side's world made of the call before it."""

    turn: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Event):
    """Words in a person's input box, saved so that a crash does not take them."""

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone(Event):
    """A turn taken back before it was answered; its message stays in the log."""

    turn: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed(Event):
    """What a supervisor decided on a write before it was made; a refused one is never made, and no call follows.

    `arguments` are those the player asked for, `edited` those of the call that is made instead.
    """

    turn: int
    seat: Seat
    name: str
    arguments: Mapping[str, JSON]
    decision: Decision
    edited: Mapping[str, JSON] | None = None
    reason: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision(Event):
    """From here on a person decides on writes before they are made, or no longer does."""

    on: bool
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated(Event):
    """From here on somebody else fills a seat: a person took over from a model, or handed back."""

    seat: Seat
    player: PlayerInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Event):
    """Something a person was shown that the benchmark would have hidden.

    `words` were seen while a model wrote them, and then did not stand, or went to the tools with a call.
    """

    seat: Seat
    kind: ExposureKind
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Event):
    text: str
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(Event):
    """A person's judgement of a fault on a turn (`measures.md` §5)."""

    turn: int
    author: str
    type: str
    severity: str
    text: str = ""
    policy_line: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Event):
    """A failure of the machinery, which is an outcome of its own and never a reward of 0."""

    what: str
    detail: str = ""
    seat: Seat | None = None
    retryable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Event):
    reason: Termination
    by: Seat | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Event):
    """A verdict on one of the task's natural-language assertions, by its number.

    The last one of a person stands, else the last one of a model.
    """

    assertion: int
    met: bool
    by: str = ""
    kind: JudgeKind = "human"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Event):
    """The verdict as it was shown; `reward` is None when nobody has judged what needs a judge.

    `recorded` is what the file said that the session was imported from; its verdict is in the words of that file.
    """

    reward: float | None
    verdict: Mapping[str, JSON]
    source: ScoreSource = "computed"


def set_apart(event: Event) -> str:
    """Return what an event makes of its session, for which statistics can leave it out; nothing for most events."""
    match event:
        case Exposure():
            return event.kind
        case Seated():
            return "seat"
        case Reviewed() | Supervision(on=True) | Opened(header=Header(supervised=True)):
            return "supervised"
        case _:
            return ""


AnyEvent: TypeAlias = (
    Opened
    | Resumed
    | Message
    | Call
    | Result
    | Synced
    | Draft
    | Undone
    | Reviewed
    | Supervision
    | Seated
    | Exposure
    | Note
    | Mark
    | Failure
    | Ended
    | Judged
    | Scored
)

TYPES: Final[Mapping[str, type[Event]]] = {kind.__name__.lower(): kind for kind in get_args(AnyEvent)}


def encode(event: Event) -> dict[str, JSON]:
    """Return a JSON object with `event` (which kind), `v` and the event's fields."""
    return {"event": type(event).__name__.lower(), "v": VERSION} | {
        f.name: _encoded(getattr(event, f.name)) for f in fields(event)
    }


def _encoded(value: Any) -> JSON:
    match value:
        case Change():
            return encode_change(value)
        case tuple():
            return [_encoded(v) for v in value]
        case Header() | PlayerInfo() | Limits():
            return {f.name: _encoded(getattr(value, f.name)) for f in fields(value)}
        case Mapping():
            return {k: _encoded(v) for k, v in value.items()}
        case _:
            return value


def encode_change(change: Change) -> dict[str, JSON]:
    """Return a change as JSON; `before` or `after` is left out where there was or is nothing."""
    out: dict[str, JSON] = {
        "database": change.database,
        "table": change.table,
        "key": change.key,
        "path": list(change.path),
    }
    for side in ("before", "after"):
        if (value := getattr(change, side)) is not ABSENT:
            out[side] = value
    return out


def decode_change(data: Mapping[str, JSON]) -> Change:
    """Return the change that was encoded."""
    before, after = data.get("before", ABSENT), data.get("after", ABSENT)
    if not data["path"]:
        before = Record(before) if isinstance(before, dict) else before
        after = Record(after) if isinstance(after, dict) else after
    return Change(data["database"], data["table"], data["key"], tuple(data["path"]), before, after)


def decode(data: Mapping[str, JSON]) -> Event:
    """Return the event of a JSON object; fields it does not know are ignored. Raises ValueError."""
    kind = TYPES.get(str(data.get("event")))
    if kind is None:
        raise ValueError(f"unknown kind of event {data.get('event')!r}")
    if data.get("v", 0) > VERSION:
        raise ValueError(f"event of version {data['v']}, written by a newer tau-tui; this one reads up to {VERSION}")
    values = {f.name: data[f.name] for f in fields(kind) if f.name in data}
    if "changes" in values:
        values["changes"] = tuple(decode_change(change) for change in values["changes"])
    if "header" in values:
        values["header"] = _header(values["header"])
    try:
        if "player" in values:
            values["player"] = PlayerInfo(**values["player"])
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{data['event']}: {error}") from None


def _header(data: Mapping[str, JSON]) -> Header:
    values = {f.name: data[f.name] for f in fields(Header) if f.name in data}
    values["players"] = {seat: PlayerInfo(**info) for seat, info in values["players"].items()}
    values["limits"] = Limits(**values.get("limits", {}))
    return Header(**values)


def exposed(events: Iterable[Event]) -> set[str]:
    """Return the kinds of exposure a session has had, and what else sets it apart."""
    return {kind for event in events if (kind := set_apart(event))}
