"""What is known of the phone from the answers of its own tools, and how old that is. No widget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from domains.values import JSON
from tau_tui.widgets.phone.tiles import APP_LOOKS, STATUS_BAR, TILES, TOOLS, WRITES

if TYPE_CHECKING:
    from domains.environment import Environment
    from domains.toolkit import Seat
    from sessions.trajectory import Turn

BAR: Final = re.compile(r"^Status Bar: (.*)\Z", re.MULTILINE)
INSTALLED: Final = re.compile(r"^The following apps are installed on the phone: (.*)$")
ALLOWED: Final = re.compile(r"^App '.*' has permission for: (.*)\.$")
LISTED: Final = re.compile(r"^   - (.*)$", re.MULTILINE)
GRANTED: Final = re.compile(r"^Success\. Permission '(.*)' granted to app")
WORDS: Final = {"Yes": "ON", "No": "OFF"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, and the turn in which it was seen (None: it is live). `old`: something has been pressed since."""

    value: str
    turn: int | None = None
    old: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool of the phone answered."""

    tool: str
    arguments: Mapping[str, JSON]
    content: str
    error: bool = False
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Tile → reading; apps in the order they were seen; the last answer in its own words."""

    facts: Mapping[str, Reading] = field(default_factory=dict)
    apps: tuple[str, ...] = ()
    last: Answer | None = None


@dataclass
class _Reader:
    facts: dict[str, Reading] = field(default_factory=dict)
    apps: dict[str, None] = field(default_factory=dict)

    def take(self, answer: Answer) -> None:
        if answer.error:
            return
        if answer.tool in WRITES:
            self.facts = {name: replace(reading, old=True) for name, reading in self.facts.items()}
        if (bar := BAR.search(answer.content)) is not None:
            self._note(STATUS_BAR.name, bar[1], answer)
        for tile in TILES:
            pattern = tile.found.get(answer.tool)
            found = re.search(pattern, answer.content, re.MULTILINE) if pattern else None
            if found is not None:
                parts = [part for part in found.groups() if part] or [found[0].rstrip(".")]
                self._note(tile.name, " · ".join(WORDS.get(part, part) for part in parts), answer)
        self._apps(answer)

    def _note(self, name: str, value: str, answer: Answer) -> None:
        self.facts[name] = Reading(value, answer.turn)

    def _apps(self, answer: Answer) -> None:
        if (found := INSTALLED.search(answer.content)) is not None and answer.tool == "check_installed_apps":
            self.apps = dict.fromkeys(filter(None, found[1].split(", "))) | self.apps
            self._note("apps", str(len(self.apps)), answer)
        app = answer.arguments.get("app_name")
        if not isinstance(app, str):
            return
        if answer.tool in APP_LOOKS and "not found on this phone" not in answer.content:
            listed = ALLOWED.search(answer.content)
            allowed = listed[1] if listed is not None else ", ".join(LISTED.findall(answer.content))
            self.apps.setdefault(app)
            self._note(f"app:{app}", allowed or "nothing", answer)
        elif answer.tool == "grant_app_permission" and (granted := GRANTED.search(answer.content)) is not None:
            self.apps.setdefault(app)
            before = self.facts.get(f"app:{app}")
            # What else it may use is only known to who has looked.
            others = [] if before is None else [p for p in before.value.split(", ") if p not in (granted[1], "nothing")]
            self._note(f"app:{app}", ", ".join((*others, granted[1] if before else f"+ {granted[1]}")), answer)


def known_from(answers: Iterable[Answer]) -> Known:
    """Fold answers, oldest first."""
    reader, last = _Reader(), None
    for answer in answers:
        reader.take(answer)
        last = answer
    return Known(reader.facts, tuple(reader.apps), last)


def answers_in(turns: Iterable[Turn]) -> tuple[Answer, ...]:
    """Return the answers of the phone's tools in these turns."""
    return tuple(
        Answer(done.call.name, done.call.arguments, done.result.content, done.result.error, turn.index)
        for turn in turns
        for done in turn.calls
        if done.result is not None and done.call.name in TOOLS
    )


def live(env: Environment) -> Known:
    """Return all there is to see on the phone now, by its own looks on a throw-away fork: for open view only."""
    twin = env.fork()
    seat: Seat = "agent" if env.solo else "user"

    def look(tool: str, **arguments: JSON) -> Answer:
        result = twin.call(seat, tool, arguments, sync=False)
        return Answer(tool, arguments, result.content, result.error)

    looks = dict.fromkeys(tool for tile in (STATUS_BAR, *TILES) for tool in tile.looks)
    answers = [look(tool) for tool in (*looks, "check_installed_apps")]
    answers += [look(APP_LOOKS[0], app_name=app) for app in known_from(answers).apps]
    return known_from(answers)
