"""What can be told of a model while it is at work; whoever shows a session listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Wrote:
    """More words of the reply, as they come; none of them are control tokens of this program."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """More of the reasoning, to be folded; it is never sent to the other side."""

    text: str


@dataclass(frozen=True, slots=True)
class Calling:
    """The reply goes on with a call of this tool; its arguments are still being written."""

    name: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """Something passing went wrong; it is tried again after `wait` seconds, for the `attempt`th time of `most`.

    What was written so far does not stand.
    """

    what: str
    attempt: int
    most: int
    wait: float


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What was written so far does not stand, and why: the model is asked again, or rewrites it."""

    why: str


Progress: TypeAlias = Wrote | Thought | Calling | Retrying | Withdrawn
Listener: TypeAlias = Callable[[Progress], None]


def nobody(progress: Progress) -> None:
    """Listen to nothing."""
