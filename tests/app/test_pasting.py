"""What is pasted arrives in one piece, whatever it holds and wherever the terminal cuts it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from textual.events import Key, Paste
from textual.message import Message

from tau_tui.pasting import WholePastes
from tests.app.pty_driver import Program

RED = "AAA\x1b[31mBBB\nCCC"
TEXTS = {
    "colours": RED,
    "a lone escape": "a\x1bb",
    "the start again": "a\x1b[200~b",
    "a long code": "\x1b]8;;http://example.com/" + "x" * 80 + "\x07link\x1b]8;;\x07",
    "focus and mouse": "\x1b[I\x1b[O\x1b[<0;1;1M",
    "nothing": "",
    "plain": "one\ntwo",
}


def parsed(parts: Iterable[str]) -> list[Message]:
    parser = WholePastes()
    return [message for part in parts for message in parser.feed(part)]


def told(messages: Iterable[Message]) -> list[str]:
    return [m.text if isinstance(m, Paste) else m.key for m in messages if isinstance(m, Paste | Key)]


@pytest.mark.parametrize("name", TEXTS)
def test_a_paste_is_one_event_between_the_keys_around_it(name: str) -> None:
    typed = f"x\x1b[200~{TEXTS[name]}\x1b[201~\x1b[Ay"
    whole = ["x", TEXTS[name], "up", "y"]
    assert told(parsed([typed])) == whole
    assert told(parsed(typed)) == whole
    for cut in range(len(typed)):
        assert told(parsed(filter(None, (typed[:cut], typed[cut:])))) == whole


def test_two_pastes_are_two() -> None:
    assert told(parsed(["\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~"])) == ["a", "b"]


def test_an_escape_code_pasted_in_a_terminal_is_shown_in_its_place(tmp_path: Path) -> None:
    with Program(tmp_path, "--domain", "airline", "--play", "user", "--task", "0") as program:
        program.wait_for("your turn")
        program.paste(RED)
        program.wait_for("AAA␛[31mBBB", "CCC")
        x, y = program.find("AAA␛[31mBBB")
        assert program.find("CCC") == (x, y + 1)
        program.control("q")
        program.wait_for("Leave this session?")
