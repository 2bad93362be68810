"""The do-nothing probe: what a session gets in which nobody does anything and the user leaves."""

from __future__ import annotations

from collections.abc import Iterator

from domains.checking.finding import Finding
from domains.checking.played import Played
from domains.matching import GREETING, accepts, folded, occurrences
from domains.task import RewardType, Task

NOTHING: dict[RewardType, str] = {
    "DB": "actions and env_assertions are both null, so no state is compared",
    "ENV_ASSERTION": "there are no assertions",
    "ACTION": "there are no gold actions",
    "COMMUNICATE": "no string is required",
    "NL_ASSERTION": "there are no natural-language assertions",
}


def components(played: Played) -> dict[RewardType, float | None]:
    """Return the components of a session in which nothing happens after the greeting; None needs a judge."""
    criteria = played.criteria
    compared = criteria.actions is not None or criteria.env_assertions is not None
    said, called = _history(played.task)
    assertions = criteria.env_assertions or ()
    return {
        "DB": float(not compared or played.start.equals(played.goal)),
        "ENV_ASSERTION": float(all(played.start.fork().check(assertion) for assertion in assertions)),
        "ACTION": float(all(any(accepts(a, *call) for call in called) for a in played.task.gold)),
        "COMMUNICATE": float(all(any(_in(s, text) for text in said) for s in criteria.communicate_info or ())),
        "NL_ASSERTION": None if criteria.nl_assertions else 1.0,
    }


def _history(task: Task) -> tuple[list[str], list[tuple[str, dict[str, object]]]]:
    """Return what the agent has said and what was called before the session begins."""
    messages = (task.initial_state.message_history if task.initial_state else None) or []
    said = [str(m.get("content") or "") for m in messages if m.get("role") == "assistant"]
    called = [(call["name"], call["arguments"]) for m in messages for call in m.get("tool_calls") or ()]
    return said or [GREETING], called


def _in(required: str, text: str) -> bool:
    return next(occurrences(required, folded(text)), None) is not None


def probe(played: Played) -> Iterator[Finding]:
    """Lint what passes by inaction, and what counts but compares nothing."""
    task = played.task
    if task.evaluation_criteria is None:
        yield Finding(task.id, "error", "no-criteria", "evaluation_criteria", "there are none")
        return
    reached = components(played)
    basis = list(dict.fromkeys(played.criteria.reward_basis))
    values = [reached[name] for name in basis]
    if all(values):
        what = "a session in which nothing is done gets reward 1" + _because(played, basis)
        yield Finding(task.id, "error", "passes-by-inaction", "evaluation_criteria", what)
    elif 0.0 not in values:
        what = "a session in which nothing is done meets all that is computed" + _because(played, basis)
        yield Finding(task.id, "warning", "passes-by-inaction-unless-judged", "evaluation_criteria", what)
    empty = [name for name in basis if _empty(played, name)]
    for name in empty if len(empty) < len(basis) else ():
        what = f"{name} counts, but {NOTHING[name]}"
        yield Finding(task.id, "info", "component-always-passes", f"reward_basis {name}", what)


def _because(played: Played, basis: list[RewardType]) -> str:
    if "DB" not in basis:
        return ""
    failed = [step.action.name for step in played.writes if step.unsynced.error]
    if failed:
        return f": the goal is the state at the start, because {', '.join(failed)} fails"
    if not played.writes:
        return ": gold writes nothing, so the goal is the state at the start"
    if played.start.equals(played.goal):
        return ": what gold writes changes nothing"
    return ""


def _empty(played: Played, component: RewardType) -> bool:
    criteria = played.criteria
    match component:
        case "DB":
            return criteria.actions is None and criteria.env_assertions is None
        case "ENV_ASSERTION":
            return not criteria.env_assertions
        case "ACTION":
            return not criteria.actions
        case "COMMUNICATE":
            return not criteria.communicate_info
        case "NL_ASSERTION":
            return not criteria.nl_assertions
