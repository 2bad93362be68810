"""From the command to the first frame, in a real pty, against a bare Textual app; runs alternate."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from bench.report import Row, median

RUNS = 15
SIZE = (36, 120)
BARE = """
from textual.app import App
from textual.widgets import Header, Static
class Bare(App):
    def compose(self):
        yield Header()
        yield Static("first frame")
Bare().run()
"""
SCRIPT = "from tau_tui.cli import main; raise SystemExit(main())"
"""What pip writes into the command `tau-tui`."""

COMMANDS: dict[str, tuple[list[str], bytes]] = {
    "bare": ([sys.executable, "-c", BARE], b"first frame"),
    "tau-tui": ([sys.executable, "-c", SCRIPT, "--domain", "airline", "--play", "user"], b"airline"),
}


def run() -> list[Row]:
    """Start both in turn and wait for their first frame."""
    took: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as home:
        for i in range(RUNS + 1):
            for name, (command, mark) in COMMANDS.items():
                seconds = first_frame(command, mark, Path(home))
                if i:  # the first round warms the disk
                    took[name].append(seconds * 1e3)
    bare, ours = (median(took[name]) for name in COMMANDS)
    return [
        Row("first frame, bare Textual app, median", bare, "ms", RUNS),
        Row("first frame, tau-tui, median", ours, "ms", RUNS),
        Row("first frame, ratio", ours / bare, "×", RUNS, 1.3),
    ]


def first_frame(command: list[str], mark: bytes, home: Path) -> float:
    """Return the seconds until `mark` is drawn. Raises RuntimeError when it never is."""
    env = os.environ | {"TERM": "xterm-256color", "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    env.pop("TAU2_DATA_DIR", None)
    started = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    seen = b""
    try:
        while mark not in seen:
            if not select.select([fd], [], [], 30)[0]:
                raise RuntimeError(f"{command} drew no first frame: {seen[-500:]!r}")
            try:
                seen += os.read(fd, 65536)
            except OSError:
                raise RuntimeError(f"{command} ended: {seen[-500:]!r}") from None
        return time.perf_counter() - started
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)
