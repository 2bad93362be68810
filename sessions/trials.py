"""What a run consists of, what each trial came to, and what a recording already holds of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domains.catalog import Domain
from domains.errors import DataError
from domains.task import Task
from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import Event, Header, Message, Opened
from sessions.measure.passk import MACHINERY
from sessions.opening import events_of
from sessions.processes import played_elsewhere
from sessions.program import program_version
from sessions.recorder import Recorder
from sessions.resuming import fork
from sessions.seating import Table, table_of
from sessions.trajectory import fold
from sessions.usage_text import number_in

# What is to be played


@dataclass(frozen=True, slots=True)
class Start:
    """A turn of a recorded session from which all trials go on; `turns` up to and with it are kept."""

    session: str
    turn: int
    events: Sequence[Event] = field(repr=False)
    reward: float | None = None
    """What that session came to itself."""


@dataclass(frozen=True, slots=True)
class Batch:
    """So many trials of some tasks at one table, at which no person sits."""

    domain: Domain
    tasks: Sequence[Task]
    table: Table
    trials: int = 1
    seed: int = 0
    start: Start | None = None

    @property
    def run(self) -> str:
        """What the run is known by. Tasks and trials are not in it: more of them go on with the same run."""
        table = self.table
        told: JSON = {
            "domain": self.domain.name,
            "databases": {str(seat): base.digest() for seat, base in self.domain.bases.items()},
            "policy": _digest(self.domain.solo_policy if table.solo else self.domain.policy),
            "players": {
                str(seat): [table.spec(seat), *([model.name, model.told] if model is not None else [])]
                for seat in table.partners
                for model in [table.models.get(seat) if table.spec(seat).startswith("llm") else None]
            },
            "modes": [table.solo, table.plan, table.no_policy],
            "limits": [table.limits.max_steps, table.limits.max_agent_actions, table.limits.max_errors],
            "seed": self.seed,
            "start": [self.start.session, self.start.turn] if self.start is not None else None,
            "program": program_version(),
        }
        return _digest(json.dumps(told, sort_keys=True))[:16]

    def all_trials(self) -> Iterator[Trial]:
        """Yield every trial, the first of each task before the second of any."""
        for number in range(self.trials):
            for task in self.tasks:
                yield Trial(task, number, trial_seed(self.seed, number))


@dataclass(frozen=True, slots=True)
class Trial:
    """One session to be played; `seed` is what its players draw from."""

    task: Task
    number: int
    seed: int

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from the other trials of its run: the content of the task, and the number."""
        return self.task.digest(), self.number


def trial_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial, the same for all tasks as in tau2; never 0, which stands for none."""
    return int.from_bytes(hashlib.sha256(f"{seed} {trial}".encode()).digest()[:4]) % (2**31 - 1) + 1


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def start_from(recorder: Recorder, session_id: str, turn: int) -> Start:
    """Return where trials go on from. Raises DataError where the session has no such turn or ends with it."""
    events = events_of(recorder, session_id)
    fork(events, turn, session_id)
    state = fold(events)
    verdict = state.scored or state.recorded
    return Start(session_id, turn, events, verdict.reward if verdict is not None else None)


def table_from(start: Start, asked: Table) -> Table:
    """Return the table at which trials go on: who sat there, but for the seats that are asked for now.

    A person gives way to an offline partner, and what drew from a seed of its own draws anew in each trial.
    """
    opened = start.events[0]
    assert isinstance(opened, Opened)
    before = table_of(opened.header)
    specs: dict[Seat, str] = {"agent": asked.agent, "user": asked.user}
    models = {seat: model for seat, model in before.models.items() if not specs[seat] or specs[seat].startswith("llm")}
    return replace(
        before,
        play="none",
        agent=asked.agent or ("" if "agent" in asked.models else _unseeded(before.agent)),
        user=asked.user or ("" if "user" in asked.models else _unseeded(before.user)),
        models=models | dict(asked.models),
        view=None,
        spoilers=False,
        approve=False,
        plan=before.plan or asked.plan,
        no_policy=before.no_policy or asked.no_policy,
        limits=asked.limits,
    )


def _unseeded(spec: str) -> str:
    name, _, rest = spec.partition(":")
    if name not in ("oracle", "script", "llm"):
        return spec
    options = [option for option in rest.split(",") if option and not option.startswith("seed=")]
    return ":".join(filter(None, (name, ",".join(options))))


# What it has come to


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and dollars; `unpriced` messages of models have a cost that nobody knows."""

    prompt: int = 0
    completion: int = 0
    dollars: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.dollars + other.dollars,
            self.unpriced + other.unpriced,
        )

    @property
    def cost(self) -> float | None:
        """Dollars, None where a part of them is unknown."""
        return None if self.unpriced else round(self.dollars, 9)


def spent_by(usage: Mapping[str, JSON]) -> Spent:
    """Return what a judge's answer cost; nothing where there was none."""
    return _spent(usage, unpriced=True) if usage else Spent()


def spent_on(header: Header, event: Event) -> Spent:
    """Return what an event of a session cost: nothing but for a message that a model wrote in this very session."""
    first = header.parent_turn if header.parent_turn is not None else -1 if header.solo else 0
    if not isinstance(event, Message) or event.turn <= first:
        return Spent()
    player = header.players.get(event.seat)
    return _spent(event.usage, unpriced=player is not None and player.kind == "model")


