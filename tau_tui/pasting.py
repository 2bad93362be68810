"""A paste arrives as it was copied, escape codes and all: Textual's parser takes them for keys pressed before it."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable

from textual._xterm_parser import BRACKETED_PASTE_END as END
from textual._xterm_parser import BRACKETED_PASTE_START as START
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.events import Paste
from textual.message import Message


class WholePastes(XTermParser):
    """Keeps what stands between the brackets of a paste from being parsed."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: str | None = None
        """What has come of a paste that is not at its end."""
        self._tail = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Parse what is not pasted; a bracket may be cut in two between reads."""
        if not data:
            yield from super().feed(data)
        while data:
            if self._pasted is None:
                data = yield from self._typed(data)
            else:
                data = yield from self._in_paste(data)

    def _typed(self, data: str) -> Generator[Message, None, str]:
        seen = self._tail + data
        at = seen.find(START)
        if at < 0:
            self._tail = seen[-(len(START) - 1) :]
            yield from super().feed(data)
            return ""
        head = at + len(START) - len(self._tail)
        self._tail, self._pasted = "", ""
        yield from super().feed(data[:head])
        return data[head:]

    def _in_paste(self, data: str) -> Generator[Message, None, str]:
        pasted = (self._pasted or "") + data
        at = pasted.find(END)
        if at < 0:
            self._pasted = pasted
            return ""
        self._pasted = None
        for message in super().feed(END):
            yield Paste(pasted[:at].replace("\x00", "")) if isinstance(message, Paste) else message
        return pasted[at + len(END) :]


def keep_pastes_whole(driver: type[Driver]) -> type[Driver]:
    """Let a driver parse its input so; those that read no terminal are left as they are."""
    module = sys.modules[driver.__module__]
    if getattr(module, "XTermParser", None) is XTermParser:
        module.XTermParser = WholePastes  # type: ignore[attr-defined]  # drivers look it up by name when they begin
    return driver
