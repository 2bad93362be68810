"""`tau-tui export`: chosen sessions become files; what cannot be done is one line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from domains import load_domain
from sessions.event import Event, Message, PlayerInfo
from sessions.interop.tau2 import read
from sessions.interop.tau2_ours import events_from_export
from sessions.players.base import Action, ToolCall
from sessions.recorder import Recorder
from sessions.session import play
from tau_tui.cli import main
from tau_tui.exits import DONE, USAGE
from tests.sessions.export.sessions_made import HOSTILE, header, session
from tests.sessions.playing import Lines
from tests.sessions.playing import session as live

ONE, TWO, OTHER = "01AAAA", "01AABB", "02CCCC"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A recording of three sessions: two of one configuration by different people, one of another."""
    file = tmp_path / "s.db"
    recorder = Recorder(file)
    ben = {**header().players, "user": PlayerInfo("human", "Ben")}
    model = {**header().players, "agent": PlayerInfo("model", "gpt/x")}
    recorder.add([session(id=ONE, text=HOSTILE), session(id=TWO, players=ben), session(id=OTHER, players=model)])
    recorder.close()
    return file


@pytest.fixture
def export(db: Path) -> Callable[..., int]:
    """The command on this recording."""
    return lambda *arguments: main(["export", *map(str, arguments), "--db", str(db)])


def test_one_session_goes_to_the_standard_output(
    export: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(TWO, "--format", "jsonl") == DONE
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["session"] for line in lines] == [TWO] * len(session())
    assert export("01AAB", "--format", "md") == DONE  # the beginning of an id is enough
    assert capsys.readouterr().out.startswith("# nowhere, task t: Ben as the customer")


def test_sessions_are_chosen_by_what_their_header_says(
    export: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    def chosen(*arguments: str) -> list[str]:
        assert export(*arguments, "--format", "csv") == DONE
        return [row["id"] for row in csv.DictReader(capsys.readouterr().out.splitlines())]

    assert chosen("--all") == [ONE, TWO, OTHER]
    assert chosen("--where", "agent_name=gpt/x") == [OTHER]
    assert chosen("--where", "user_name=Anna", "--where", "user_name=Ben") == [ONE, TWO, OTHER]
    assert chosen("--where", "user_name=Ben", "--where", "agent_kind=oracle") == [TWO]
    assert chosen("--where", "header.limits.max_steps=200", "--where", "solo=0") == [ONE, TWO, OTHER]
    assert chosen("--where", "header.players.agent.settings.seed=0", "--where", "parent=") == [ONE, TWO]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--format", "csv"], "say which sessions"),
        ([ONE, "--all", "--format", "csv"], "not both"),
        (["99", "--format", "csv"], "there is no session '99'"),
        (["01AA", "--format", "csv"], "2 sessions begin with '01AA'"),
        (
            ["--where", "agent=x", "--format", "csv"],
            r"no field 'agent'; did you mean agent_kind or agent_name\? there are id, .*, and header\.NAME",
        ),
        (["--where", "agent_name", "--format", "csv"], "is not FIELD=VALUE"),
        (["--where", "agent_name=nobody", "--format", "csv"], "no session in .* fits"),
        (["--all", "--format", "html"], "3 sessions make 3 files; name a folder"),
        (["--all", "--format", "tau2"], "played in 2 configurations.*name a folder"),
        (["--all", "--format", "tau-bench"], "no word for domain nowhere"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], line: str, export: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(*arguments) == USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert re.search(line, told.err) and told.err.count("\n") == 1


def test_an_export_creates_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--all", "--format", "csv", "--db", str(tmp_path / "none.db")]) == USAGE
    assert "nothing is recorded" in capsys.readouterr().err
    assert not (tmp_path / "none.db").exists()


def test_results_of_one_configuration_are_one_file_and_come_back_whole(
    export: Callable[..., int], tmp_path: Path
) -> None:
    out = tmp_path / "results.json"
    assert export(ONE, TWO, "--format", "tau2", "--out", out) == DONE
    assert list(tmp_path.glob(".*.part")) == []
    file = json.loads(out.read_text("utf-8"))
    tasks = {task["id"]: task for task in file["tasks"]}
    assert [events_from_export(item["info"], tasks)[2] for item in file["simulations"]] == [
        Message(turn=1, seat="user", text=text, at=103.5) for text in (HOSTILE, "Please sweep.")
    ]
    assert [item["trial"] for item in file["simulations"]] == [0, 1]


def test_several_configurations_are_several_files(export: Callable[..., int], tmp_path: Path) -> None:
    assert export("--all", "--format", "tau2", "--out", tmp_path / "out") == DONE
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "nowhere_gpt-x_human.json",
        "nowhere_oracle_human.json",
    ]


def test_a_results_folder_is_not_mixed_with_what_is_there(
    export: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert export(ONE, TWO, "--format", "tau2-folder", "--out", out) == DONE
    assert len(list(read(out).simulations())) == 2
    assert export(OTHER, "--format", "tau2-folder", "--out", out) == USAGE
    assert "holds something already" in capsys.readouterr().err


def test_documents_of_several_sessions_go_into_a_folder(export: Callable[..., int], tmp_path: Path) -> None:
    assert export("--all", "--format", "html", "--out", tmp_path / "pages") == DONE
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {f"{i}.html" for i in (ONE, TWO, OTHER)}
    assert export(ONE, "--format", "md", "--out", tmp_path / "pages") == DONE
    assert (tmp_path / "pages" / f"{ONE}.md").is_file()


@pytest.mark.parametrize("form", ["tau2", "jsonl", "csv", "md", "html"])
def test_no_name_of_a_person_is_left_and_the_pseudonym_is_stable(
    form: str, export: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for _ in range(2):
        assert export(TWO, "--format", form, "--anonymous") == DONE
        text = capsys.readouterr().out
        assert "Ben" not in text
        told.append(re.findall(r"player\\?-([0-9a-f]{8})", text))
    assert told[0] and set(told[0]) == set(told[1])


async def test_the_reward_is_explained_in_the_words_of_the_result_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = load_domain("mock")
    task = next(task for task in domain.tasks if task.gold and not task.initial_state)
    call = ToolCall(name=task.gold[0].name, arguments=task.gold[0].arguments)
    recorder = Recorder(tmp_path / "s.db")
    events: list[Event] = await play(live(domain, Lines("Hello."), Lines(Action(calls=(call,)), "Done."), task=task.id))
    recorder.add([events])
    recorder.close()
    assert main(["export", "S", "--format", "md", "--db", str(tmp_path / "s.db")]) == DONE
    told = capsys.readouterr().out
    assert re.search(r"\*\*reward [01] = DB [01]", told)
    assert "diagnostic only" in told
