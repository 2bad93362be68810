"""One session as the exports see it: its events, what they fold to, and, where that is possible, why the reward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from domains.catalog import Domain, installed_packs, load_domain
from domains.errors import DataError
from domains.values import JSON
from sessions.event import Event, Header, Message, Opened
from sessions.explain import Explanation, explain
from sessions.redaction import redact
from sessions.reward import score
from sessions.trajectory import State, Turn, fold
from sessions.usage_text import number_in, own


@dataclass(frozen=True, slots=True)
class Record:
    """A session to be written. `explanation` and `policy` need the pack it was played on; `missing` says why not."""

    events: tuple[Event, ...]
    state: State = field(repr=False)
    header: Header = field(repr=False)
    explanation: Explanation | None = field(default=None, repr=False)
    policy: str = field(default="", repr=False)
    missing: str = ""

    @property
    def verdict(self) -> Mapping[str, JSON] | None:
        """Our verdict as it was recorded; where none was, the one computed now."""
        if self.state.scored is not None:
            return self.state.scored.verdict
        if self.explanation is None or self.state.ended is None:
            return None
        return self.explanation.verdict.to_json()

    @property
    def reward(self) -> float | None:
        """Our reward; where there is none, that of the file the session was imported from."""
        if self.state.scored is not None:
            return self.state.scored.reward
        if self.explanation is not None:
            return self.explanation.verdict.reward
        return self.state.recorded.reward if self.state.recorded is not None else None

    @property
    def started(self) -> float:
        """When it began, in seconds since the epoch."""
        return self.events[0].at

    @property
    def timed(self) -> bool:
        """Whether its times are known: a file of τ-bench (v1) tells none."""
        return self.started > 0

    @property
    def finished(self) -> float:
        """When it ended; while it has not, when its last turn was taken."""
        if self.state.ended is not None:
            return self.state.ended.at
        return max((turn_end(turn) for turn in self.state.turns), default=self.started)


def record(events: Sequence[Event], packs: Sequence[Path | None] = ()) -> Record:
    """Return a session ready to be written; its pack is looked for in `packs`, bundled being None.

    Raises DataError when the events do not begin with a header.
    """
    if not events or not isinstance(events[0], Opened):
        raise DataError("a session without a beginning cannot be exported")
    events = [redact(event) for event in events]  # a file may be older than the rules of today
    state = fold(events)
    header = state.header
    assert header is not None
    try:
        domain = pack_of(header, packs)
        # An import that left a run without a reward of ours had its reasons: they stand in the notes.
        explanation = explanation_of(domain, header, state) if state.scored or not header.origin else None
        policy = "" if header.no_policy else domain.solo_policy if header.solo else domain.policy
    except DataError as error:
        return Record(tuple(events), state, header, missing=str(error))
    missing = "" if explanation else "the run was imported without being scored; its notes say why"
    return Record(tuple(events), state, header, explanation, policy, missing)


def pack_of(header: Header, packs: Sequence[Path | None] = ()) -> Domain:
    """Return the pack a session was played on, by the digests of its databases. Raises DataError."""
    if header.origin and not header.pack:
        raise DataError(f"imported from {header.origin.get('format')} runs, whose world is not known here")
    own = [] if header.pack in ("", "bundled") else [Path(header.pack)]
    found = False
    for place in dict.fromkeys((*packs, *own, None, *(Path(pack.name) for pack in installed_packs()))):
        try:
            domain = load_domain(header.domain, place)
        except DataError:
            continue
        found = True
        digests = {seat: base.digest() for seat, base in domain.bases.items()}
        if all(header.digests.get(seat, digest) == digest for seat, digest in digests.items()):
            return domain
    if not found:
        raise DataError(f"there is no domain {header.domain!r} here, so its reward cannot be explained")
    raise DataError(f"{header.domain}: played on another database than those here; name its folder with --data")


def explanation_of(domain: Domain, header: Header, state: State) -> Explanation:
    """Judge a recorded session again, with the evidence. Raises DataError when its task does not fit the pack."""
    from pydantic import ValidationError

    from domains.schema import explain as told
    from domains.task import Task

    try:
        task = Task.model_validate(header.task)
    except ValidationError as error:
        raise DataError(f"task {header.task_id}: {told(error)}") from None
    verdict = score(
        domain,
        task,
        state.turns,
        state.ended.reason if state.ended else None,
        solo=header.solo,
        judgements=state.judgements(len(task.nl_assertions)),
    )
    return explain(verdict)


def turn_end(turn: Turn) -> float:
    """Return when the last thing of a turn happened."""
    return max([turn.at, *(done.result.at for done in turn.calls if done.result is not None)])


def words(turn: Turn) -> str:
    """Return what was said with its control token, as both benchmarks write it: a person's token is kept apart."""
    if turn.stop is None or turn.stop in turn.text:
        return turn.text
    return f"{turn.text} {turn.stop}".strip()


def costs(state: State) -> dict[str, float]:
    """Return what each seat's messages cost in this very session, where that is known."""
    out: dict[str, float] = {}
    for message in messages(state):
        if (cost := number_in(message.usage, "cost")) is not None:
            out[message.seat] = out.get(message.seat, 0.0) + cost
    return out


def messages(state: State) -> Iterator[Message]:
    """Yield the messages that stand, of a branch its own."""
    return own((turn.message for turn in state.turns if turn.message is not None), state.header)


def iso(at: float) -> str:
    """Return a time as ISO 8601 in UTC, always of the same length, so that text sorts as time does."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds")
