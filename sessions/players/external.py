"""Players of one's own: a class (`module:Class`), or a program that speaks JSON lines (`cmd:"…"`)."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import json
import os
import shlex
import signal
import sys
import weakref
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from domains.toolkit import Seat
from sessions.event import PlayerInfo, Stop
from sessions.players.base import Action, Closing, PlayerFailure, ToolCall, View
from sessions.players.model import prompts
from sessions.players.model.stops import stop_in
from sessions.players.model.wire import messages, schema
from sessions.players.spec import UnknownPlayer
from sessions.safe_text import one_line
from sessions.secret_text import redact_text

TIMEOUT: Final = 300.0
"""Seconds a program may think about one turn."""
LONGEST_LINE: Final = 4_000_000
"""Bytes of one line of a program."""
STOPS: Final = frozenset(get_args(Stop))


class ClassPlayer:
    """A class of somebody's own in a seat. It is made without arguments: nothing tells it more than its view does."""

    def __init__(self, seat: Seat, spec: str) -> None:
        self._inner = _found(seat, spec)()
        given = getattr(self._inner, "info", None)
        settings = dict(given.settings) if isinstance(given, PlayerInfo) else {}
        name = given.name if isinstance(given, PlayerInfo) else spec
        self.info = PlayerInfo("model", name, {**settings, "spec": spec})

    async def act(self, view: View) -> Action:
        """Let it act; a plain function acts in a thread, so that it holds up nobody."""
        act = self._inner.act
        try:
            done = act(view) if inspect.iscoroutinefunction(act) else await asyncio.to_thread(act, view)
            if inspect.isawaitable(done):
                done = await done
        except PlayerFailure:
            raise
        except Exception as error:  # it may raise anything; it is shown, and can be retried
            raise PlayerFailure(
                f"{self.info.name} raised {type(error).__name__}: {_told(str(error))}; mend it, then try again"
            ) from error
        if isinstance(done, str):
            return _spoken(view.seat, done)
        if not isinstance(done, Action):
            raise PlayerFailure(f"{self.info.name} returned {type(done).__name__}; act returns an Action, or words")
        return done

    async def close(self) -> None:
        """Let it go of what it holds."""
        if isinstance(self._inner, Closing):
            await self._inner.close()


def _found(seat: Seat, spec: str) -> Any:
    """Return a class by its module and name; the working folder comes last on the path. Raises UnknownPlayer."""
    module, _, name = spec.partition(":")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # the code of others may fail in any way while it is imported
        raise UnknownPlayer(f"--{seat} {spec}: {type(error).__name__}: {_told(str(error))}") from None
    if not callable(found) or not callable(getattr(found, "act", None)):
        raise UnknownPlayer(f"--{seat} {spec}: expected a class with a method act(view)")
    return found


