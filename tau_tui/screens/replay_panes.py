"""The panes of the replay screen: what was said, the steps, what moved, and what the goal requires, all at one step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from sessions.event import Call, Message, Undone
from tau_tui.replay_text import fate, requirements
from tau_tui.widgets.conversation import Entry
from tau_tui.widgets.db_diff import BASES
from tau_tui.widgets.entries import beside, of_message, with_call
from tau_tui.widgets.pane import Pane
from tau_tui.widgets.pane_row import PaneRow
from tau_tui.widgets.requirements import Requirements
from tau_tui.widgets.rewinding import Moves, StepRow, Steps, Talk
from tau_tui.widgets.segments import Segments

if TYPE_CHECKING:
    from sessions.event import Event
    from sessions.replay import Replay, Step


class ReplayPanes(PaneRow):
    """Shows any step of a replay, whichever was shown before."""

    def __init__(self) -> None:
        super().__init__("trace", id="panes")

    def compose(self) -> ComposeResult:
        """Steps, database, goal; the conversation comes with a replay that has one."""
        segments = Segments({name: BASES[name] for name in ("start", "call")}, "start", id="bases")
        yield Pane("trace", "Steps", Steps(id="trace"))
        yield Pane("database", "Database", Moves(segments, id="database"), segments)
        yield Pane("goal", "Goal", Requirements(id="goal"))

    async def prepare(self, shown: Replay) -> None:
        """Have the panes this replay needs."""
        talks = any(isinstance(event, Message) for step in shown.steps for event in step.events)
        if talks and self.pane("conversation") is None:
            await self.mount(Pane("conversation", "Conversation", Talk(id="conversation")), before=0)
            self.watch_active()

    def go(self, shown: Replay, number: int) -> None:
        """Show how everything stood after a step."""
        steps = shown.steps[: number + 1]
        calls = [step for step in steps if step.done is not None]
        self.query_one(Steps).restore([_row(shown, step) for step in calls])
        touched = [(step.done.call.name, step.made, step.failed) for step in calls if step.done is not None]
        self.query_one(Moves).restore(touched, steps[-1].changes)
        self.query_one(Requirements).show(requirements(shown, steps[-1]))
        for talk in self.query(Talk):
            talk.restore(list(_entries(shown.events(number))))


def _row(shown: Replay, step: Step) -> StepRow:
    done = step.done
    assert done is not None
    whose = done.call.seat if shown.two_sided else ""
    kind = step.tool.kind if step.tool is not None else ""
    return StepRow(done, kind, whose, step.number, fate(shown, step) if shown.gold else "")


def _entries(events: tuple[Event, ...]) -> Iterator[Entry]:
    found: dict[str, Entry] = {}
    for number, event in enumerate(events):
        match event:
            case Message():
                found[f"t{event.turn}"] = of_message(event)
            case Call() if (entry := found.get(f"t{event.turn}")) is not None:
                found[entry.key] = with_call(entry, event.name)
            case Undone():
                found.pop(f"t{event.turn}", None)
            case _ if (entry := beside(event, f"e{number}", events)) is not None:
                found[entry.key] = entry
    yield from found.values()
