"""Bad content is one line that says what, where and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from domains import DataError, list_domains, load_domain
from domains.catalog import check_domain
from domains.errors import UnknownDomain


def folder(tmp_path: Path, tasks: str) -> Path:
    """A data folder whose airline has these tasks."""
    pack = tmp_path / "tau2" / "domains" / "airline"
    pack.mkdir(parents=True)
    (pack / "tasks.json").write_text(tasks)
    (pack / "db.json").write_text('{"flights": {}, "users": {}, "reservations": {}}')
    (pack / "policy.md").write_text("# Be kind")
    return tmp_path


def test_a_folder_that_is_not_a_data_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"not a data folder: expected .*/tau2/domains"):
        check_domain("airline", tmp_path)


@pytest.mark.parametrize("name", [None, "airline"])
def test_a_data_folder_without_a_domain_says_what_it_lacks(tmp_path: Path, name: str | None) -> None:
    (tmp_path / "domains" / "airline").mkdir(parents=True)
    with pytest.raises(DataError, match=r"holds no domain: .*/domains has no airline/tasks\.json"):
        check_domain(name, tmp_path)


def test_tasks_that_are_not_json_name_line_and_column(tmp_path: Path) -> None:
    data = folder(tmp_path, '[\n  {"id": "0",}\n]')
    with pytest.raises(DataError, match=r"tasks\.json: line 2, column \d+"):
        _ = load_domain("airline", data).tasks


def test_tasks_off_the_schema_name_task_and_field(tmp_path: Path) -> None:
    tasks = [{"id": "a", "user_scenario": {"instructions": ""}}, {"id": "b", "user_scenario": {"persona": 3}}]
    data = folder(tmp_path, json.dumps(tasks))
    with pytest.raises(DataError, match=r"tasks\.json: task b: user_scenario\.persona: "):
        _ = load_domain("airline", data).tasks


def test_two_tasks_of_one_id_are_refused(tmp_path: Path) -> None:
    data = folder(tmp_path, json.dumps([{"id": "a", "user_scenario": {"instructions": ""}}] * 2))
    with pytest.raises(DataError, match="task a: id: there are two"):
        _ = load_domain("airline", data).tasks


def test_fields_we_do_not_know_are_kept(tmp_path: Path) -> None:
    data = folder(tmp_path, json.dumps([{"id": "a", "user_scenario": {"instructions": ""}, "mine": {"x": 1}}]))
    assert load_domain("airline", data).tasks[0].model_dump()["mine"] == {"x": 1}


def test_an_unknown_task_names_the_nearest_and_a_number_finds_one(tmp_path: Path) -> None:
    tasks = [{"id": name, "user_scenario": {"instructions": ""}} for name in ("mobile_data", "service", "mms")]
    domain = load_domain("airline", folder(tmp_path, json.dumps(tasks)))
    with pytest.raises(DataError, match="no task 'mobil_data'; the nearest are mobile_data"):
        domain.task("mobil_data")
    assert domain.task("#1").id == domain.task("#0001").id == "service"
    assert domain.splits["base"] == ["mobile_data", "service", "mms"]


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("#77", "airline has no task '#77'; they are numbered from #0 to #42"),
        ("#43", "airline has no task '#43'; they are numbered from #0 to #42"),
        ("#", "airline has no task '#'; they are numbered from #0 to #42"),
        ("#-1", "airline has no task '#-1'; they are numbered from #0 to #42"),
        ("#" + "9" * 5000, f"airline has no task '#{'9' * 5000}'; they are numbered from #0 to #42"),
        ("#²", "airline has no task '#²'; they are numbered from #0 to #42"),
        ("77", "airline has no task '77'; the nearest are 7, 37, 27; they are numbered from #0 to #42"),
        ("no id is like this", "airline has no task 'no id is like this'; they are numbered from #0 to #42"),
    ],
)
def test_a_task_there_is_not_is_answered_with_the_numbers_there_are(named: str, says: str) -> None:
    with pytest.raises(DataError) as refused:
        load_domain("airline").task(named)
    assert str(refused.value) == says


def test_a_pack_of_one_task_or_none_says_so(tmp_path: Path) -> None:
    task = {"id": "a", "user_scenario": {"instructions": ""}}
    with pytest.raises(DataError, match="airline has no task '#1'; there is only #0"):
        load_domain("airline", folder(tmp_path / "one", json.dumps([task]))).task("#1")
    with pytest.raises(DataError, match="airline has no task '1'; it has none at all"):
        load_domain("airline", folder(tmp_path / "none", "[]")).task("1")


ALL = "there are airline, retail, telecom, telecom-workflow, mock"


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("airlin", f"did you mean airline? {ALL}"),
        ("telcom", f"did you mean telecom? {ALL}"),
        ("tele", f"did you mean telecom or telecom-workflow? {ALL}"),
        ("nowhere", ALL),
    ],
)
@pytest.mark.parametrize("ask", [check_domain, load_domain])
def test_a_domain_there_is_not_is_answered_with_the_nearest_and_all(
    ask: Callable[[str], object], named: str, says: str
) -> None:
    with pytest.raises(UnknownDomain) as refused:
        ask(named)
    assert str(refused.value) == f"there is no domain {named!r}; {says}"


def test_a_folder_says_which_domains_it_holds(tmp_path: Path) -> None:
    data = folder(tmp_path, "[]")
    with pytest.raises(UnknownDomain) as refused:
        check_domain("airlin", data)
    assert str(refused.value) == f"there is no domain 'airlin' in {data}; did you mean airline? there is only airline"
    with pytest.raises(UnknownDomain) as refused:
        load_domain("retail", data)
    assert str(refused.value) == f"there is no domain 'retail' in {data}; there is only airline"


@pytest.mark.official
def test_the_official_folder_is_read(official: Path) -> None:
    assert "airline" in list_domains(official)
    domain = load_domain("airline", official)
    assert len(domain.tasks) == 50
    assert set(domain.splits) == {"base", "train", "test"}
    assert domain.policy.strip()


def test_a_folder_named_from_here_is_the_same_one_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path / "data", "[]")
    monkeypatch.chdir(tmp_path)
    assert load_domain("airline", Path("data")).origin == str(tmp_path / "data")
