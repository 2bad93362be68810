"""Killed in the middle of a game in a real terminal, the same session is played on to its reward."""

from __future__ import annotations

from pathlib import Path

from sessions.event import Resumed
from sessions.trajectory import fold
from tests.app.pty_driver import Program, command, sessions
from tests.app.test_pty import only, person, short_task


def test_killed_with_words_in_the_box_and_played_on_to_the_reward(tmp_path: Path) -> None:
    task = short_task(nested=True)
    with Program(tmp_path, "--domain", "airline", "--play", "user", "--task", task.id) as program:
        hand = person(program, task, "user")
        hand.play(turns=2)
        hand.wait_for_turn()
        program.type("half a sentence")
        program.wait_for("half a sentence")
        # Other keys would move on the clock of the draft: it is saved when nothing is typed.
        while fold(hand.events()).drafts.get("user") != "half a sentence":
            program.wait_for("half a sentence")
        before = hand.events()
        program.kill()
    assert only(tmp_path)["status"] == "interrupted"
    with Program(tmp_path, "--resume") as program:
        program.wait_for(f"airline #{task.id} · USER/oracle · open", "half a sentence", "your turn")
        hand = person(program, task, "user")
        assert hand.events()[: len(before)] == before
        program.send(*("backspace",) * len("half a sentence"))
        program.wait_gone("half a sentence")
        hand.play()
        program.wait_for("reward 1 = DB 1", "ended by user_stop")
        events = hand.events()
        program.control("q")
        assert program.leave() == 0
    assert sum(isinstance(event, Resumed) for event in events) == 1
    assert (only(tmp_path)["status"], only(tmp_path)["reward"]) == ("ended", 1.0)
    session_id = str(only(tmp_path)["id"])
    deleted = command(tmp_path, "sessions", "delete", session_id[:20])
    assert (deleted.returncode, deleted.stderr.count("\n")) == (2, 1)
    assert "say --yes" in deleted.stderr
    deleted = command(tmp_path, "sessions", "delete", session_id[:20], "--yes")
    assert (deleted.returncode, deleted.stdout) == (0, "deleted 1 session\n")
    assert sessions(tmp_path) == []


def test_there_is_nothing_to_take_up(tmp_path: Path) -> None:
    with Program(tmp_path, "--resume", columns=160) as program:
        assert program.leave() == 2
        # In the bytes: the reader of the screen knows no second screen, and mixes the line with what stood there.
        assert b"was interrupted; `tau-tui sessions` lists them" in program.output
