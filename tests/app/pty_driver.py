"""The real program in a real terminal of a given size: bytes in, a screen out, and no sleeping in between."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0
"""Seconds to wait for something that should be there at once; a loaded machine may need them."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "delete": "\x1b[3~",
} | dict(
    zip(
        ("f1", "f2", "f3", "f4", "f6", "f7", "f8", "f9", "f10", "f12"),
        ("\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", *(f"\x1b[{n}~" for n in (17, 18, 19, 20, 21, 24))),
        strict=True,
    )
)
FRAMES = re.compile("[\u2500-\u259f\u25b2\u25bc\u2581-\u258f\U0001fb00-\U0001fbaf]+")


class Terminal(pyte.Screen):
    """A screen that lets pass what pyte does not know: queries of modes, which no terminal shows."""

    def select_graphic_rendition(self, *attrs: int, **_: Any) -> None:
        """Take the colours, whatever stands before them."""
        super().select_graphic_rendition(*attrs)

    def report_device_status(self, mode: int, **_: Any) -> None:
        """Answer nothing."""


class Program:
    """`tau-tui` with some arguments, in a terminal of its own, with a home of its own."""

    def __init__(self, home: Path, *arguments: str, columns: int = 80, rows: int = 24, told: bool = True) -> None:
        """`told`: the system tells it when its terminal is closed; not where make, say, stands between them."""
        self.home = home
        self.arguments = arguments
        self.output = b""
        self._terminal = Terminal(columns, rows)
        self._stream = pyte.ByteStream(self._terminal)
        master, slave = pty.openpty()
        self._fd = master
        self._open = True
        self._set_size(columns, rows)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tau_tui", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env=environment(home),
            start_new_session=True,
            # The terminal must be the controlling one, or a resize reaches nobody.
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if told else None,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.kill()
        if self._fd >= 0:
            os.close(self._fd)

    # Looking

    def screen(self) -> str:
        """Return what is on the screen, line by line."""
        return "\n".join(line.rstrip() for line in self._terminal.display)

    def words(self) -> str:
        """Return the words on the screen without frames and line breaks, to find a sentence that is wrapped."""
        return " ".join(FRAMES.sub(" ", self.screen()).split())

    def wait_for(self, *texts: str, timeout: float = PATIENCE) -> str:
        """Wait until all these texts are on the screen, wrapped or not, and return the screen."""
        return self.wait_until(lambda words: all(text in words for text in texts), f"{texts}", timeout)

    def wait_gone(self, text: str, timeout: float = PATIENCE) -> str:
        """Wait until a text is no longer on the screen."""
        return self.wait_until(lambda words: text not in words, f"no {text!r}", timeout)

    def wait_until(self, there: Callable[[str], bool], what: str, timeout: float = PATIENCE) -> str:
        """Wait until the words on the screen satisfy a condition. Raises AssertionError with the screen."""
        deadline = time.monotonic() + timeout
        while not there(self.words()):
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                why = f"{timeout:g} s have passed" if self._open else f"the program has left ({self._process.poll()})"
                raise AssertionError(f"{why}, waiting for {what}, with this on the screen:\n{self.screen()}")
        return self.screen()

    def _read(self, timeout: float) -> bool:
        """Take in what the program has written; False when nothing came in time, or it has left."""
        if not self._open or not select.select([self._fd], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # how Linux says that nobody has the other end open any more
            data = b""
        if not data:
            self._open = False
            return False
        self.output += data
        self._stream.feed(data)
        return True

    def find(self, text: str, left: int = 0, row: int | None = None) -> tuple[int, int]:
        """Return the column and row where a text stands, not left of a column, on a given row or the first."""
        for y, line in enumerate(self._terminal.display):
            if row in (None, y) and (x := line.find(text, left)) >= 0:
                return x, y
        raise AssertionError(f"{text!r} is not on the screen:\n{self.screen()}")

    # Acting

    def send(self, *keys: str) -> None:
        """Press keys by name, or type what is not the name of one."""
        for key in keys:
            os.write(self._fd, KEYS.get(key, key).encode())

    def type(self, text: str) -> None:
        """Type a text as it is."""
        os.write(self._fd, text.encode())

    def paste(self, text: str) -> None:
        """Paste as a terminal does, in brackets."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def click(self, x: int, y: int) -> None:
        """Press and release the left button of the mouse on a cell."""
        self.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def control(self, letter: str) -> None:
        """Press a letter with Ctrl."""
        self.type(chr(ord(letter.upper()) - 64))

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal, as dragging its corner does."""
        self._terminal.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def kill(self) -> None:
        """Kill the program as `kill -9` does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def hang_up(self) -> int:
        """Close the terminal, wait until the program has ended, and return its exit code."""
        os.close(self._fd)
        self._fd, self._open = -1, False
        return self._process.wait(timeout=PATIENCE)

    def leave(self, timeout: float = PATIENCE) -> int:
        """Wait until the program has left by itself and return its exit code."""
        deadline = time.monotonic() + timeout
        while self._open and (left := deadline - time.monotonic()) > 0:
            self._read(left)
        return self._process.wait(timeout=max(0.1, deadline - time.monotonic()))


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a fresh person in an ordinary terminal."""
    # COLUMNS and LINES, which pytest-xdist sets for its workers, would speak for the terminal's own size.
    others = ("XDG_", "TAU", "TEXTUAL", "COLUMNS", "LINES")
    mine = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    xdg = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none"}
    return mine | xdg | terminal | {"HOME": str(home), "PYTHONWARNINGS": "default"}


def command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a subcommand without a terminal, in the same home."""
    return subprocess.run(
        [sys.executable, "-m", "tau_tui", *arguments],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def sessions(home: Path) -> list[dict[str, Any]]:
    """Return what `tau-tui sessions --json` lists."""
    listed = command(home, "sessions", "--json")
    assert listed.returncode == 0, listed.stderr
    return [json.loads(line) for line in listed.stdout.splitlines()]
