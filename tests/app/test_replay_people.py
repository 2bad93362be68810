"""The replay tells of seats, a supervisor's decisions, reasoning and what turns took, as the play screen does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from domains import load_domain
from sessions.event import PlayerInfo, Reviewed, Seated
from sessions.players.base import Action, Ruling, ToolCall
from sessions.players.human import HumanPlayer
from sessions.recorder import Recorder
from sessions.replay import session_replay
from sessions.session import Session, play
from tau_tui.cli import main
from tau_tui.screens.replay import ReplayScreen
from tau_tui.widgets.block import Entry
from tau_tui.widgets.rewinding import Talk
from tests.app.helpers import kinds
from tests.app.test_replay import Shown, shown
from tests.sessions.playing import Lines, session

USAGE = {"prompt_tokens": 1200, "completion_tokens": 34, "cost": None, "latency": 1.34}
THOUGHT = {**USAGE, "reasoning": "They want a refund."}
CANCEL = ToolCall("cancel_reservation", {"reservation_id": "EHGLP3"})


class Boss:
    """A supervisor with a list of rulings."""

    def __init__(self, *rulings: Ruling) -> None:
        self._rulings = list(rulings)

    async def review(self, seat: object, call: ToolCall) -> Ruling:
        """Give the next one."""
        return self._rulings.pop(0)


async def played(keeper: Recorder | None = None) -> Session:
    """A model thinks, is refused a write, has another edited; then a person takes its seat and hands it back."""
    wants = Action(calls=(CANCEL,), usage=THOUGHT)
    agent = Lines("Which one?", wants, wants, Action("It is done.", usage=THOUGHT), kind="openai/x")
    live = session(load_domain("airline"), Lines("Cancel it, please.", "EHGLP3.", "Thanks."), agent, keeper=keeper)
    live.supervisor = Boss(
        Ruling("refused", reason="ask first", by="ann"), Ruling("edited", {"reservation_id": "XYZ"}, by="ann")
    )
    async for event in live.run():
        if len(kinds(live.events, Seated)) < 2 and getattr(event, "text", "") == "It is done.":
            await live.seat("agent", HumanPlayer("ann"))
            await live.seat("agent", agent)
    return live


def entries(s: Shown) -> list[Entry]:
    return s.screen.query_one(Talk).entries


async def there(s: Shown, kind: type[object]) -> None:
    """Go to the next step that begins with an event of this kind."""
    replay = s.screen.replay
    assert replay is not None
    found = replay.find(s.screen.step, lambda step: isinstance(step.events[0], kind))
    assert found is not None
    s.screen.action_go(found)
    await s.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_decisions_are_steps_with_what_was_wanted_and_what_was_made(size: tuple[int, int]) -> None:
    live = await played()
    async with shown(session_replay(live.domain, live.task, live.events), size) as s:
        await there(s, Reviewed)
        assert s.told == "refused by ann: cancel_reservation(reservation_id=EHGLP3) · because: ask first"
        assert entries(s)[-1].label == "review" and "because: ask first" in entries(s)[-1].text
        assert s.rows == [], "it was never made"
        await there(s, Reviewed)
        assert "reservation_id: EHGLP3 → XYZ" in s.told
        assert "reservation_id: EHGLP3 → XYZ" in entries(s)[-1].text
        await s.press("right", "right")
        assert s.rows == ["cancel_reservation"]


async def test_seats_that_change_hands_are_steps() -> None:
    live = await played()
    async with shown(session_replay(live.domain, live.task, live.events)) as s:
        await there(s, Seated)
        assert s.told == "ann takes the agent's seat from openai/x"
        await there(s, Seated)
        assert s.told == "ann hands the agent's seat to openai/x"
        assert [e.text for e in entries(s) if e.label == "seat"][-1] == s.told


async def test_reasoning_is_folded_and_enter_unfolds_it_with_what_the_turn_took() -> None:
    live = await played()
    async with shown(session_replay(live.domain, live.task, live.events)) as s:
        await s.press("end")
        s.screen.panes.go_to("conversation")
        talk = s.screen.query_one(Talk)
        done = next(e for e in entries(s) if e.text == "It is done.")
        assert (done.thought, done.usage) == (THOUGHT["reasoning"], "1,200 + 34 tokens · cost n/a · 1.3 s")
        block = next(block for block in talk.blocks if block.entry is done)
        assert "▸ thought · 4 words" in str(block.content) and "They want" not in str(block.content)
        talk.focus()
        await s.press("enter")
        assert "They want a refund." in str(block.content)


async def test_what_a_model_said_is_told_with_what_it_took() -> None:
    live = await played()
    replay = session_replay(live.domain, live.task, live.events)
    async with shown(replay) as s:
        said = replay.find(0, lambda step: getattr(step.events[0], "text", "") == "It is done.")
        assert said is not None
        s.screen.action_go(said)
        assert isinstance(s.screen, ReplayScreen)
        assert s.told == "agent says: It is done. · thought · 4 words · 1,200 + 34 tokens · cost n/a · 1.3 s"


async def test_the_table_and_the_lines_tell_of_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.db"
    recorder = Recorder(file)
    await played(recorder)
    recorder.close()
    assert main(["replay", "S", "--db", str(file), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    firsts = [row["events"][0] for row in rows]
    assert [one["decision"] for one in firsts if one["event"] == "reviewed"] == ["refused", "edited"]
    assert [one["player"]["name"] for one in firsts if one["event"] == "seated"] == ["ann", "openai/x"]
    assert main(["replay", "S", "--db", str(file)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for expected in ("refused by ann", "ann takes the agent's seat", "thought", "cost n/a"):
        assert expected in text, expected


async def test_a_session_of_people_alone_says_nothing_of_cost() -> None:
    live = session(load_domain("airline"), Lines("Hello."), Lines("Hi."))
    await play(live)
    async with shown(session_replay(live.domain, live.task, live.events)) as s:
        await s.press("end")
        assert not any(entry.usage or entry.thought for entry in entries(s))
        assert PlayerInfo("script", "script") == live.header.players["user"]
