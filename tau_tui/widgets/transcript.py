"""The whole conversation with its calls as one text to scroll, select and copy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, TextArea

from sessions.trajectory import Done, Turn
from tau_tui.screens.dialogs.dialog import Dialog
from tau_tui.widgets.change_text import full_text, pretty
from tau_tui.widgets.safe_text import safe

GROUP = Binding.Group("Conversation")


def transcript(turns: Iterable[Turn]) -> str:
    """Return every turn with its calls, their results and what they changed, safe to show."""
    return "\n\n".join("\n".join(_turn(turn)) for turn in turns)


def _turn(turn: Turn) -> Iterable[str]:
    if turn.text or turn.stop or not turn.calls:
        stop = f" {turn.stop}" if turn.stop else ""
        yield f"t{turn.index} {turn.seat}{stop}"
        yield safe(turn.text)
    for done in turn.calls:
        yield from _call(turn, done)


def _call(turn: Turn, done: Done) -> Iterable[str]:
    yield f"t{turn.index} {turn.seat} calls {safe(done.call.name)}"
    yield _indented(pretty(dict(done.call.arguments)))
    if done.result is not None:
        yield f"  → {'refused' if done.result.error else 'answer'}"
        yield _indented(pretty(done.result.content))
        if done.result.changes:
            yield _indented(full_text(done.result.changes))
    if done.synced is not None:
        yield "  the other side's world followed"
        yield _indented(full_text(done.synced.changes))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


class TranscriptScreen(Dialog[None]):
    """Reads like a page; Escape closes it."""

    DEFAULT_CSS = """
    TranscriptScreen { align: center middle; }
    TranscriptScreen > TextArea { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="transcript.close", tooltip="Back to the result", group=GROUP),
        Binding("f9", "close", "Close", show=False, id="transcript.toggle", tooltip="Back to the result", group=GROUP),
        Binding("f8", "copy_all", "Copy all", id="transcript.copy", tooltip="Copy everything", group=GROUP),
    ]

    def __init__(self, turns: Iterable[Turn]) -> None:
        super().__init__()
        self._text = transcript(turns)

    def compose(self) -> ComposeResult:
        """One text."""
        yield TextArea(self._text, read_only=True, soft_wrap=True, id="transcript")
        yield Footer()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_copy_all(self) -> None:
        """Put everything on the clipboard of the terminal."""
        self.app.copy_to_clipboard(self._text)
        self.notify("the whole conversation is on the clipboard", markup=False)
