"""A session against the one it was forked from: which of its writes made the other reward."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import combinations
from typing import TYPE_CHECKING, Final

from domains.catalog import Domain
from domains.task import RewardType, Task
from domains.values import JSON
from sessions.event import Call
from sessions.reward import score
from sessions.trajectory import Done, Turn, fold

if TYPE_CHECKING:
    from sessions.recorder import Recorder
    from sessions.session import Session

MOST_TRIED: Final = 8
"""Up to this many edits every choice of them is tried, 255 plays; beyond, all of them are told."""

BY_WRITES: Final[tuple[RewardType, ...]] = ("DB", "ENV_ASSERTION", "ACTION")
"""The components that calls decide; what was said decides the others."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between two sequences of writes: `instead` of some, `made` others; one of the two may be empty."""

    instead: tuple[Call, ...]
    made: tuple[Call, ...]
    at: tuple[int, int] = field(default=(0, 0), compare=False)
    """Which of the writes of the parent are replaced."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of a reward, and why. `edits` are all differences of the writes, `smallest` those that were enough.

    `smallest` is empty where the calls are not what made the difference: then it was what was said, or how it ended.
    """

    parent: float | None
    child: float | None
    edits: tuple[Edit, ...]
    smallest: tuple[Edit, ...]
    tried: bool
    """Whether every smaller choice of edits was tried."""

    @property
    def flipped(self) -> bool:
        """Whether the rewards are two different ones."""
        return self.parent is not None and self.child is not None and abs(self.parent - self.child) > 1e-6


def compare(
    domain: Domain,
    task: Task,
    parent: tuple[Sequence[Turn], str | None],
    child: tuple[Sequence[Turn], str | None],
    *,
    solo: bool = False,
    rewards: tuple[float | None, float | None] = (None, None),
) -> Comparison:
    """Compare turns and ending of a session with those of its parent; `rewards` are the recorded ones, where known.

    The smallest change is found by playing the parent's writes with some of the edits, the fewest first, until the
    components that calls decide are those of the child. Raises DataError.
    """
    verdicts = [score(domain, task, turns, reason, solo=solo) for turns, reason in (parent, child)]
    known = [
        recorded if recorded is not None else verdict.reward
        for recorded, verdict in zip(rewards, verdicts, strict=True)
    ]
    before, after = _writes(parent[0]), _writes(child[0])
    edits = tuple(_edits(before, after))
    counted = [name for name in BY_WRITES if name in verdicts[1].reward_basis]

    def components(calls: Sequence[Done]) -> list[float | None]:
        turns = [Turn(index=i, seat=done.call.seat, calls=(done,)) for i, done in enumerate(calls)]
        made = score(domain, task, turns, "user_stop", solo=solo).components
        return [made[name] for name in counted]

    smallest: tuple[Edit, ...] = ()
    tried = len(edits) <= MOST_TRIED
    wanted = [verdicts[1].components[name] for name in counted]
    if edits and wanted != [verdicts[0].components[name] for name in counted]:
        choices = _choices(edits) if tried else iter([edits])
        smallest = next((some for some in choices if components(_edited(before, after, some)) == wanted), edits)
    return Comparison(known[0], known[1], edits, smallest, tried)


def against_parent(recorder: Recorder, session: Session) -> Comparison | None:
    """Compare a session that has ended with the one it was forked from, where that is still there.

    Raises DataError and RecordingFailed.
    """
    header = session.header
    if not header.parent or session.state.ended is None:
        return None
    parent = fold(recorder.events(header.parent))
    if parent.header is None:
        return None
    recorded = parent.scored or parent.recorded
    now = session.state.scored
    return compare(
        session.domain,
        session.task,
        (parent.turns, parent.ended.reason if parent.ended is not None else None),
        (session.state.turns, session.state.ended.reason),
        solo=header.solo,
        rewards=(recorded.reward if recorded else None, now.reward if now else None),
    )


def _writes(turns: Sequence[Turn]) -> list[Done]:
    return [done for turn in turns for done in turn.calls if _changed(done)]


def _changed(done: Done) -> bool:
    return bool(done.result is not None and done.result.changes) or bool(
        done.synced is not None and done.synced.changes
    )


def _key(done: Done) -> str:
    call = done.call
    arguments: JSON = dict(call.arguments)
    return f"{call.seat} {call.name} {json.dumps(arguments, sort_keys=True, default=str)}"


def _edits(before: Sequence[Done], after: Sequence[Done]) -> Iterator[Edit]:
    matcher = SequenceMatcher(None, [_key(done) for done in before], [_key(done) for done in after], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        # Of a run of replaced calls each is an edit of its own, so that one alone can be found to be enough.
        for i in range(max(b - a, d - c)):
            instead, made = before[a + i : b][:1], after[c + i : d][:1]
            at = (min(a + i, b), min(a + i + 1, b))
            yield Edit(tuple(x.call for x in instead), tuple(x.call for x in made), at)


def _choices(edits: tuple[Edit, ...]) -> Iterator[tuple[Edit, ...]]:
    for number in range(1, len(edits) + 1):
        yield from combinations(edits, number)


def _edited(before: Sequence[Done], after: Sequence[Done], edits: Sequence[Edit]) -> list[Done]:
    """Return the writes of the parent with some edits."""
    by_call = {id(done.call): done for done in after}
    out: list[Done] = []
    here = 0
    for edit in edits:
        start, end = edit.at
        out += before[here:start]
        out += [by_call[id(call)] for call in edit.made]
        here = max(here, end)
    return [*out, *before[here:]]
