"""A flag beats the environment, which beats the config file, which beats what was remembered."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from tau_tui import settings
from tau_tui.cli import COMMANDS, main
from tau_tui.commands import play, stepping
from tau_tui.exits import explained
from tau_tui.flags import settle
from tau_tui.options import Options


def write(text: str) -> Path:
    path = settings.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_anything_there_are_defaults() -> None:
    assert settings.load() == settings.Settings()


def test_a_pseudonym_is_remembered_and_the_file_and_the_environment_beat_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings.remember_player("ann")
    assert settings.load().player == "ann"
    write('player = "bob"\nconfirm_writes = false\nview = "blind"\ndata = "~/x"')
    loaded = settings.load()
    assert (loaded.player, loaded.confirm_writes, loaded.view) == ("bob", False, "blind")
    assert loaded.data == Path("~/x").expanduser()
    monkeypatch.setenv("TAU_TUI_PLAYER", "eve")
    monkeypatch.setenv("TAU_TUI_CONFIRM_WRITES", "yes")
    assert (settings.load().player, settings.load().confirm_writes) == ("eve", True)


def test_a_pseudonym_that_cannot_be_kept_is_one_line_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    with pytest.raises(OSError, match="remembered") as error:
        settings.remember_player("ann")
    code, line = explained(error.value)
    assert code == 3
    assert line.startswith("/dev/null/tau-tui: ") and "--player cannot be remembered" in line and "\n" not in line


def test_the_data_folder_of_tau2_is_used_where_no_other_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAU2_DATA_DIR", "/data")
    assert settings.load().data == Path("/data")
    monkeypatch.setenv("TAU_TUI_DATA", "/other")
    assert settings.load().data == Path("/other")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("colour = 1", "there is no setting 'colour'; there are player"),
        ("player = 3", "player is a text, not 3"),
        ('confirm_writes = "perhaps"', "confirm_writes is yes or no"),
        ('view = "x-ray"', "view is blind, open or present"),
        ("player = ", "Invalid value"),
    ],
)
def test_a_bad_setting_names_the_file_and_what_is_possible(text: str, line: str) -> None:
    path = write(text)
    with pytest.raises(settings.SettingsError) as error:
        settings.load()
    assert str(error.value).startswith(f"{path}: ")
    assert line in str(error.value)


def told(*arguments: str) -> argparse.Namespace:
    """What a command is given, with what is settled filled in."""
    parser, _ = COMMANDS[arguments[0]]()
    options = parser.parse_args(arguments[1:])
    settle(options)
    return options


def test_a_flag_beats_what_is_settled_and_what_no_flag_says_is_taken_from_there() -> None:
    write('data = "/settled"\ndb = "/settled.db"')
    assert (told("doctor").data, told("doctor").db) == (Path("/settled"), Path("/settled.db"))
    flagged = told("doctor", "--db", "mine.db")
    assert (flagged.data, flagged.db) == (Path("/settled"), Path("mine.db"))


def test_a_setting_that_cannot_be_used_is_in_nobodys_way_where_nothing_is_asked_of_it() -> None:
    write("colour = 1")
    assert told("sessions", "--db", "mine.db").db == Path("mine.db")
    assert told("data", "list").what == "list"
    with pytest.raises(settings.SettingsError):
        told("sessions")


@pytest.mark.parametrize(
    "command",
    ["", "--domain airline --play user", "replay 01", "replay --gold 0 --domain airline", "open x.tau"],
    ids=lambda command: command or "the lobby",
)
def test_every_way_into_the_app_takes_what_is_settled(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('player = "ann"\nconfirm_writes = false\nbell = true\ndb = "/settled.db"')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tau").touch()
    started: list[Options] = []
    for module in (play, stepping):
        monkeypatch.setattr(module, "shows_apps", lambda: True)
        monkeypatch.setattr(module, "launch", started.append)
    main(command.split())
    (options,) = started
    assert (options.lobby.person, options.confirm_writes, options.bell) == ("ann", False, True)
    assert options.db == Path("/settled.db")
