"""Small helpers: a model that answers from a list without any network, and views of a session in the middle."""

from __future__ import annotations

from typing import Any

from domains import load_domain
from domains.catalog import Domain
from domains.toolkit import Seat
from sessions.event import Call, Message, Result
from sessions.players.base import PlayerFailure, View
from sessions.players.model.choice import ModelChoice
from sessions.players.model.client import Request
from sessions.players.model.progress import Listener, Wrote
from sessions.players.model.reply import RawCall, Reply
from sessions.trajectory import Done, Turn

AIRLINE: Domain = load_domain("airline")
MODEL = ModelChoice("openai/small", {"max_tokens": 50})
USED = {"model": "openai/small", "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.5, "latency": 1.0}


class Answers:
    """Completes from a list of replies: words, calls as (name, JSON text), or failures; keeps what it was asked."""

    def __init__(self, *replies: str | tuple[str, str] | Reply | PlayerFailure) -> None:
        self.asked: list[Request] = []
        self._replies = list(replies)

    async def __call__(self, request: Request, tell: Listener) -> Reply:
        """Give the next reply."""
        self.asked.append(request)
        match self._replies.pop(0):
            case str() as text:
                tell(Wrote(text))
                return Reply(text, usage=USED)
            case (str() as name, str() as arguments):
                return Reply("", (RawCall(name, arguments),), usage=USED)
            case Reply() as reply:
                return reply
            case PlayerFailure() as failure:
                raise failure
        raise AssertionError("unreachable")

    @property
    def prompt(self) -> str:
        """The system prompt of the last request."""
        return str(self.asked[-1].messages[0]["content"])

    def heard(self, request: int = -1) -> list[dict[str, Any]]:
        """The messages of a request after the system prompt."""
        return [dict(message) for message in self.asked[request].messages[1:]]


def said(index: int, seat: Seat, text: str, reasoning: str = "") -> Turn:
    """A turn of words."""
    usage = {"reasoning": reasoning} if reasoning else {}
    return Turn(index, seat, text, message=Message(turn=index, seat=seat, text=text, usage=usage))


def called(index: int, seat: Seat, name: str, arguments: dict[str, Any], answer: str, text: str = "") -> Turn:
    """A turn of one call."""
    call = Call(turn=index, seat=seat, id="whatever", name=name, arguments=arguments)
    result = Result(turn=index, seat=seat, id="whatever", content=answer)
    message = Message(turn=index, seat=seat, text=text) if text else None
    return Turn(index, seat, text, calls=(Done(call, result),), message=message)


def view(seat: Seat, *turns: Turn, domain: Domain = AIRLINE, task: str = "#0", **more: Any) -> View:
    """What a seat knows of a task, with these turns behind it."""
    found = domain.task(task)
    env = domain.environment(found)
    whole = {
        "policy": domain.policy if seat == "agent" else None,
        "scenario": found.user_scenario if seat == "user" else None,
    } | more
    return View(seat=seat, domain=domain.name, turns=turns, tools=env.tools(seat), now="now", **whole)
