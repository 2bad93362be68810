"""`tau-tui data`: what is installed is said, found by its name, and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tau_tui.cli import main
from tau_tui.task_list import find_packs


def test_with_nothing_installed_the_list_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    assert "`tau-tui data install` fetches the official data" in " ".join(capsys.readouterr().out.split())


def test_a_file_that_is_not_there_and_a_server_that_is_not_there_are_one_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert main(["data", "install", "--from", "nowhere.zip"]) == 2
    assert main(["data", "install", "--from", "http://127.0.0.1:1/x.tar.gz"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "tau-tui: nowhere.zip: there is no such file or folder",
        "tau-tui: http://127.0.0.1:1/x.tar.gz: cannot be reached (Connection refused);"
        " if you are offline, give a file you have with --from",
    ]


def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["data"], ["data", "instal"], ["data", "remove"]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert main(["data", "remove", "official"]) == 2
    assert capsys.readouterr().err == "tau-tui: no pack 'official' is installed; there is none\n"


@pytest.mark.official
def test_the_official_data_is_installed_listed_chosen_and_removed(
    official: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "install", "--from", str(official)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "tau2 v1.0.1",
        "28 files have the digests of the official data",
        "installed as official (airline, retail, telecom, telecom-workflow, mock):"
        " play with --data official, or choose it in the lobby",
    ]
    assert main(["data", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unknown"] == []
    assert main(["tasks", "--domain", "airline", "--data", "official", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 50
    assert [pack.domain for pack in find_packs(None) if pack.data == Path("official")][:2] == ["airline", "retail"]
    assert find_packs(None)[-1].label == "mock · official"
    assert main(["data", "remove", "official"]) == 0
    assert capsys.readouterr().out == "removed official (tau2 v1.0.1)\n"
    assert main(["tasks", "--data", "official"]) == 2
    assert "`tau-tui data install` fetches the official one" in capsys.readouterr().err
