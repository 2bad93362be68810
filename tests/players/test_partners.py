"""Oracle against script: every task ends at 1, and with slips that touch the goal at 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from domains import list_domains, load_domain
from domains.catalog import Domain
from sessions.players.oracle import OracleAgent
from tests.players.playing import Played, played


def failures(domain: Domain, task_ids: list[str]) -> dict[str, dict[str, float | None]]:
    """Play tasks and return the components of those that did not end at 1, the judged ones left out."""
    found: dict[str, dict[str, float | None]] = {}
    for task_id in task_ids:
        verdict = played(domain, domain.task(task_id)).verdict
        counted: dict[str, float | None] = {
            name: verdict.components[name] for name in verdict.reward_basis if name != "NL_ASSERTION"
        }
        if verdict.termination != "user_stop" or any(value != 1 for value in counted.values()):
            found[task_id] = counted
    return found


@pytest.mark.parametrize("name", list_domains())
def test_every_bundled_task_ends_at_1(name: str) -> None:
    domain = load_domain(name)
    assert failures(domain, [task.id for task in domain.tasks]) == {}


@pytest.mark.official
@pytest.mark.parametrize("name", ["airline", "retail", "telecom"])
def test_every_official_task_of_the_base_split_ends_at_its_goal(name: str, official: Path) -> None:
    domain = load_domain(name, official)
    assert failures(domain, domain.splits["base"]) == {}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", list_domains())
def test_one_slip_that_touches_the_goal_ends_every_bundled_task_at_0(name: str, seed: int) -> None:
    domain = load_domain(name)
    for task in domain.tasks:
        session = played(domain, task, slips=1, seed=seed)
        slips = oracle_of(session).slips
        assert slips and slips[0].touches_goal, task.id
        assert session.verdict.reward == 0, (task.id, slips)


def oracle_of(session: Played) -> OracleAgent:
    """Return the oracle of a session."""
    player = session.session.players["agent"]
    assert isinstance(player, OracleAgent)
    return player


def test_slips_are_of_every_kind_and_repeat_with_the_seed() -> None:
    domain = load_domain("airline")
    kinds = set()
    for task in domain.tasks:
        first, again = (OracleAgent(domain, task, slips=2, seed=5).slips for _ in range(2))
        assert first == again
        kinds |= {slip.kind for slip in first}
    assert kinds == {
        "wrong_argument",
        "missing_information",
        "wrong_information",
        "wrong_decision",
        "partially_completed",
        "unconfirmed_write",
    }


def test_an_unconfirmed_write_is_never_the_only_slip() -> None:
    domain = load_domain("airline")
    for seed in range(3):
        for task in domain.tasks:
            (slip,) = OracleAgent(domain, task, slips=1, seed=seed).slips
            assert slip.kind != "unconfirmed_write"


def test_a_wrong_argument_is_executed_although_another_was_agreed() -> None:
    domain = load_domain("airline")
    for task in domain.tasks:
        session = played(domain, task, slips=1)
        oracle = oracle_of(session)
        if oracle.slips[0].kind != "wrong_argument":
            continue
        slipped = next(s for s in oracle.plan.acts if s.executes != s.arguments)
        assert any(slipped.what in text for text in session.said("agent"))
        assert any(dict(c.arguments) == slipped.executes for c in session.writes())
        assert not any(d.result is not None and d.result.error for t in session.session.state.turns for d in t.calls)
        return
    raise AssertionError("no task got a wrong argument")


@pytest.mark.parametrize("persona", ["None", "Easy", "Hard"])
def test_only_a_hard_persona_asks_back_before_it_touches_the_phone(persona: str) -> None:
    domain = load_domain("telecom")
    task = next(
        t for t in domain.tasks if t.id.endswith(f"[PERSONA:{persona}]") and any(a.requestor == "user" for a in t.gold)
    )
    session = played(domain, task)
    assert any("nervous" in text for text in session.said("user")) == (persona == "Hard")
    assert session.calls("user")


def test_steps_on_the_phone_are_asked_for_one_at_a_time() -> None:
    domain = load_domain("telecom")
    task = max(domain.tasks, key=lambda t: sum(a.requestor == "user" for a in t.gold))
    session = played(domain, task)
    steps = [s for s in oracle_of(session).plan.acts if s.kind == "user"]
    for text in session.said("agent"):
        assert len({s.what for s in steps if f"Please {s.what}." in text}) <= 1
