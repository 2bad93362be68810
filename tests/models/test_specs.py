"""What is written to say who sits where, on the command line, in the environment, the config file and `.env`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from domains import load_domain
from domains.toolkit import Seat
from sessions.event import Header, PlayerInfo
from sessions.players.external import CommandPlayer
from sessions.players.model.agents import ModelAgent
from sessions.players.model.choice import ModelChoice, WrongModel, parse_args
from sessions.players.model.users import ModelUser
from sessions.players.spec import Spec, UnknownPlayer, parse_spec, spec_of
from sessions.seating import Table, model_of, open_session, partner_of, seat_player, table_of
from tau_tui import settings
from tau_tui.cli import COMMANDS, main
from tau_tui.model_flags import chosen
from tests.models.asking import AIRLINE, MODEL

TASK = AIRLINE.tasks[0]


@pytest.mark.parametrize(
    ("seat", "text", "spec"),
    [
        ("agent", "oracle:slips=2", Spec("oracle", {"slips": 2})),
        ("agent", "llm", Spec("llm")),
        ("agent", "llm:react,few-shot,seed=3", Spec("llm", {"few-shot": 2, "seed": 3}, "react")),
        ("agent", "llm:few-shot=4", Spec("llm", {"few-shot": 4})),
        ("user", "llm:reflection", Spec("llm", style="reflect")),
        ("user", "script", Spec("script")),
        ("agent", "my.module:Class", Spec("class", code="my.module:Class")),
        ("user", 'cmd:"python x.py --a=1"', Spec("cmd", code="python x.py --a=1")),
        ("user", "cmd:./x", Spec("cmd", code="./x")),
    ],
)
def test_who_sits_there_is_read(seat: Seat, text: str, spec: Spec) -> None:
    assert parse_spec(seat, text) == spec


@pytest.mark.parametrize(
    ("seat", "text", "said"),
    [
        ("agent", "gpt", "there is no such agent; choose oracle or llm or module:Class or cmd:COMMAND"),
        ("user", "oracle", "there is no such user"),
        ("agent", "llm:verify", "llm takes react or act, few-shot=N, seed=N"),
        ("agent", "llm:react,act", "llm takes"),
        ("user", "llm:few-shot=1", "llm takes react or verify or reflection, seed=N"),
        ("agent", "oracle:seed=x", "oracle takes seed=N, slips=N"),
        ("agent", "cmd:", "which command?"),
    ],
)
def test_who_cannot_sit_there_is_one_line(seat: Seat, text: str, said: str) -> None:
    with pytest.raises(UnknownPlayer) as error:
        parse_spec(seat, text)
    assert said in str(error.value)


def test_naming_a_model_seats_it() -> None:
    table = Table(play="user", models={"agent": MODEL})
    assert table.spec("agent") == "llm" and table.named("agent") == "openai/small"
    assert Table(play="user", agent="oracle", models={"agent": MODEL}).spec("agent") == "oracle"
    with pytest.raises(UnknownPlayer, match="which model"):
        Table(play="user", agent="llm:react").check()
    session = open_session(AIRLINE, TASK, table)
    assert isinstance(session.players["agent"], ModelAgent) and session.header.view == "blind"
    assert session.header.temperature == 0.0
    assert session.header.digests["prompts"] == session.players["agent"].info.settings["prompt"]


def test_two_models_play_among_themselves() -> None:
    models: dict[Seat, ModelChoice] = {"agent": MODEL, "user": ModelChoice("b/c")}
    table = Table(play="none", agent="llm:act", user="llm:verify", models=models)
    session = open_session(AIRLINE, TASK, table)
    assert session.people == () and isinstance(session.players["user"], ModelUser)
    assert len(session.header.digests["prompts"]) == 64
    again = table_of(session.header)
    assert (again.play, again.agent, again.user) == ("none", "llm:act", "llm:verify")
    assert again.models == models


def test_a_model_works_alone_in_solo_mode() -> None:
    telecom = load_domain("telecom")
    task = next(task for task in telecom.tasks if task.ticket)
    session = open_session(telecom, task, Table(play="none", solo=True, models={"agent": MODEL}))
    assert set(session.players) == {"agent"} and session.view("agent").ticket == task.ticket


def test_a_customer_has_its_tools_where_the_domain_gives_some() -> None:
    telecom = load_domain("telecom")
    with_tools = seat_player("user", "llm", telecom, telecom.tasks[0], 0, MODEL)
    without = seat_player("user", "llm", AIRLINE, TASK, 0, MODEL)
    assert isinstance(with_tools, ModelUser) and isinstance(without, ModelUser)
    assert len(with_tools.guidelines) > len(without.guidelines)


@pytest.mark.parametrize("spec", ["llm", "llm:react", "llm:act,few-shot=3", "llm:seed=4"])
def test_a_header_says_how_to_seat_its_model_again(spec: str) -> None:
    model = ModelChoice("openai/small", {"temperature": 0.5, "api_key": "sk-abcdefgh12345678"}, "http://127.0.0.1:1/v1")
    info = seat_player("agent", spec, AIRLINE, TASK, 0, model).info
    header = Header(id="S", domain="airline", task_id="0", task={}, players={"agent": info}, view="open")
    assert partner_of(header, "agent") == spec
    assert model_of(header, "agent") == ModelChoice("openai/small", {"temperature": 0.5}, "http://127.0.0.1:1/v1")


def test_a_program_is_seated_again_and_an_imported_model_is_not() -> None:
    program = CommandPlayer("agent", "python x.py").info
    assert spec_of("agent", program) == "cmd:python x.py"
    assert spec_of("agent", PlayerInfo("model", "gpt-4", {"llm_args": {}})) == ""


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (ModelChoice(" "), "no name of a model"),
        (ModelChoice("a/b", {"stream": True}), "stream cannot be set"),
        (ModelChoice("a/b", {"timeout": "long"}), "timeout of a/b is a number"),
        (ModelChoice("a/b", {}, "localhost:80"), "begins with http"),
    ],
)
def test_what_cannot_be_a_model_is_one_line(model: ModelChoice, said: str) -> None:
    with pytest.raises(WrongModel, match=said):
        model.check()
    for text in ("{", "[1]"):
        with pytest.raises(WrongModel, match="--agent-args: "):
            parse_args(text, "--agent-args")


def models(*arguments: str) -> dict[Seat, ModelChoice]:
    """What the command line, the environment and the config file name together."""
    return chosen(COMMANDS["play"]()[0].parse_args(arguments), settings.load())


def test_flags_beat_the_environment_which_beats_the_config_file(monkeypatch: pytest.MonkeyPatch) -> None:
    path = settings.config_file()
    path.parent.mkdir(parents=True)
    path.write_text(
        'agent_llm = "a/config"\nuser_llm = "u/config"\nuser_api_base = "http://h/v1"\n[user_args]\ntop_p = 0.5\n'
    )
    assert models()["agent"].name == "a/config"
    monkeypatch.setenv("TAU_TUI_AGENT_LLM", "a/environment")
    monkeypatch.setenv("TAU_TUI_AGENT_ARGS", '{"temperature": 1}')
    found = models("--user-llm", "u/flag")
    assert found["agent"] == ModelChoice("a/environment", {"temperature": 1})
    assert found["user"] == ModelChoice("u/flag", {"top_p": 0.5}, "http://h/v1")


def test_wrong_flags_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    play = ["--domain", "airline", "--play", "user"]
    for flags, said in (
        (["--agent-args", "{}"], "of which model?"),
        (["--agent-llm", "a/b", "--agent-args", "{"], "--agent-args: not JSON"),
        (["--agent-llm", "a/b", "--agent-api-base", "x"], "begins with http"),
        (["--agent", "llm"], "which model?"),
    ):
        assert main([*play, *flags]) == 2
        line = capsys.readouterr().err
        assert said in line and line.count("\n") == 1


def test_env_file_fills_what_the_environment_does_not_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ) | {"OPENAI_API_KEY": "of the environment"})
    (tmp_path / ".env").write_text(
        "# keys\nOPENAI_API_KEY=of-the-file\nexport OTHER_KEY='a b'\nTAU_TUI_AGENT_LLM=a/b\nno assignment at all !!\n"
    )
    assert settings.load().agent_llm == "a/b"
    assert os.environ["OPENAI_API_KEY"] == "of the environment" and os.environ["OTHER_KEY"] == "a b"
