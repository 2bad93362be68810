"""From a keystroke to its paint, in a real pty: while litellm is imported, and while a model streams with all speed.

The models are of `python -m tests.fake_llm`, in a process of its own, and write 2,000 words a second: four in each
piece, as servers of that speed send them, or one in each, which is more pieces than litellm takes in. Every key is
another letter, one that stands nowhere else on the screen, so that its first appearance in the output is its paint.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from bench.report import Row, median, percentile
from tests.fake_llm import closed_port

SIZE = (45, 160)
RUNS = 2
EVERY = 0.03
"""Seconds between a paint and the next key."""
STREAM = 4.5
"""Seconds, of the five or more that the model streams, in which keys are pressed."""
PATIENCE = 60.0
TOKENS = 10_000
MODELS = {"fast-fours": "by fours", "fast": "one by one"}
FIRST, LAST = b"w0000", " · t2 · ".encode()
"""What is drawn with the first word, and when the message is there: the header counts the turn."""


class Terminal:
    """The program in a pty; only bytes are looked at, for a terminal emulator would need the processor itself."""

    def __init__(self, home: Path, url: str, model: str) -> None:
        arguments = ["--domain", "airline", "--play", "user", "--view", "open", "--task", "0"]
        arguments += ["--agent-llm", f"openai/{model}", "--agent-api-base", url]
        env = os.environ | {"TERM": "xterm-256color", "XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
        env.pop("TAU2_DATA_DIR", None)
        self.seen = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.execvpe(sys.executable, [sys.executable, "-m", "tau_tui", *arguments], env)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))

    def read(self, timeout: float) -> None:
        """Take in what has been drawn."""
        if select.select([self._fd], [], [], timeout)[0]:
            self.seen += os.read(self._fd, 1 << 16)

    def wait_for(self, mark: bytes) -> float:
        """Return when `mark` has been drawn. Raises RuntimeError when it is not."""
        deadline = time.perf_counter() + PATIENCE
        while mark not in self.seen:
            if time.perf_counter() > deadline:
                raise RuntimeError(f"{mark!r} was never drawn: {self.seen[-500:]!r}")
            self.read(0.5)
        return time.perf_counter()

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._fd, keys.encode())

    def paint(self, letter: str) -> float:
        """Press a key and return the milliseconds until it is drawn."""
        self.seen = b""
        begun = time.perf_counter()
        self.press(letter)
        return (self.wait_for(letter.encode()) - begun) * 1e3

    def pause(self, seconds: float) -> None:
        """Let time pass, looking."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.read(left)

    def kill(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)


def run() -> list[Row]:
    """Play against the fast models, typing all the time."""
    importing: list[float] = []
    rows: list[Row] = []
    port = closed_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.fake_llm", "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert server.stdout is not None
        server.stdout.readline()
        for model, pieces in MODELS.items():
            streaming: list[float] = []
            rates: list[float] = []
            for _ in range(RUNS):
                with tempfile.TemporaryDirectory() as home:
                    one, two, rate = played(Path(home), f"http://127.0.0.1:{port}/v1", model)
                importing += one
                streaming += two
                rates.append(rate)
            n = len(streaming)
            rows += [
                Row(f"tokens a second, {pieces}", median(rates), "1/s", RUNS),
                Row(f"key to paint, streamed {pieces}, median", median(streaming), "ms", n),
                Row(f"key to paint, streamed {pieces}, p95", percentile(streaming, 0.95), "ms", n, 50.0),
            ]
    finally:
        server.terminate()
        server.wait()
    return [
        *rows,
        Row("key to paint while litellm is imported, p95", percentile(importing, 0.95), "ms", len(importing), 150.0),
        Row("key to paint while litellm is imported, worst", max(importing), "ms", len(importing)),
    ]


def played(home: Path, url: str, model: str) -> tuple[list[float], list[float], float]:
    """Return the latencies during the import and during the stream, and how many tokens came a second."""
    terminal = Terminal(home, url, model)
    keys = letters()
    try:
        terminal.wait_for(b"your turn")
        terminal.press("hello\r")  # who is asked while litellm is being imported answers when it is there
        importing = []
        while FIRST not in terminal.seen:
            importing.append(terminal.paint(next(keys)))
            terminal.pause(EVERY)
        begun = time.perf_counter()
        streaming = []
        while time.perf_counter() - begun < STREAM and LAST not in terminal.seen:
            streaming.append(terminal.paint(next(keys)))
            terminal.pause(EVERY)
        ended = terminal.wait_for(LAST)
        return importing, streaming, TOKENS / (ended - begun)
    finally:
        terminal.kill()


def letters() -> Iterator[str]:
    """Yield letters that stand nowhere on the screen, each once."""
    for first, last in ((0x0391, 0x03A1), (0x0410, 0x0450), (0x0531, 0x0557), (0x10D0, 0x10F1), (0x4E00, 0x9FA5)):
        yield from map(chr, range(first, last))
