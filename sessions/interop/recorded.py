"""What a recorded run is, whatever file it comes from, and what such a file can be asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from domains.errors import DataError
from domains.task import RewardType, Task
from domains.toolkit import Seat
from domains.values import JSON
from sessions.event import PlayerInfo
from sessions.interop.streaming import Watch
from sessions.limits import Limits
from sessions.trajectory import Turn


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One simulation of a results file. `turns` is None where the file holds no messages (full duplex).

    `start` and `end` are seconds since the epoch, 0 where the file does not say.
    """

    id: str
    task_id: str
    termination: str
    turns: tuple[Turn, ...] | None
    trial: int | None = None
    seed: int | None = None
    reward_info: Mapping[str, JSON] | None = None
    extra: Mapping[str, JSON] = field(default_factory=dict)
    """Every other field of the simulation, as it stood there."""
    start: float = 0.0
    end: float = 0.0
    error: str = ""
    """The failure of the machinery that ended it, in the file's words."""

    @property
    def reward(self) -> float | None:
        """The reward the file holds."""
        reward = (self.reward_info or {}).get("reward")
        return float(reward) if isinstance(reward, int | float) else None

    def judgements(self, assertions: Sequence[str]) -> list[bool] | None:
        """Return the recorded verdicts on these natural-language assertions, None unless there is one for each."""
        checks = (self.reward_info or {}).get("nl_assertions") or ()
        met = {c.get("nl_assertion"): c.get("met") for c in checks if isinstance(c, dict)}
        found = [met.get(text) for text in assertions]
        return [bool(verdict) for verdict in found] if None not in found else None

    def checked_actions(self) -> list[tuple[str, JSON]] | None:
        """Return name and arguments of the gold actions the file was graded with, None when it does not say."""
        checks = (self.reward_info or {}).get("action_checks")
        if not isinstance(checks, list):
            return None
        actions = [c.get("action") or {} for c in checks if isinstance(c, dict)]
        return [(action.get("name", ""), action.get("arguments")) for action in actions]

    def components(self) -> dict[RewardType, bool]:
        """Return which components the file says were met; those it does not speak of are left out."""
        info = self.reward_info or {}
        said: dict[RewardType, bool] = {}
        match info.get("db_check"):
            case {"db_match": bool(met)}:
                said["DB"] = met
        lists: tuple[tuple[RewardType, str, str], ...] = (
            ("ENV_ASSERTION", "env_assertions", "met"),
            ("ACTION", "action_checks", "action_match"),
            ("COMMUNICATE", "communicate_checks", "met"),
            ("NL_ASSERTION", "nl_assertions", "met"),
        )
        for component, name, verdict in lists:
            checks = info.get(name)
            if isinstance(checks, list) and checks and all(isinstance(c, dict) for c in checks):
                said[component] = all(c.get(verdict) is True for c in checks)
        return said


class RunFile(Protocol):
    """A file of recorded runs, read run by run."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        ...

    @property
    def format(self) -> str:
        """`tau2` or `tau-bench`."""
        ...

    @property
    def domain(self) -> str:
        """The world it was played in, empty where the file does not tell."""
        ...

    @property
    def solo(self) -> bool:
        """Whether the agent worked alone from a ticket."""
        ...

    @property
    def players(self) -> Mapping[Seat, PlayerInfo]:
        """Who filled the seats."""
        ...

    @property
    def limits(self) -> Limits:
        """Where its runs ended by themselves."""
        ...

    @property
    def policy(self) -> str:
        """The document that bound the agent, empty where the file does not hold it."""
        ...

    @property
    def about(self) -> Mapping[str, JSON]:
        """What else the file says of all its runs, and a session keeps."""
        ...

    @property
    def size(self) -> int:
        """How many bytes `simulations` reads."""
        ...

    def simulations(self, watch: Watch | None = None) -> Iterator[RecordedRun | DataError]:
        """Yield every run, or what is wrong with it; an error of the file itself is the last. Raises OSError."""
        ...

    def task_of(self, run: RecordedRun) -> Task | None:
        """Return the task of a run as the file holds it. Raises DataError."""
        ...
