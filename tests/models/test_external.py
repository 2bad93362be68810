"""Players of one's own: classes, and programs that speak JSON lines."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from sessions.event import Failure, Message
from sessions.players.base import Action, PlayerFailure, ToolCall
from sessions.players.external import ClassPlayer, CommandPlayer, request
from sessions.players.spec import UnknownPlayer
from sessions.session import play
from tests.models.asking import AIRLINE, called, said, view
from tests.sessions.playing import Lines, session

GREETING = said(0, "agent", "Hi!")
WISH = said(1, "user", "Cancel my trip.")
DOCUMENT = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with code in it, which is found after ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def program(folder: Path, body: str) -> CommandPlayer:
    """A player that runs a program with `asked`, the request, at hand; it prints its answers."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file = folder / "player.py"
    file.write_text(f"import json, os, sys, time\nfor line in sys.stdin:\n    asked = json.loads(line)\n{lines}\n")
    return CommandPlayer("agent", shlex.join([sys.executable, "-u", str(file)]), timeout=20)


def example(language: str) -> str:
    """The first example of a language in the document."""
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found is not None
    return found[1]


# Classes


async def test_the_documents_class_plays(folder: Path) -> None:
    code = example("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    (folder / "mine.py").write_text(code)
    player = ClassPlayer("agent", "mine:Polite")
    action = await player.act(view("agent", GREETING, WISH))
    assert action.calls and (player.info.kind, player.info.settings["spec"]) == ("model", "mine:Polite")
    events = await play(session(AIRLINE, Lines("Hello"), player))
    said = [event.text for event in events if isinstance(event, Message) and event.seat == "agent"]
    assert said[-1] == "I am sorry, all I know is 42.0."


async def test_words_alone_and_plain_functions_will_do(folder: Path) -> None:
    (folder / "plain.py").write_text("class Plain:\n    def act(self, view):\n        return 'Hello ' + view.seat\n")
    assert await ClassPlayer("agent", "plain:Plain").act(view("agent", GREETING)) == Action("Hello agent")
    (folder / "ends.py").write_text("class Ends:\n    async def act(self, view):\n        return 'Bye ###STOP###'\n")
    assert (await ClassPlayer("user", "ends:Ends").act(view("user", GREETING))).stop == "###STOP###"


@pytest.mark.parametrize(
    ("body", "said"),
    [("raise ValueError('oh\\nno')", "raised ValueError: oh no"), ("return 3", "returned int")],
)
async def test_what_it_does_wrong_is_a_failure_that_can_be_retried(folder: Path, body: str, said: str) -> None:
    (folder / "wrong.py").write_text(f"class Wrong:\n    async def act(self, view):\n        {body}\n")
    with pytest.raises(PlayerFailure, match=said) as failure:
        await ClassPlayer("agent", "wrong:Wrong").act(view("agent", GREETING))
    assert failure.value.retryable


@pytest.mark.parametrize("spec", ["no_such_module:X", "json:NoSuch", "json:JSONDecoder", "broken:X"])
def test_code_that_cannot_be_found_is_one_line(folder: Path, spec: str) -> None:
    (folder / "broken.py").write_text("1 / 0")
    with pytest.raises(UnknownPlayer, match=f"--agent {spec}: "):
        ClassPlayer("agent", spec)


def test_a_module_in_the_working_folder_never_goes_before_ours(folder: Path) -> None:
    (folder / "sessions.py").write_text("raise SystemExit")
    (folder / "other.py").write_text(
        "import sessions\nclass A:\n    where = sessions.__file__\n    def act(self, v): ...\n"
    )
    assert str(folder) not in ClassPlayer("agent", "other:A")._inner.where
    assert sys.path[-1] == str(folder)


# Programs


def test_a_program_is_told_what_its_seat_knows_and_no_more() -> None:
    look = called(2, "agent", "get_user_details", {"user_id": "a"}, "Ann")
    asked = request(view("agent", GREETING, WISH, look))
    assert set(asked) == {"seat", "domain", "now", "policy", "tools", "messages"}
    assert [message["role"] for message in asked["messages"]] == ["assistant", "user", "assistant", "tool"]
    assert "scenario" in request(view("user", GREETING)) and "policy" not in request(view("user", GREETING))


async def test_the_documents_program_plays(folder: Path) -> None:
    (folder / "player.py").write_text(re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)[1])
    player = CommandPlayer("agent", shlex.join([sys.executable, "player.py"]))
    first = await player.act(view("agent", GREETING, WISH))
    assert first.text or first.calls
    await player.close()


