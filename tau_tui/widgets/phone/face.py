"""The tiles of the phone in their groups: two columns where there is room, one below the other where not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from tau_tui.widgets.phone.key import PHONE, Key, PressKey, TileKey
from tau_tui.widgets.phone.knowledge import Known, Reading
from tau_tui.widgets.phone.tiles import APPS, BILLS, SETTINGS, STATUS_BAR, SWITCHES, TESTS, Tile, app_tile

TWO_COLUMNS: Final = 70
GROUPS: Final = ((("Switches", SWITCHES), ("Try it", TESTS)), (("Settings", SETTINGS), ("Bill", BILLS)))


class TileRow(Horizontal):
    """A tile with its keys, as far as the tools for them are offered."""

    DEFAULT_CSS = "TileRow { height: 1; & > PressKey { margin-left: 1; } }"

    def __init__(self, tile: Tile, tools: frozenset[str], reading: Reading | None = None) -> None:
        super().__init__()
        self.tile = tile
        self._reading = reading
        self._presses = [press for press in tile.presses if press.tool in tools]

    def compose(self) -> ComposeResult:
        """Tile, keys."""
        yield TileKey(self.tile, self._reading)
        for press in self._presses:
            yield PressKey(self.tile, press)


def _offered(tile: Tile, tools: frozenset[str]) -> bool:
    return any(name in tools for name in (*tile.looks, *(press.tool for press in tile.presses)))


class Face(VerticalScroll, can_focus=False):
    """Shows what it is handed; the arrow keys go to what lies in their direction."""

    DEFAULT_CSS = """
    Face {
        height: auto; overflow-x: hidden;
        & .columns { height: auto; layout: vertical; }
        & .column { height: auto; width: 100%; }
        & .phone--group { height: 1; }
        &.-two .columns { layout: horizontal; }
        &.-two .column { width: 1fr; }
        &.-two .column:first-of-type { margin-right: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "press", "Press", id="phone.press", tooltip="Look, or press", group=PHONE),
        Binding("up", "go(0,-1)", "Up", show=False, id="phone.up", tooltip="What is above", group=PHONE),
        Binding("down", "go(0,1)", "Down", show=False, id="phone.down", tooltip="What is below", group=PHONE),
        Binding("left", "go(-1,0)", "Left", show=False, id="phone.left", tooltip="What is to the left", group=PHONE),
        Binding("right", "go(1,0)", "Right", show=False, id="phone.right", tooltip="What is to the right", group=PHONE),
    ]

    def __init__(self, tools: Iterable[str]) -> None:
        super().__init__()
        self._tools = frozenset(tools)
        self._here: Key | None = None

    def compose(self) -> ComposeResult:
        """Status bar, then the groups; apps come as they are seen."""
        yield TileRow(STATUS_BAR, self._tools)
        with Horizontal(classes="columns"):
            for number, groups in enumerate(GROUPS):
                with Vertical(classes="column"):
                    for title, tiles in groups:
                        yield from self._group(title, tiles)
                    if number == 1:
                        yield from self._group("Apps", (APPS,))

    def _group(self, title: str, tiles: Iterable[Tile]) -> Iterator[Static | TileRow]:
        offered = [tile for tile in tiles if _offered(tile, self._tools)]
        if not offered:
            return
        yield Static(title, classes="phone--group", markup=False)
        for tile in offered:
            yield TileRow(tile, self._tools)

    @property
    def keys(self) -> list[Key]:
        """Everything that can be pressed."""
        return list(self.query(Key))

    def show(self, known: Known) -> None:
        """Show what is known; an app seen for the first time gets a tile."""
        for key in self.query(TileKey):
            key.reading = known.facts.get(key.tile.name)
        seen = {row.tile.name for row in self.query(TileRow)}
        new = [tile for app in known.apps if (tile := app_tile(app)).name not in seen and _offered(tile, self._tools)]
        if new:
            rows = [TileRow(tile, self._tools, known.facts.get(tile.name)) for tile in new]
            self.query(".column").last().mount_all(rows)

    def on_mount(self) -> None:
        """A tab is as wide as the screen: be laid out for it before the first frame that shows it."""
        self.set_class(self.screen.has_class("-narrow"), "-two")

    def on_resize(self, event: events.Resize) -> None:
        """One column or two."""
        self.set_class(event.size.width >= TWO_COLUMNS, "-two")

    @property
    def here(self) -> Key | None:
        """The key one is at, or was last."""
        return self._here or next(iter(self.keys), None)

    @on(Key.Reached)
    def _reached(self, event: Key.Reached) -> None:
        event.stop()
        self._here = event.key

    def action_press(self) -> None:
        """Press the key one is at."""
        if self.here is not None:
            self.here.post_message(Key.Pressed(self.here))

    def action_go(self, dx: int, dy: int) -> None:
        """Go to the nearest key in a direction; at the edge, stay."""
        if (here := self.here) is not None and (key := self.towards(here, dx, dy)) is not None:
            key.focus()

    def towards(self, here: Key, dx: int, dy: int) -> Key | None:
        """Return the nearest key in a direction; to the side, only those of the same line."""
        ahead = []
        for key in self.keys:
            across, down = key.region.x - here.region.x, key.region.y - here.region.y
            if (dx and down == 0 and across * dx > 0) or (dy and down * dy > 0):
                ahead.append((abs(down), abs(across), key))
        return min(ahead, key=lambda found: found[:2])[2] if ahead else None
