"""What was said, one block per message, and what happened to the session in between."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Button

from tau_tui.widgets.block import Block, Entry, Voice
from tau_tui.widgets.pane import Unseen

__all__ = ["RESIDENTS", "Block", "Conversation", "Entry", "Voice"]

RESIDENTS = 80
"""Mounting one more block costs 16 ms among 20 and 200 ms among 1,000."""


class Conversation(VerticalScroll, can_focus=True):
    """Stays at the newest unless the reader has scrolled back; a long message is met at its top."""

    DEFAULT_CSS = """
    Conversation {
        height: 1fr; overflow-x: hidden;
        & > .more { width: 100%; display: none; &.-some { display: block; } }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "unfold", "Thoughts", show=False, id="talk.unfold", tooltip="Unfold the reasoning in sight"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: list[Entry] = []
        self.watched = False
        """Nothing here is one's own: every block is where reading goes on."""
        self._first = 0
        self._seen = 0
        self._anchor = ""
        self._anchor_own = False
        self._following = True
        self._settling = False

    def compose(self) -> ComposeResult:
        """Two ways out of the window of resident blocks."""
        yield Button("load earlier", compact=True, classes="more", id="earlier")
        yield Button("load later", compact=True, classes="more", id="later")

    @property
    def blocks(self) -> list[Block]:
        """The resident blocks, oldest first."""
        return list(self.query_children(Block))

    @property
    def _last(self) -> int:
        return self._first + RESIDENTS

    # Content

    def add(self, entry: Entry) -> None:
        """Append a block."""
        at_newest = self._last >= len(self.entries)
        self.entries.append(entry)
        # The first of the partner's blocks since one's own is where reading goes on.
        if entry.own or not self._anchor or self._anchor_own or self.watched:
            self._anchor, self._anchor_own = entry.key, entry.own
        if entry.own:
            self._following = True
            self._seen = len(self.entries)
        if entry.own and not at_newest:
            self._window(len(self.entries) - RESIDENTS)
        elif at_newest:
            self._window(max(self._first, len(self.entries) - RESIDENTS) if self._following else self._first)
        self._count()

    def change(self, key: str, entry: Entry) -> None:
        """Show what has become of a block; it may have another key from then on."""
        index = self._find(key)
        if index is None:
            return
        self.entries[index] = entry
        for block in self.blocks:
            if block.entry.key == key:
                block.show(entry)
        if self._anchor == key:
            self._anchor = entry.key

    def action_unfold(self) -> None:
        """Unfold the reasoning that is in sight, or fold it again."""
        top, bottom = self.scroll_y, self.scroll_y + self.scrollable_content_region.height
        seen = [
            b for b in self.blocks if b.entry.thought and b.virtual_region.y < bottom and b.virtual_region.bottom > top
        ]
        unfolded = not all(block.unfolded for block in seen)
        for block in seen:
            block.fold(unfolded)

    def remove_entry(self, key: str) -> None:
        """Take a block away."""
        index = self._find(key)
        if index is not None:
            del self.entries[index]
            self._seen = min(self._seen, len(self.entries))
            self._window(self._first)

    def entry(self, key: str) -> Entry | None:
        """Return the entry of a key."""
        index = self._find(key)
        return None if index is None else self.entries[index]

    def _find(self, key: str) -> int | None:
        return next((i for i in reversed(range(len(self.entries))) if self.entries[i].key == key), None)

    def _window(self, first: int) -> None:
        """Make the blocks from `first` on the resident ones."""
        self._first = max(0, min(first, len(self.entries) - 1))
        wanted = self.entries[self._first : self._last]
        keys = {entry.key for entry in wanted}
        resident = {}
        for block in self.blocks:
            if block.entry.key in keys:
                resident[block.entry.key] = block
            else:
                block.remove()
        before: Block | None = None
        run: list[Block] = []
        for entry in wanted:
            if entry.key in resident:
                if run:
                    self.mount_all(run, before=resident[entry.key])
                    run = []
                before = resident[entry.key]
            else:
                run.append(Block(entry))
        if run:
            self.mount_all(run, after=before or self.query_one("#earlier"))
        self.query_one("#earlier").set_class(self._first > 0, "-some")
        self.query_one("#later").set_class(self._last < len(self.entries), "-some")
        self.call_after_refresh(self._settle)

    @on(Button.Pressed, "#earlier")
    def _load_earlier(self, event: Button.Pressed) -> None:
        event.stop()
        self._turn_page(-RESIDENTS // 2)

    @on(Button.Pressed, "#later")
    def _load_later(self, event: Button.Pressed) -> None:
        event.stop()
        self._turn_page(RESIDENTS // 2)

    def _turn_page(self, by: int) -> None:
        blocks = self.blocks
        kept = blocks[0 if by < 0 else -1] if blocks else None
        self._following = False
        self._window(max(0, min(self._first + by, len(self.entries) - RESIDENTS)))
        if kept is not None:
            self.call_after_refresh(self.scroll_to_widget, kept, animate=False, top=by < 0)
        self.focus()

    # Where the reader is

    @property
    def following(self) -> bool:
        """Whether the view keeps to the newest."""
        return self._following

    def go_to_newest(self) -> None:
        """Follow again."""
        self._following = True
        self._anchor = ""
        self._window(len(self.entries) - RESIDENTS)

    def action_scroll_end(self) -> None:
        """End goes to the newest, loaded or not."""
        self.go_to_newest()

    def _settle(self) -> None:
        if self._following and self.is_attached:
            target = float(self.max_scroll_y)
            for block in self.blocks:
                if block.entry.key != self._anchor:
                    continue
                if not block.virtual_region.height and self._on_screen:
                    # It has been mounted and not laid out: it has no place yet, and looks as if it stood at the top.
                    self.call_after_refresh(self._settle)
                    return
                target = min(target, block.virtual_region.y)
            self._settling = True
            self.scroll_to(y=target, animate=False, force=True, immediate=True)
            self._settling = False
        self._count()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice the reader's own scrolling."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling:
            self._following = new_value >= self.max_scroll_y - 1 and self._last >= len(self.entries)
            self._anchor = ""
        self._count()

    def watch_virtual_size(self) -> None:
        """Keep the place, whichever block has become larger or smaller, and however late."""
        self.call_after_refresh(self._settle)

    def on_resize(self, event: events.Resize) -> None:
        """Keep the place."""
        self.call_after_refresh(self._settle)

    def on_show(self) -> None:
        """What came while the pane was hidden is looked at now."""
        self.call_after_refresh(self._settle)

    @property
    def _on_screen(self) -> bool:
        """Whether there is room for it: a pane that was there from the beginning is not always told that it shows."""
        return self.is_attached and bool(self.region)

    def _count(self) -> None:
        if self._on_screen:
            bottom = self.scroll_y + self.scrollable_content_region.height
            blocks = self.blocks
            for i in reversed(range(len(blocks))):
                region = blocks[i].virtual_region
                if region.height and region.y < bottom:
                    self._seen = max(self._seen, self._first + i + 1)
                    break
        self.post_message(Unseen(self, max(0, len(self.entries) - self._seen)))