async def test_it_is_started_once_and_answers_every_act(folder: Path) -> None:
    player = program(folder, "print(json.dumps({'text': f'{os.getpid()}'}))")
    first, second = [(await player.act(view("agent", GREETING, WISH))).text for _ in range(2)]
    assert first == second
    await player.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(first), 0)
    assert (await player.act(view("agent", GREETING, WISH))).text != first, "it can be started again"
    await player.close()


async def test_calls_and_ends_are_taken(folder: Path) -> None:
    player = program(folder, "print(json.dumps({'calls': [{'name': 'f', 'arguments': {'a': 1}}], 'text': 'I look'}))")
    assert await player.act(view("agent", GREETING)) == Action("I look", (ToolCall("f", {"a": 1}),))
    await player.close()
    player = program(folder, "print(json.dumps({'text': 'Bye', 'stop': '###STOP###'}))")
    assert (await player.act(view("agent", GREETING))).stop == "###STOP###"
    await player.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('hello')", "no answer"),
        ("print('[]')", "expected an object"),
        ("print(json.dumps({'text': 3}))", "text is a text"),
        ("print(json.dumps({'calls': [{'name': 'f', 'arguments': '{}'}]}))", "a call has a name"),
        ("print(json.dumps({'stop': 'now'}))", "stop is one of"),
        ("print('x' * 5_000_000)", "no answer"),
        ("print('so bad', file=sys.stderr); sys.exit(3)", r"ended with code 3 \(so bad\)"),
        ("os.kill(os.getpid(), 9)", "ended with code -9"),
    ],
)
async def test_what_a_program_does_wrong_is_a_failure_and_it_is_ended(folder: Path, body: str, said: str) -> None:
    player = program(folder, body)
    with pytest.raises(PlayerFailure, match=said) as failure:
        await player.act(view("agent", GREETING))
    assert failure.value.retryable and "\n" not in str(failure.value)
    assert player._process is None


async def test_a_program_that_is_silent_is_ended_with_all_it_has_started(folder: Path) -> None:
    player = program(folder, "open('pid', 'w').write(str(os.fork() or os.getpid())); time.sleep(60)")
    player._timeout = 1.0
    with pytest.raises(PlayerFailure, match="no answer in 1 s"):
        await player.act(view("agent", GREETING))
    assert player._process is None


async def test_a_program_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(PlayerFailure, match="cannot be started: No such file"):
        await CommandPlayer("agent", "/no/such/program").act(view("agent", GREETING))
    with pytest.raises(UnknownPlayer, match="No closing quotation"):
        CommandPlayer("agent", 'python "x')


async def test_a_cancelled_act_takes_the_program_with_it(folder: Path) -> None:
    player = program(folder, "open('asked', 'w').close(); time.sleep(60)")
    acting = asyncio.create_task(player.act(view("agent", GREETING)))
    while not (folder / "asked").exists():
        await asyncio.wait({acting}, timeout=0.01)
    acting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await acting
    assert player._process is None


async def test_a_session_survives_a_crash_and_ends_the_program(folder: Path) -> None:
    player = program(
        folder,
        "if not os.path.exists('crashed'):\n    open('crashed', 'w').close()\n    sys.exit(1)\n"
        "print(json.dumps({'text': 'I am back'}))",
    )
    live = session(AIRLINE, Lines("Hello"), player)
    events = await play(live)
    assert isinstance(events[-1], Failure) and events[-1].retryable and live.state.ended is None
    events = await play(live)
    assert live.state.ended is not None and live.state.ended.reason == "user_stop"
    assert player._process is None
    assert "I am back" in json.dumps([getattr(event, "text", "") for event in events])