class CommandPlayer:
    """A program in a seat: one line of JSON in, one line of JSON out, for every act.

    It is started when it first has to act and ended when nobody plays. Every request holds everything it may know, so
    that it can be started again in the middle of a session.
    """

    def __init__(self, seat: Seat, command: str, *, timeout: float = TIMEOUT) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise UnknownPlayer(f"--{seat} cmd:{command}: {error}") from None
        told = redact_text(command)
        self.info = PlayerInfo("model", f"cmd:{told}", {"spec": f"cmd:{told}"})
        self._timeout = timeout
        self._process: asyncio.subprocess.Process | None = None
        self._said: deque[str] = deque(maxlen=20)
        self._listening: asyncio.Task[None] | None = None
        self._end: weakref.finalize[..., CommandPlayer] | None = None

    async def act(self, view: View) -> Action:
        """Ask the program. Raises PlayerFailure, and then it is started anew for the next act."""
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._asked(request(view))
            return _read(view.seat, answer)
        except TimeoutError:
            problem = f"gave no answer in {self._timeout:g} s; it was ended, try again"
        except (ConnectionError, asyncio.IncompleteReadError):
            problem = f"ended{await self._how()}; try again"
        except (asyncio.LimitOverrunError, ValueError) as error:
            problem = f"wrote what is no answer: {_told(str(error))}; see docs/models.md"
        except OSError as error:
            problem = f"cannot be started: {error.strerror or error}"
        except asyncio.CancelledError:
            await self.close()  # its answer would be taken for that to the next question
            raise
        await self.close()
        raise PlayerFailure(f"{self.info.name} {problem}")

    async def _asked(self, asked: Mapping[str, Any]) -> bytes:
        process = await self._running()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(asked, ensure_ascii=True).encode() + b"\n")
        await process.stdin.drain()
        line: bytes = await process.stdout.readuntil(b"\n")
        return line

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            pipe = asyncio.subprocess.PIPE
            # A group of its own: Ctrl+C in the terminal is not for it, and what it starts ends with it.
            self._process = await asyncio.create_subprocess_exec(
                *self._arguments, stdin=pipe, stdout=pipe, stderr=pipe, limit=LONGEST_LINE, start_new_session=True
            )
            self._end = weakref.finalize(self, _killed, self._process.pid)
            self._said.clear()
            assert self._process.stderr is not None
            self._listening = asyncio.create_task(self._listen(self._process.stderr))
        return self._process

    async def _listen(self, stderr: asyncio.StreamReader) -> None:
        """Keep what it says beside, which must not be drawn over a screen, for the case that it fails."""
        while piece := await stderr.read(65_536):
            self._said.extend(line for line in piece.decode("utf-8", "replace").splitlines() if line.strip())

    async def _how(self) -> str:
        process = self._process
        assert process is not None
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=1)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 1)
        code = f" with code {process.returncode}" if process.returncode is not None else ""
        return f"{code} ({_told(self._said[-1])})" if self._said else code

    async def close(self) -> None:
        """End the program and everything it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        if self._end is not None:
            self._end()
        await process.wait()
        if self._listening is not None:
            await asyncio.wait({self._listening}, timeout=1)
            self._listening.cancel()


def _killed(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def request(view: View) -> dict[str, Any]:
    """Return what a program is told: its view, with the conversation as OpenAI's protocol has it."""
    asked: dict[str, Any] = {"seat": view.seat, "domain": view.domain, "now": view.now}
    if view.policy is not None:
        asked["policy"] = view.policy
    if view.scenario is not None:
        asked["scenario"] = prompts.scenario_text(view.scenario)
    if view.ticket is not None:
        asked["ticket"] = view.ticket
    if view.plan is not None:
        asked["plan"] = prompts.plan_text(view.plan)
    return {**asked, "tools": [schema(tool) for tool in view.tools], "messages": messages(view)}


def _read(seat: Seat, line: bytes) -> Action:
    """Return the action a program wrote. Raises ValueError."""
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise ValueError("expected an object")
    text, stop, calls = answer.get("text") or "", answer.get("stop"), answer.get("calls") or []
    if not isinstance(text, str) or not isinstance(calls, list):
        raise ValueError("text is a text and calls a list")
    if stop is not None and stop not in STOPS:
        raise ValueError(f"stop is one of {', '.join(sorted(STOPS))}")
    made = []
    for call in calls:
        match call:
            case {"name": str(name), "arguments": dict(arguments)}:
                made.append(ToolCall(name, arguments))
            case _:
                raise ValueError("a call has a name, a text, and arguments, an object")
    if not made and stop is None:
        return _spoken(seat, text)
    return Action(text, tuple(made), stop)


def _spoken(seat: Seat, text: str) -> Action:
    """Return words as an action; in a customer's, control tokens count, as in every model's."""
    return Action(text, stop=stop_in(text) if seat == "user" else None)


def _told(text: str) -> str:
    line = redact_text(one_line(text))
    return line if len(line) <= 200 else f"{line[:199]}…"
