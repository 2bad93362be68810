"""What a run of models will cost, before the first call: its tasks are played by the offline partners, and measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from domains.task import Task
from domains.toolkit import Seat
from sessions.event import PlayerInfo
from sessions.orchestrator import DONE
from sessions.players.base import Action, Player, ToolCall, View
from sessions.players.model.choice import ModelChoice
from sessions.seating import DEFAULT_PARTNERS, open_session, seat_player
from sessions.session import Session, play

if TYPE_CHECKING:
    from sessions.players.model.agents import ModelAgent
    from sessions.trials import Batch, Trial

SAMPLED: Final = 8
"""Tasks that are played to be measured, spread over those of the run."""
CHARACTERS: Final = 4
"""Of a token, about, in English and JSON."""
THOUGHT: Final = 60
"""Tokens of a thought that is asked for in writing. What a model thinks by itself, nobody can foresee."""

Prices = Callable[[str], "tuple[float, float] | None"]
"""Dollars for a token of the prompt and of the completion of a model, None where nobody knows."""


@dataclass(frozen=True, slots=True)
class SeatEstimate:
    """Of one model in a run: tokens, and dollars where the price is known."""

    seat: Seat
    model: str
    prompt: int
    completion: int
    prompt_cost: float | None
    completion_cost: float | None

    @property
    def cost(self) -> float | None:
        """Dollars of both, None where nobody knows."""
        if self.prompt_cost is None or self.completion_cost is None:
            return None
        return self.prompt_cost + self.completion_cost


async def estimate(batch: Batch, trials: Sequence[Trial], prices: Prices) -> list[SeatEstimate]:
    """Estimate the trials, one line for each seat that a model takes. Raises DataError."""
    sides: tuple[Seat, ...] = ("agent", "user")
    table = batch.table
    seats = [seat for seat in sides if seat in table.partners and table.spec(seat).partition(":")[0] == "llm"]
    if not seats or not trials:
        return []
    tasks = list({trial.task.id: trial.task for trial in trials}.values())
    sample = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
    found: dict[Seat, list[int]] = {seat: [0, 0] for seat in seats}
    for task in sample:
        for seat, (prompt, completion) in (await _measured(batch, task, seats)).items():
            found[seat][0] += prompt
            found[seat][1] += completion
    out = []
    for seat, totals in found.items():
        model = table.models[seat].name
        prompt, completion = (round(total * len(trials) / len(sample)) for total in totals)
        price = prices(model)
        costs = (None, None) if price is None else (prompt * price[0], completion * price[1])
        out.append(SeatEstimate(seat, model, prompt, completion, *costs))
    return out


async def _measured(batch: Batch, task: Task, seats: Sequence[Seat]) -> Mapping[Seat, tuple[int, int]]:
    """Play a task offline and return the tokens of the prompts and completions it would have taken."""
    table = batch.table
    players: dict[Seat, Player] = {}
    for seat in table.partners:
        inner: Player = _Alone(task) if table.solo else seat_player(seat, DEFAULT_PARTNERS[seat], batch.domain, task, 0)
        if seat in seats:
            inner = _Metered(inner, _meter(seat, table.spec(seat), batch, task, table.models[seat]))
        players[seat] = inner
    offline = replace(table, agent="oracle", user="script", models={})
    opened = open_session(batch.domain, task, offline)
    header = replace(opened.header, players={seat: player.info for seat, player in players.items()})
    await play(Session(header, batch.domain, task, players))
    return {
        seat: (player.prompt, player.completion) for seat, player in players.items() if isinstance(player, _Metered)
    }


class _Metered:
    """An offline partner in the place of a model, whose requests are measured."""

    def __init__(self, inner: Player, meter: Callable[[View], Any]) -> None:
        self.info = inner.info
        self.prompt = 0
        self.completion = 0
        self._inner = inner
        self._meter = meter

    async def act(self, view: View) -> Action:
        """Act as the partner does, and count what a model would have read and written."""
        action = await self._inner.act(view)
        calls, read, thought = await self._meter(view)
        written = len(action.text) + sum(len(call.name) + len(json.dumps(call.arguments)) for call in action.calls)
        self.prompt += calls * read // CHARACTERS
        self.completion += calls * (written // CHARACTERS + 1) + thought
        return action


class _Alone:
    """Makes the gold calls one by one, then says that it is done: the shortest way through a ticket."""

    def __init__(self, task: Task) -> None:
        self.info = PlayerInfo("oracle", "gold")
        self._left = [ToolCall(action.name, action.arguments) for action in task.gold] + [ToolCall(DONE.name, {})]

    async def act(self, view: View) -> Action:
        """Make the next call."""
        return Action(calls=(self._left.pop(0),))


def _meter(seat: Seat, spec: str, batch: Batch, task: Task, model: ModelChoice) -> Callable[[View], Any]:
    """Return what tells of a view: calls of the model, characters it reads in each, tokens of thought."""
    from sessions.players.model.agents import ModelAgent
    from sessions.players.model.wire import messages

    player: Any = seat_player(seat, spec, batch.domain, task, 1, model)
    shown: list[int] = []

    async def read(view: View) -> tuple[int, int, int]:
        if not shown:
            shown.append(await _examples(player, batch, task) if isinstance(player, ModelAgent) else 0)
        text = len(player.prompt(view)) + len(json.dumps(messages(view))) + shown[0]
        if not (isinstance(player, ModelAgent) and player.style != "calls"):
            text += len(json.dumps(player.schemas(view)))
        calls = 2 if player.style in ("verify", "reflect") else 1
        return calls, text, THOUGHT if player.style == "react" else 0

    return read


async def _examples(agent: ModelAgent, batch: Batch, task: Task) -> int:
    from sessions.players.model.fewshot import examples

    if not agent.shots:
        return 0
    return len(await examples(batch.domain, task.id, agent.shots, 1, agent.style))
