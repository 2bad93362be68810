"""A session: a header and events. Everything else is folded from them; players act, events are kept, then shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ulid import ULID

from domains.catalog import Domain
from domains.task import Task
from domains.toolkit import Seat
from sessions.event import (
    Draft,
    Ended,
    Event,
    Exposure,
    ExposureKind,
    Failure,
    Header,
    Judged,
    Mark,
    Message,
    Note,
    Opened,
    PlayerInfo,
    Resumed,
    Reviewed,
    Seated,
    Supervision,
    Undone,
    ViewMode,
)
from sessions.keeping import Keeper
from sessions.limits import Limits
from sessions.orchestrator import DONE, GREETING, NotAllowed, check_action, finish_act, perform
from sessions.players.base import Action, Closing, Player, PlayerFailure, Ruling, Supervisor, ToolCall, View
from sessions.players.human import HumanPlayer
from sessions.program import program_version
from sessions.resuming import rebuild
from sessions.trajectory import State, Turn, fold
from sessions.view import visible_turns


class Session:
    """One live session. `run` plays it; everything that happens is an event, kept before anything reacts to it."""

    def __init__(
        self,
        header: Header,
        domain: Domain,
        task: Task,
        players: Mapping[Seat, Player],
        *,
        keeper: Keeper | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.header = header
        self.domain = domain
        self.task = task
        self.players = dict(players)
        self.supervisor: Supervisor | None = None
        """Who is asked before a write of somebody who is no person is made."""
        self.env = domain.environment(task, solo=header.solo)
        self.state = State()
        self.events: list[Event] = []
        self._keeper = keeper
        self._clock = clock
        self._outbox: list[Event] = []
        self._continuing = False
        self._keeping = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._work: Iterator[Event] | None = None
        self._act: asyncio.Task[Action | None] | None = None
        self._stopped: str | None = None
        self._changed = asyncio.Event()

    @classmethod
    def new(
        cls,
        domain: Domain,
        task: Task,
        players: Mapping[Seat, Player],
        *,
        view: ViewMode,
        split: str = "base",
        solo: bool = False,
        plan: bool = False,
        no_policy: bool = False,
        spoilers: bool = False,
        supervised: bool = False,
        limits: Limits | None = None,
        seed: int = 0,
        temperature: float | None = None,
        keeper: Keeper | None = None,
        clock: Callable[[], float] = time.time,
        session_id: str = "",
    ) -> Session:
        """Open a new session with a complete header. Raises DataError when the task's initial state does not apply."""
        import hashlib

        policy = domain.solo_policy if solo else domain.policy
        digests = {str(seat): base.digest() for seat, base in domain.bases.items()}
        digests |= {"policy": hashlib.sha256(policy.encode()).hexdigest(), "task": task.digest()}
        if prompts := _prompts(player.info for player in players.values()):
            digests["prompts"] = prompts
        header = Header(
            id=session_id or str(ULID()),
            domain=domain.name,
            pack=domain.origin,
            task_id=task.id,
            task=task.model_dump(mode="json", exclude_unset=True),
            players={seat: player.info for seat, player in players.items()},
            view=view,
            split=split,
            solo=solo,
            plan=plan,
            no_policy=no_policy,
            spoilers=spoilers,
            supervised=supervised,
            limits=limits or Limits(),
            seed=seed,
            temperature=temperature,
            program=program_version(),
            digests=digests,
        )
        return cls(header, domain, task, players, keeper=keeper, clock=clock)

    @classmethod
    def continued(
        cls,
        events: Sequence[Event],
        domain: Domain,
        players: Mapping[Seat, Player],
        *,
        kept: bool = True,
        keeper: Keeper | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Session:
        """Take up a session where its events leave it; `kept` false for events that are to be kept anew (a fork).

        The world is made again from the calls and proven by digest against the recorded changes. Raises DataError.
        """
        state = fold(events)
        assert state.header is not None
        session = cls(state.header, domain, Task.model_validate(state.header.task), players, keeper=keeper, clock=clock)
        rebuild(session.env, state)
        session._continuing = True
        if kept:
            session.events, session.state = list(events), state
            session._outbox.append(Resumed(program=program_version()))
        else:
            session._outbox += events
        return session

    # Who is there

    @property
    def people(self) -> tuple[Seat, ...]:
        """The seats people sit in."""
        return tuple(seat for seat, player in self.players.items() if isinstance(player, HumanPlayer))

    @property
    def supervised(self) -> bool:
        """Whether a person is to decide on writes, be there anybody yet who asks or not."""
        return self.header.supervised if self.state.header is None else self.state.supervised

    def view(self, seat: Seat) -> View:
        """Return what a seat knows now."""
        agent = seat == "agent"
        policy = self.domain.solo_policy if self.header.solo else self.domain.policy
        return View(
            seat=seat,
            domain=self.header.domain,
            turns=visible_turns(self.state.turns, seat),
            tools=(*self.env.tools(seat), DONE) if self.header.solo else self.env.tools(seat),
            now=self.env.definition.now,
            policy=policy if agent and not self.header.no_policy else None,
            scenario=None if agent else self.task.user_scenario,
            ticket=self.task.ticket if agent and self.header.solo else None,
            plan=tuple(self.task.gold) if agent and self.header.plan else None,
            refused=tuple(one for one in self.state.refused if one.seat == seat),
        )

    # What happens

    async def emit(self, *events: Event) -> None:
        """Keep events, then let everything see them. Raises RecordingFailed; `flush` tries again with all of them."""
        self._outbox += events
        await self.flush()

    async def flush(self) -> None:
        """Keep what is waiting to be kept, in order. Raises RecordingFailed and loses nothing."""
        async with self._keeping:
            while self._outbox:
                last = self.events[-1].at if self.events else 0.0
                # Stamped once: a second try to keep an event must find the same one where the first came through.
                event = self._outbox[0] = replace(self._outbox[0], at=self._outbox[0].at or max(self._clock(), last))
                if self._keeper is not None:
                    await self._keeper.append(self.header.id, len(self.events), event)
                self._outbox.pop(0)
                self.events.append(event)
                self.state.advance(event)
                self._changed.set()

    async def run(self) -> AsyncIterator[Event]:
        """Play, yielding every event of the session once, until it has ended or failed; run again to retry.

        Raises RecordingFailed when an event cannot be kept; running again goes on exactly there.
        """
        cursor = len(self.events)
        step: asyncio.Task[None] | None = None
        try:
            while True:
                while cursor < len(self.events):
                    cursor += 1
                    yield self.events[cursor - 1]
                if step is not None and step.done():
                    step.result()
                    step = None
                    if isinstance(self.events[-1], Failure):
                        return
                    continue
                if self.state.ended is not None:
                    return
                if step is None:
                    step = asyncio.create_task(self._step())
                self._changed.clear()
                changed = asyncio.create_task(self._changed.wait())
                try:
                    await asyncio.wait({step, changed}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    changed.cancel()
        finally:
            if step is not None:
                if self._work is None:  # a call that was made is kept with its result, whoever still looks
                    step.cancel()
                await asyncio.gather(step, return_exceptions=True)
            for player in self.players.values():
                await _let_go(player)

    async def _step(self) -> None:
        """Do the next thing: finish what a failed recording left, open, or let the next seat act."""
        await self.flush()
        if self._continuing:
            self._continuing, self._work = False, self._left_over()
        action = None
        if self._work is None and self.events:
            action = await self._next_act()
            if action is None:
                return
        async with self._moving:
            if self._work is None:
                self._work = self._events_of(action)
            for event in self._work:
                await self.emit(event)
            self._work = None

    def _events_of(self, action: tuple[Player, int, Action] | Failure | None) -> Iterator[Event]:
        match action:
            case None:
                return self._opening()
            case Failure():
                return iter([action])
            case (player, index, act):
                # What was answered may have been taken back, or the session or the seat left, in the meantime.
                seat = self.state.next
                if seat is None or self.players[seat] is not player or self.state.next_index != index:
                    return iter([])
                return perform(self.env, self.state, seat, act)

    def _left_over(self) -> Iterator[Event]:
        """Yield what the last run of the program had still to do when it was cut off."""
        done = {(type(event), getattr(event, "kind", None)) for event in self.events}
        yield from [e for e in self._opening() if (type(e), getattr(e, "kind", None)) not in done]
        yield from finish_act(self.env, self.state)

    def _opening(self) -> Iterator[Event]:
        yield Opened(header=self.header)
        if not self.header.solo:
            yield Message(turn=0, seat="agent", text=GREETING)
        if self.header.view != "blind":
            for seat in self.people:
                yield Exposure(seat=seat, kind="database", detail=self.header.view)
                if "agent" not in self.people:
                    yield Exposure(seat=seat, kind="trace", detail=self.header.view)
        if self.header.plan:
            yield Exposure(seat="agent", kind="plan")

    async def _next_act(self) -> tuple[Player, int, Action] | Failure | None:
        """Wait for the next seat's action; None when it was called off, or all of it refused."""
        async with self._moving:
            seat, index = self.state.next, self.state.next_index
        if seat is None:
            return None
        player = self.players[seat]
        self._stopped = None
        self._act = asyncio.create_task(self._acted(player, seat, index))
        try:
            action = await self._act
        except asyncio.CancelledError:
            if self._act.cancelled() and not _being_cancelled():
                if self._stopped is not None:
                    return Failure(seat=seat, what=f"{player.info.name} was stopped", detail=self._stopped)
                return None  # the message being answered was taken back, or somebody else has sat down
            self._act.cancel()
            raise
        except PlayerFailure as failure:
            return Failure(seat=seat, what=str(failure), retryable=failure.retryable)
        except NotAllowed as refusal:
            return Failure(seat=seat, what=f"{player.info.name} did what it may not: {refusal}")
        except Exception as error:  # a player of anybody's own may raise anything; it is shown, and can be retried
            detail = f"{type(error).__name__}: {error}"
            return Failure(seat=seat, what=f"{player.info.name} could not act", detail=detail)
        finally:
            self._act = None
        return None if action is None else (player, index, action)

    async def _acted(self, player: Player, seat: Seat, index: int) -> Action | None:
        action = await player.act(self.view(seat))
        check_action(self.header, seat, action)
        if self.supervisor is None or isinstance(player, HumanPlayer):
            return action
        return await self._reviewed(self.supervisor, seat, index, action)

    async def _reviewed(self, supervisor: Supervisor, seat: Seat, index: int, action: Action) -> Action | None:
        """Return the action as the supervisor lets it be made; None when nothing of it is left."""
        calls: list[ToolCall] = []
        for call in action.calls:
            if not self.env.mutates(seat, call.name):
                calls.append(call)
                continue
            ruling: Ruling = await supervisor.review(seat, call)
            await self.emit(
                Reviewed(
                    turn=index,
                    seat=seat,
                    name=call.name,
                    arguments=call.arguments,
                    decision=ruling.decision,
                    edited=ruling.arguments if ruling.decision == "edited" else None,
                    reason=ruling.reason,
                    by=ruling.by,
                )
            )
            if ruling.decision == "edited" and ruling.arguments is not None:
                calls.append(replace(call, arguments=ruling.arguments))
            elif ruling.decision == "approved":
                calls.append(call)
        if action.calls and not calls:
            return None  # words beside calls are heard by nobody; the player is told and acts again
        return replace(action, calls=tuple(calls))

    def submit(self, seat: Seat, action: Action) -> None:
        """Give a person's action. Raises NotAllowed and NotYourTurn; then nothing has happened."""
        check_action(self.header, seat, action)
        player = self.players[seat]
        if not isinstance(player, HumanPlayer):
            raise NotAllowed(f"the {seat} seat is played by {player.info.name}")
        player.submit(action)

    # What people do beside their turns

    @property
    def mid_turn(self) -> bool:
        """Whether a player's act is being kept, event by event, and more of the same turn will follow."""
        return self._work is not None

    @property
    def undoable(self) -> Turn | None:
        """The last turn, when it is a person's message that nobody has answered."""
        turns = self.state.turns
        if self.state.ended or self._work is not None or not turns:
            return None
        last = turns[-1]
        return last if last.seat in self.people and last.text and not last.calls and last.index > 0 else None

    async def undo(self) -> str:
        """Take back the last unanswered message and return its words. Raises NotAllowed."""
        async with self._moving:
            turn = self.undoable
            if turn is None:
                raise NotAllowed("only your last message can be taken back, and only before it is answered")
            await self.emit(Undone(turn=turn.index, seat=turn.seat))
            self._call_off()
        return turn.text

    def stop(self, written: str = "") -> bool:
        """Stop whoever is at work, which is kept as a failure that can be retried, with what was `written` so far.

        Return whether there was somebody to stop.
        """
        seat = self.state.next
        if self._act is None or self._act.done() or seat is None or isinstance(self.players[seat], HumanPlayer):
            return False
        self._stopped = written
        self._act.cancel()
        return True

    async def seat(self, seat: Seat, player: Player) -> None:
        """Let somebody else fill a seat from here on, in the middle of an act or not. Raises NotAllowed."""
        async with self._moving:
            if self.state.ended is not None or seat not in self.players:
                raise NotAllowed(f"there is no {seat} seat to be taken in this session now")
            left, self.players[seat] = self.players[seat], player
            await self.emit(Seated(seat=seat, player=player.info))
            if self.state.next == seat:
                self._call_off()
        await _let_go(left)

    async def supervise(self, supervisor: Supervisor | None, by: str = "") -> None:
        """Let writes of those who are no people be decided on from here on, or no longer; `by` names who does."""
        self.supervisor = supervisor
        on = supervisor is not None
        if not self.events and not self._outbox:
            self.header = replace(self.header, supervised=on)
        elif on != self.supervised and self.state.ended is None:
            await self.emit(Supervision(on=on, by=by))

    async def expose(self, seat: Seat, kind: ExposureKind, detail: str = "") -> None:
        """Note that a person is shown what the benchmark would have hidden, before it is shown."""
        await self.emit(Exposure(seat=seat, kind=kind, detail=detail))

    async def note(self, text: str, turn: int | None = None) -> None:
        """Keep a person's note, on a turn or on the session."""
        await self.emit(Note(text=text, turn=turn))

    async def mark(self, mark: Mark) -> None:
        """Keep a person's judgement of a fault."""
        await self.emit(mark)

    async def judge(self, assertion: int, met: bool) -> None:
        """Keep a person's verdict on a natural-language assertion of the task, in place of an earlier one."""
        if not 0 <= assertion < len(self.task.nl_assertions):
            raise NotAllowed(f"task {self.task.id} has no natural-language assertion {assertion}")
        by = next((self.header.players[seat].name for seat in self.people), "")
        await self.emit(Judged(assertion=assertion, met=met, by=by))

    async def draft(self, seat: Seat, text: str) -> None:
        """Save the words in a person's input box."""
        if self.state.drafts.get(seat, "") != text and self.state.ended is None:
            await self.emit(Draft(seat=seat, text=text))

    async def abandon(self, seat: Seat | None) -> None:
        """End a session that a person leaves, whoever's turn it is; None for one who only watched."""
        async with self._moving:
            if self.state.ended is None:
                await self.emit(Ended(reason="abandoned", by=seat))
                self._call_off()

    def _call_off(self) -> None:
        if self._act is not None:
            self._act.cancel()


async def _let_go(player: Player) -> None:
    if isinstance(player, Closing):
        await player.close()


def _prompts(players: Iterable[PlayerInfo]) -> str:
    """Return one digest of what all models are told, nothing where there is none."""
    import hashlib

    told = [str(info.settings["prompt"]) for info in players if info.settings.get("prompt")]
    return hashlib.sha256("".join(told).encode()).hexdigest() if len(told) > 1 else "".join(told)


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def play(session: Session) -> list[Event]:
    """Run a session to its end or failure and return its events."""
    async for _ in session.run():
        pass
    return session.events
