"""Lists sessions by SQL: a page at a time, by any filter, and each with its branches. Never reads what is not shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from domains.choices import among
from domains.errors import DataError
from sessions.event import Termination
from sessions.processes import played_elsewhere
from sessions.recorder import Recorder

Status: TypeAlias = Literal["ended", "playing", "interrupted"]

SHOWN: Final = (
    *("id", "domain", "pack", "task_id", "user_kind", "user_name", "agent_kind", "agent_name", "view", "started"),
    *("updated", "turns", "ended", "process", "reason", "reward", "recorded_reward", "parent", "parent_turn", "origin"),
    "trial",
)
HIDDEN: Final = ("header", "process")
ULID_PART: Final = re.compile("[0-9A-HJKMNP-TV-Z]{2,26}", re.IGNORECASE)
COMPARED: Final = re.compile(r"^([\w.]+)(!=|<=|>=|=|<|>)(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One session in a list."""

    id: str
    domain: str
    pack: str
    task_id: str
    user_kind: str | None
    user_name: str | None
    agent_kind: str | None
    agent_name: str | None
    view: str
    started: float
    updated: float
    turns: int
    ended: float | None
    process: str | None = field(repr=False)
    reason: str | None
    reward: float | None
    recorded_reward: float | None
    parent: str | None
    parent_turn: int | None
    origin: str | None
    """The format it was imported in."""
    trial: int | None

    @property
    def status(self) -> Status:
        """Whether it has ended, is played by another program, or waits to be taken up."""
        if self.ended is not None:
            return "ended"
        return "playing" if played_elsewhere(self.process) else "interrupted"

    @property
    def players(self) -> tuple[tuple[str, str, str], ...]:
        """Seat, kind and name of each player."""
        both = (("user", self.user_kind, self.user_name), ("agent", self.agent_kind, self.agent_name))
        return tuple((seat, kind, name or "") for seat, kind, name in both if kind is not None)


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions in SQL with their values, made of what a person types."""

    where: str = "1"
    values: tuple[Any, ...] = ()


def parse(text: str, columns: Sequence[str]) -> Filter:
    """Turn words into a filter: `reward<1`, `agent_name=oracle`, `header.limits.max_steps=30`; others are searched.

    Nothing after `=` means that there is no value. Raises DataError for a field there is none of.
    """
    conditions, values = [], []
    for word in text.split():
        match = COMPARED.match(word)
        if match is None:
            condition, found = _searched(word)
            conditions.append(condition)
            values += found
            continue
        name, operator, value = match.groups()
        column = _column(name, columns)
        if value:
            conditions.append(f"{column} {'is not' if operator == '!=' else operator} ?")
            values.append(value if column == name else _number(value))
        else:
            conditions.append(f"{column} is {'not ' if operator == '!=' else ''}null")
    return Filter(" and ".join(conditions) or "1", tuple(values))


def _searched(word: str) -> tuple[str, list[Any]]:
    """Return a condition that a word stands somewhere; what can be known beforehand is not compared row by row."""
    like = f"%{_escaped(word)}%"
    # Names are found in any case; elsewhere a plain comparison does, which is a third faster over 100,000 rows.
    parts = ["user_name like ? escape '\\'", "agent_name like ? escape '\\'", "instr(domain, ?)", "instr(task_id, ?)"]
    values = [like, like, word.lower(), word]
    if ULID_PART.fullmatch(word):
        parts.append("instr(id, ?)")
        values.append(word.upper())
    if reasons := [reason for reason in get_args(Termination) if word.lower() in reason]:
        parts.append(f"reason in ({', '.join('?' * len(reasons))})")
        values += reasons
    return f"({' or '.join(parts)})", values


def _column(name: str, columns: Sequence[str]) -> str:
    known = [column for column in columns if column not in HIDDEN]
    if name in known:
        return name
    if name.startswith("header.") and re.fullmatch(r"[\w.]+", name):
        return f"json_extract(header, '$.{name.removeprefix('header.')}')"
    raise DataError(f"sessions have no field {name!r}; {among(name, known)}, and header.NAME")


def _number(text: str) -> Any:
    # A column turns text into what it holds; a field of the header has no type of its own.
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text


def _escaped(text: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", text)


def page(recorder: Recorder, wanted: Filter, offset: int = 0, limit: int = 200) -> list[Row]:
    """Return sessions newest first, from `offset` on. Raises RecordingFailed."""
    rest = f"indexed by sessions_listed where {wanted.where} order by started desc, id desc limit ? offset ?"
    return _rows(recorder, rest, (*wanted.values, limit, offset))


def count(recorder: Recorder, wanted: Filter) -> int:
    """Return how many sessions fit. Raises RecordingFailed."""
    query = f"select count(*) from sessions indexed by sessions_listed where {wanted.where}"
    [(number,)] = recorder.select(query, wanted.values)
    return int(number)


def find(recorder: Recorder, session_id: str) -> Row | None:
    """Return one session, None when there is none. Raises RecordingFailed."""
    return next(iter(_rows(recorder, "where id = ?", (session_id,))), None)


def open_sessions(recorder: Recorder, limit: int = 20) -> list[Row]:
    """Return the sessions that have not ended and from which nobody went on otherwise, the last played first."""
    return _rows(
        recorder,
        "where ended is null and not exists (select 1 from sessions c where c.parent = sessions.id)"
        " order by updated desc limit ?",
        (limit,),
    )


def family(recorder: Recorder, session_id: str) -> list[tuple[int, Row]]:
    """Return the tree a session is part of, each with its depth, children after their parent, oldest first.

    A parent that was deleted is not there: what was begun from it is a root. Raises RecordingFailed.
    """
    up = recorder.select(
        "with recursive up(id, parent, height) as (select id, parent, 0 from sessions where id = ?"
        " union select s.id, s.parent, height + 1 from sessions s join up on s.id = up.parent)"
        " select id from up order by height desc limit 1",
        (session_id,),
    )
    if not up:
        return []
    down = (
        "with recursive down(id, depth, place) as (select ?, 0, ''"
        " union all select s.id, depth + 1, place || printf('/%020.6f %s', s.started, s.id) from sessions s"
        " join down on s.parent = down.id)"
    )
    found = recorder.select(f"{down} select id, depth from down order by place", up[0])
    marks = ", ".join("?" * len(found))
    rows = {row.id: row for row in _rows(recorder, f"where id in ({marks})", tuple(i for i, _ in found))}
    return [(depth, rows[i]) for i, depth in found if i in rows]


def _rows(recorder: Recorder, rest: str, values: Sequence[Any]) -> list[Row]:
    found = recorder.select(f"select {', '.join(SHOWN)} from sessions {rest}", values)
    return [Row(**dict(zip(SHOWN, row, strict=True))) for row in found]