def _spent(usage: Mapping[str, JSON], *, unpriced: bool) -> Spent:
    prompt, completion = (int(number_in(usage, name) or 0) for name in ("prompt_tokens", "completion_tokens"))
    cost = number_in(usage, "cost")
    return Spent(prompt, completion, cost or 0.0, int(cost is None and unpriced))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a trial. `failure` is a failure of the machinery, which has no reward and is tried again."""

    session: str
    task: str
    trial: int
    seed: int
    reward: float | None = None
    reason: str | None = None
    failure: str = ""
    spent: Spent = Spent()
    turns: int = 0
    seconds: float = 0.0
    """From the first event to the end, the time in between two runs included."""
    earlier: bool = False
    """Finished before this program began."""
    continued: bool = False
    """Taken up where it had been cut off."""

    def to_json(self) -> dict[str, JSON]:
        """Return the row for programs; a cost that nobody knows is null."""
        return {
            "id": self.session,
            "task": self.task,
            "trial": self.trial,
            "seed": self.seed,
            "reward": self.reward,
            "reason": self.reason,
            "failure": self.failure or None,
            "cost": self.spent.cost,
            "prompt_tokens": self.spent.prompt,
            "completion_tokens": self.spent.completion,
            "turns": self.turns,
            "seconds": round(self.seconds, 3),
            "earlier": self.earlier,
            "continued": self.continued,
        }


@dataclass
class Tally:
    """How far a run is; whoever shows it looks at it whenever it likes."""

    total: int
    earlier: int = 0
    finished: int = 0
    running: int = 0
    failed: int = 0
    judged: int = 0
    rewards: float = 0.0
    spent: Spent = Spent()
    stopped: str = ""
    """Why no further session is begun, where that is so."""
    in_a_row: int = 0
    not_judged: Counter[str] = field(default_factory=Counter)
    """Why the judge could not judge → how many sessions."""
    by_task: dict[str, list[int]] = field(default_factory=dict)
    """Task → judged trials, of which succeeded."""

    def add(self, outcome: Outcome) -> None:
        """Count a trial that is over; what it cost has been counted as it came."""
        if outcome.failure:
            self.failed += 1
            self.in_a_row += 1
            return
        self.in_a_row = 0
        self.finished += 1
        self.earlier += outcome.earlier
        if outcome.reward is not None:
            self.judged += 1
            self.rewards += outcome.reward
            counts = self.by_task.setdefault(outcome.task, [0, 0])
            counts[0] += 1
            counts[1] += abs(outcome.reward - 1) <= 1e-6

    @property
    def waiting(self) -> int:
        """How many have not been begun."""
        return self.total - self.finished - self.failed - self.running

    @property
    def pass_1(self) -> float | None:
        """The mean over tasks of the share that succeeded, None before there is any."""
        shares = [succeeded / judged for judged, succeeded in self.by_task.values()]
        return sum(shares) / len(shares) if shares else None


# What is there


@dataclass(frozen=True, slots=True)
class Standing:
    """What a recording holds of a run: outcomes of finished trials, and sessions to be taken up, by trial."""

    finished: Mapping[tuple[str, int], Outcome]
    begun: Mapping[tuple[str, int], str]


def standing(recorder: Recorder, run: str) -> Standing:
    """Look up what has been played of a run. Raises DataError while another program plays it, and RecordingFailed.

    A session in which somebody sat down, that a person left or in which the machinery ended it, is none of its trials.
    """
    finished: dict[tuple[str, int], Outcome] = {}
    begun: dict[tuple[str, int], str] = {}
    spent = {
        session: Spent(int(prompt or 0), int(completion or 0), float(dollars or 0), unpriced)
        for session, prompt, completion, dollars, unpriced in recorder.select(COSTS, (run,))
    }
    for row in recorder.select(SESSIONS, (run,)):
        session, task_id, digest, trial, seed, started, ended, process, reason, reward, turns, scored, seated = row
        if ended is None and played_elsewhere(process):
            raise DataError(f"run {run} is being played by {process}; wait for it, or stop it")
        if seated or reason in MACHINERY or reason == "abandoned":
            continue
        key = (digest, trial)
        if ended is None or not scored:
            begun[key] = session
            continue
        finished.setdefault(
            key,
            Outcome(
                session,
                task_id,
                trial,
                seed,
                reward,
                reason,
                spent=spent.get(session, Spent()),
                turns=turns,
                seconds=ended - started,
                earlier=True,
            ),
        )
    return Standing(finished, {key: session for key, session in begun.items() if key not in finished})


SESSIONS: Final = """
select id, task_id, task_digest, trial, seed, started, ended, process, reason, reward, turns,
       exists (select 1 from scores where session_id = id and source = 'computed'),
       exists (select 1 from events where session_id = id and type = 'seated')
  from sessions where run = ? order by started, id"""

COSTS: Final = """
select session_id, sum(data ->> '$.usage.prompt_tokens'), sum(data ->> '$.usage.completion_tokens'),
       sum(data ->> '$.usage.cost'),
       sum(data ->> '$.usage.cost' is null and case e.seat when 'agent' then agent_kind else user_kind end = 'model')
  from sessions s join events e on session_id = s.id
 where run = ? and type = 'message' and turn > coalesce(parent_turn, -solo) group by 1"""
