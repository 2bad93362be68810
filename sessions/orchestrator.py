"""Whose turn it is, what is allowed, and when it ends. Does no I/O: it turns an action into events."""

from __future__ import annotations

import time
from collections.abc import Iterator

from domains.environment import Environment
from domains.matching import GREETING as GREETING
from domains.toolkit import Seat, Tool
from sessions.event import Call, Ended, Event, Header, Message, Result, Synced, Termination
from sessions.players.base import Action
from sessions.trajectory import State

DONE = Tool(
    name="done",
    kind="generic",
    owner="agent",
    mutates=False,
    description="Say that the ticket is finished. Nothing can be done afterwards.",
    function=lambda: "",
)
"""How an agent without a user ends, as in tau2: the call never reaches the world."""


class NotAllowed(Exception):
    """An action that this seat cannot take now; nothing has happened."""


def check_action(header: Header, seat: Seat, action: Action) -> None:
    """Refuse what can never be a turn. Raises NotAllowed with what to do instead."""
    if action.abandon:
        return
    if not action.text.strip() and not action.calls and action.stop is None:
        raise NotAllowed("a turn needs words, a tool call or an end")
    if action.stop is not None and action.stop != "###STOP###" and seat == "agent":
        raise NotAllowed("only the customer can end with a transfer or as out of scope")
    if header.solo and seat == "user":
        raise NotAllowed("in solo mode there is no customer")


def perform(env: Environment, state: State, seat: Seat, action: Action) -> Iterator[Event]:
    """Yield the events of an action, making each call when the event of the one before has been taken.

    `state` is the live fold: the caller advances it with every event before asking for the next.
    """
    header = state.header
    assert header is not None
    if action.abandon:
        yield Ended(reason="abandoned", by=seat)
        return
    turn = state.next_index
    # tau2 ends a solo run by the call `done`, which never reaches a tool.
    finished = header.solo and any(call.name == DONE.name for call in action.calls)
    calls = () if finished else action.calls
    stop = "###STOP###" if finished else action.stop
    if action.text or stop is not None or action.usage or not calls:
        yield Message(turn=turn, seat=seat, text=action.text, stop=stop, usage=action.usage)
    used: set[str] = set()
    for i, call in enumerate(calls):
        call_id = call.id if call.id and call.id not in used else f"call_{turn}_{i}"
        used.add(call_id)
        event = Call(turn=turn, seat=seat, id=call_id, name=call.name, arguments=call.arguments)
        yield event
        yield from answer(env, event)
    if (reason := ending(state, seat, stop is not None, bool(calls))) is not None:
        yield Ended(reason=reason, by=seat)


def finish_act(env: Environment, state: State) -> Iterator[Event]:
    """Yield what the last act still lacks, for a session whose program was killed in the middle of it."""
    if not state.turns or state.ended is not None:
        return
    turn = state.turns[-1]
    for done in turn.calls:
        if done.result is None:
            yield from answer(env, done.call)
    stopped, called = turn.stop is not None, bool(turn.calls)
    solo = state.header is not None and state.header.solo
    if turn.index == 0 or (solo and not stopped and not called):
        return  # the greeting; words whose calls were never begun
    if (reason := ending(state, turn.seat, stopped, called)) is not None:
        yield Ended(reason=reason, by=turn.seat)


def answer(env: Environment, call: Call) -> Iterator[Event]:
    """Make a call and yield its answer."""
    started = time.perf_counter()
    made = env.call(call.seat, call.name, call.arguments)
    yield Result(
        turn=call.turn,
        seat=call.seat,
        id=call.id,
        content=made.content,
        error=made.error,
        changes=made.changes,
        elapsed=round(time.perf_counter() - started, 6),
    )
    if made.synced:
        yield Synced(turn=call.turn, changes=made.synced)


def ending(state: State, seat: Seat, stopped: bool, called: bool) -> Termination | None:
    """Return why the session ends after this act, None when it goes on.

    In tau2's order, in which a limit reached by the very act of stopping wins over the stop.
    """
    header = state.header
    assert header is not None
    limits = header.limits
    reason: Termination | None = None
    if stopped:
        reason = "user_stop" if seat == "user" else "agent_stop"
    elif header.solo and not called:
        reason = "agent_error"
    if state.steps >= limits.max_steps:
        reason = "max_steps"
    if limits.max_agent_actions is not None and state.agent_actions >= limits.max_agent_actions and reason is None:
        reason = "max_steps"
    if state.errors >= limits.max_errors:
        reason = "too_many_errors"
    return reason
