"""The reference steps, for an agent that plays with the plan: what is to be called, by whom, and what has been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tau_tui.widgets.pane import Unseen
from tau_tui.widgets.safe_text import one_line


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `made` is None where this seat cannot know, because the other side makes it unseen."""

    whose: str
    name: str
    arguments: str
    made: bool | None


class StepLine(Static):
    """A box, ticked when the step has been made; whose it is; the call."""

    DEFAULT_CSS = "StepLine { height: auto; }"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"step--made", "step--next", "step--quiet"}

    def __init__(self, number: int, step: Step) -> None:
        super().__init__()
        self._number = number
        self._step = step

    def on_mount(self) -> None:
        """Draw it."""
        step, style = self._step, self.get_visual_style
        box = {True: "☑", False: "☐", None: "·"}[step.made]
        name = style("step--made" if step.made else "step--next")
        lines = [
            Content.assemble(
                (f"{box} {self._number}. ", name),
                (one_line(step.name), name),
                (f"  {step.whose}", style("step--quiet")),
            )
        ]
        if step.arguments:
            lines.append(Content.styled(f"     {one_line(step.arguments)}", style("step--quiet")))
        self.update(Content("\n").join(lines))


class PlanView(VerticalScroll, can_focus=True):
    """Shows the steps it is handed."""

    DEFAULT_CSS = "PlanView { height: 1fr; overflow-x: hidden; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._steps: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is shown."""
        return self._steps

    def show(self, steps: Sequence[Step]) -> None:
        """Show the steps as they stand now."""
        if self._steps == (now := tuple(steps)) and self.children:
            return
        self._steps = now
        self.remove_children()
        own = sum(step.made is not None for step in now)
        made = sum(bool(step.made) for step in now)
        said = f"{made} of {own} steps made" if now else "nothing is to be called in this task"
        self.mount_all(
            [Static(said, classes="quiet", markup=False), *(StepLine(i + 1, step) for i, step in enumerate(now))]
        )
        self.post_message(Unseen(self, 0))

    def go_to_newest(self) -> None:
        """The first steps come first."""
        self.scroll_home(animate=False)
