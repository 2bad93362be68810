"""Telecom and retail in a real terminal: the phone under the thumb, a ticket alone, and both seats of a shop."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import load_domain
from domains.catalog import Domain
from domains.task import Task
from domains.toolkit import Seat
from sessions.event import Call
from sessions.players.base import Player, ToolCall
from sessions.players.oracle import OracleAgent
from sessions.players.script import ScriptUser
from sessions.reward import seat_of
from tau_tui.widgets.phone.tiles import APPS, TILES, app_tile
from tests.app.pty_driver import Program, sessions
from tests.app.pty_person import Person, calls

TELECOM = load_domain("telecom")
PICTURES = "[mms_issue]wifi_calling_on|sms_permission_missing[PERSONA:Easy]"
BILL = "[service_issue]bill_overdue[PERSONA:None]"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


class Thumb(Person):
    """Does on the phone, with the mouse, whatever its customer does with a tool."""

    def look_for_apps(self) -> None:
        """Open the phone and look which apps there are, so that they are on its face."""
        self.wait_for_turn()
        self._open()
        self.tap(APPS.label)
        self.program.wait_for("messaging", "browser")
        self._done = 1

    def call(self, seat: Seat, call: ToolCall) -> None:
        """Tap the tile, or press the key beside it, and choose where it asks."""
        self._open()
        app = str(call.arguments.get("app_name", ""))
        tile = next(t for t in (*TILES, app_tile(app)) if call.name in (*t.looks, *(p.tool for p in t.presses)))
        press = next((press for press in tile.presses if press.tool == call.name), None)
        self.tap(tile.label, press.word if press is not None else "")
        if press is not None and press.choices:
            chosen = str(call.arguments[press.argument])
            self.program.wait_for(f"{press.argument}?")
            self.program.send(*("down",) * press.choices.index(chosen), "enter")

    def _open(self) -> None:
        if "Picture message" not in self.program.words():
            self.program.type("/phone")
            self.program.wait_for("your phone, where there is one")
            self.program.send("enter")
            self.program.wait_for("Picture message", APPS.label)

    def tap(self, label: str, word: str = "") -> None:
        """Click a tile, or a key on its line; the same words may stand in the conversation beside the phone."""
        left, _ = self.program.find("Airplane mode")
        x, y = self.program.find(label, left)
        self.program.click(*(self.program.find(word, x, y) if word else (x, y)))


def person(kind: type[Person], program: Program, domain: Domain, task: Task, *seats: Seat) -> Person:
    minds: dict[Seat, Player] = {"user": ScriptUser(domain, task), "agent": OracleAgent(domain, task)}
    return kind(program, domain, task, {seat: minds[seat] for seat in seats})


def only(home: Path) -> dict[str, object]:
    (session,) = sessions(home)
    return session


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 45)])
def test_picture_messages_as_the_customer_with_the_phone_to_reward_1(home: Path, columns: int, rows: int) -> None:
    task = TELECOM.task(PICTURES)
    with Program(
        home,
        *("--domain", "telecom", "--play", "user", "--view", "blind", "--task", PICTURES),
        columns=columns,
        rows=rows,
    ) as program:
        program.wait_for("USER/oracle · blind", "your turn", "Phone")
        hand = person(Thumb, program, TELECOM, task, "user")
        assert isinstance(hand, Thumb)
        hand.look_for_apps()
        hand.play()
        program.wait_for("reward 1 = ENV_ASSERTION 1")
        made = [event for event in hand.events() if isinstance(event, Call) and event.seat == "user"]
    pressed = [event.name for event in made]
    assert pressed[0] == "check_installed_apps"
    assert {"toggle_wifi_calling", "grant_app_permission", "can_send_mms"} <= set(pressed)
    assert only(home)["reward"] == 1.0


def test_picture_messages_as_the_agent_against_the_script_to_reward_1(home: Path) -> None:
    task = TELECOM.task(PICTURES)
    with Program(home, "--domain", "telecom", "--play", "agent", "--view", "blind", "--task", PICTURES) as program:
        program.wait_for("AGENT/script · blind")
        person(Person, program, TELECOM, task, "agent").play()
        program.wait_for("reward 1 = ENV_ASSERTION 1")
        assert "Phone" not in program.output.decode()


def test_a_solo_ticket_through_the_tool_form_to_reward_1(home: Path) -> None:
    task = TELECOM.task(BILL)
    with Program(home, "--domain", "telecom", "--play", "agent", "--solo", "--task", BILL) as program:
        program.wait_for("AGENT · open · solo", "ticket", task.user_scenario.facts[0].value or "")
        program.type("is anybody there?")
        program.send("enter")
        program.wait_for("solo: nobody reads messages")
        program.send(*("backspace",) * 17)
        hand = Person(program, TELECOM, task, {})
        hand.env = TELECOM.environment(task, solo=True)
        for number, step in enumerate(task.gold):
            program.wait_for("your turn", *((f"· t{number - 1}",) if number else ()))
            hand.call("agent", ToolCall(step.name, step.arguments))
            program.wait_until(lambda _, made=number + 1: len(calls(hand.events())) == made, step.name)  # type: ignore[misc]  # a default binds the loop's value
        program.wait_for("your turn", f"· t{len(task.gold) - 1}")
        program.send("f4")
        program.wait_for("done: the ticket is finished")
        program.send("enter")
        program.wait_for("reward 1 = ENV_ASSERTION 1", "ended by agent_stop")
    assert {seat_of(step) for step in task.gold} == {"user", "agent"}
    assert only(home)["reward"] == 1.0


def exchange() -> tuple[Domain, Task]:
    """Return the bundled retail task that exchanges what was delivered, and nothing else, with fewest arguments."""
    retail = load_domain("retail")
    fitting = [
        t for t in retail.tasks if [a.name for a in t.gold if _writes(a.name)] == ["exchange_delivered_order_items"]
    ]
    return retail, min(fitting, key=lambda task: len(str([action.arguments for action in task.gold])))


def _writes(name: str) -> bool:
    return load_domain("retail").definition.toolkits["agent"].tools[name].mutates


def test_an_exchange_in_the_shop_from_both_seats_to_reward_1(home: Path) -> None:
    retail, task = exchange()
    with Program(home, "--domain", "retail", "--play", "both", "--task", task.id, columns=120, rows=36) as program:
        program.wait_for("BOTH · open", "your turn as the user")
        hand = person(Person, program, retail, task, "user", "agent")
        hand.play()
        program.wait_for("reward 1 = DB 1")
        assert "exchange_delivered_order_items" in calls(hand.events())
    assert (only(home)["user"], only(home)["agent"]) == ("me", "me")
