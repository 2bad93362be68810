"""The conversation keeps to the newest, whichever block changes its size and when; who reads back is left alone."""

from __future__ import annotations

from textual.app import App, ComposeResult

from tau_tui.widgets.conversation import Conversation, Entry
from tests.app.helpers import wait_until

LONG = "word " * 200


def entry(number: int, text: str) -> Entry:
    return Entry(key=f"t{number}", voice="agent", label="agent", text=text)


class Talk(App[None]):
    def compose(self) -> ComposeResult:
        yield Conversation()

    @property
    def talk(self) -> Conversation:
        return self.query_one(Conversation)

    @property
    def at_the_end(self) -> bool:
        return 0 < self.talk.scroll_y == self.talk.max_scroll_y


async def test_a_block_above_that_grows_late_does_not_push_the_newest_out_of_sight() -> None:
    async with (app := Talk()).run_test(size=(60, 12)) as pilot:
        app.talk.watched = True
        for number in range(3):
            app.talk.add(entry(number, "word"))
        app.talk.add(entry(3, "the newest"))
        await wait_until(pilot, lambda: all(block.size.height for block in app.talk.blocks))
        app.talk.change("t0", entry(0, LONG))
        await wait_until(pilot, lambda: app.at_the_end)
        app.talk.change("t1", entry(1, LONG))
        app.talk.change("t0", entry(0, "word"))
        await wait_until(pilot, lambda: app.at_the_end)
        assert "the newest" in "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_who_reads_back_is_not_moved_by_what_grows_below() -> None:
    async with (app := Talk()).run_test(size=(60, 12)) as pilot:
        for number in range(4):
            app.talk.add(entry(number, LONG))
        await wait_until(pilot, lambda: all(block.size.height for block in app.talk.blocks))
        app.talk.scroll_to(y=3, animate=False, immediate=True)
        before = app.talk.max_scroll_y
        app.talk.change("t3", entry(3, LONG * 2))
        await wait_until(pilot, lambda: app.talk.max_scroll_y > before)
        await pilot.pause()
        assert app.talk.scroll_y == 3
