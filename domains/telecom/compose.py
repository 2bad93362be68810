"""Composes the bundled telecom pack: `python -m domains.telecom.compose`. The documents are written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from domains.database import Base, Database
from domains.environment import Environment
from domains.generating import Dice, write_json
from domains.schema import load_base
from domains.task import EnvAssertion, Task
from domains.telecom import manual
from domains.telecom.composing.carrier import Caller, build_database, build_phone, callers
from domains.telecom.composing.faults import INTENTS, Fault, Intent, Persona, Scene, by_agent, on_phone
from domains.telecom.composing.words import COUNTRIES, PERSONAS, REFUELS, words_of
from domains.toolkit import Seat

SEED = 20250225
PACK = Path(__file__).parent / "pack"
PER_BIN = 1
"""Tasks for each intent, number of faults, persona and way to end; all `combinations` are the official 2,285."""
TRAIN_PERCENT = 65


@dataclass(frozen=True, slots=True)
class Combination:
    """Faults that are present together, in the order in which the workflow meets them."""

    intent: Intent
    faults: tuple[Fault, ...]
    persona: Persona

    @property
    def id(self) -> str:
        return f"[{self.intent.name}]{'|'.join(fault.name for fault in self.faults)}[PERSONA:{self.persona}]"

    @property
    def curable(self) -> bool:
        return all(fault.cure is not None for fault in self.faults)


def combinations(intent: Intent) -> list[Combination]:
    """Return every choice of at most one fault from each group with one of the intent's own, fewest faults first."""
    choices = [
        tuple(fault for fault in (*before, *own) if fault is not None)
        for before in product(*((None, *group) for group in intent.before))
        for own in product(*((None, *group) for group in intent.own))
        if any(own)
    ]
    choices.sort(key=len)
    personas = list(PERSONAS)
    return [Combination(intent, faults, personas[i % len(personas)]) for i, faults in enumerate(choices)]


class Composer:
    """Turns combinations into tasks, and keeps those that need every one of their steps."""

    def __init__(self, seed: int, database: dict[str, Any], phone: dict[str, Any]) -> None:
        self.seed = seed
        self.callers: list[Caller] = callers(database)
        self.bases: dict[Seat, Base] = {
            seat: load_base(seat, model, data, "composed")
            for (seat, (_, model)), data in zip(manual.databases.items(), (database, phone), strict=True)
        }

    def environment(self, task: Task) -> Environment:
        """Return the world in which a task begins."""
        env = Environment(manual, {seat: Database(base) for seat, base in self.bases.items()})
        env.apply(task)
        return env

    def task(self, combination: Combination) -> dict[str, Any]:
        """Return a task in tau2's schema, with facts and wishes."""
        dice = Dice(self.seed, "telecom", "task", combination.id)
        scene = Scene(dice.pick(self.callers), dice.pick(REFUELS), dice.pick(COUNTRIES))
        intent, faults = combination.intent, combination.faults
        words = words_of(intent, faults, scene)
        cures = [call for fault in faults if fault.cure is not None for call in fault.cure(scene)]
        gold = cures if combination.curable else [by_agent("transfer_to_human_agents", summary=words.ticket)]
        begin = [on_phone("set_user_info", name=scene.caller.full_name, phone_number=scene.caller.phone_number)]
        ensured = [
            call for fault in faults if (fault.cure is None) != combination.curable for call in fault.ensure(scene)
        ]
        return {
            "id": combination.id,
            "description": {"purpose": words.purpose, "relevant_policies": None, "notes": None},
            "user_scenario": {
                "persona": PERSONAS[combination.persona],
                "instructions": {
                    "domain": "telecom",
                    "reason_for_call": words.wish.told,
                    "known_info": words.known,
                    "unknown_info": words.unknown,
                    "task_instructions": words.instructions,
                },
                "facts": [fact.fact for fact in words.facts],
                "wishes": [
                    {
                        "say": words.wish.say,
                        "writes": gold if combination.curable else [],
                        "details": [detail.fact for detail in words.details],
                        "answers": [],
                        "refused": False,
                        "conceal": False,
                    }
                ],
            },
            "ticket": words.ticket,
            "initial_state": {
                "initialization_data": None,
                "initialization_actions": begin + [call for fault in faults for call in fault.begin(scene)],
                "message_history": None,
            },
            "evaluation_criteria": {
                "actions": [
                    {"action_id": f"{call['name']}_{i}", **call, "info": None, "compare_args": None}
                    | ({} if combination.curable else {"compare_args": []})
                    for i, call in enumerate(gold)
                ],
                "env_assertions": [
                    {**call, "assert_value": True, "message": None}
                    for call in (intent.solved if combination.curable else intent.unsolved, *ensured)
                ],
                "communicate_info": None,
                "nl_assertions": None,
                "reward_basis": ["ENV_ASSERTION"] if combination.curable else ["ENV_ASSERTION", "ACTION"],
            },
        }

    def keeps(self, combination: Combination, raw: dict[str, Any]) -> bool:
        """Tell whether the task is unsolved before each of its steps and, if it is curable, solved after the last."""
        task = Task.model_validate(raw)
        env = self.environment(task)
        solved = EnvAssertion.model_validate(combination.intent.solved)
        for action in task.gold:
            if env.check(solved) or env.call(action.requestor, action.name, action.arguments).error:
                return False
        assert task.evaluation_criteria is not None
        met = all(env.check(assertion) for assertion in task.evaluation_criteria.env_assertions or ())
        return met and env.check(solved) == combination.curable


def chosen(seed: int, intent: Intent) -> Iterator[list[Combination]]:
    """Yield, bin by bin, candidates in the order in which they are tried: all single faults, then a sample."""
    everything = combinations(intent)
    for single in (c for c in everything if len(c.faults) == 1):
        yield [single]
    bins: dict[tuple[int, str, bool], list[Combination]] = {}
    for combination in everything:
        if len(combination.faults) > 1:
            key = (len(combination.faults), combination.persona, combination.curable)
            bins.setdefault(key, []).append(combination)
    for place, candidates in bins.items():
        shuffled = Dice(seed, "telecom", "bin", intent.name, *map(str, place)).shuffled(candidates)
        for i in range(min(PER_BIN, len(shuffled))):
            yield shuffled[i::PER_BIN]


def build_tasks(seed: int, database: dict[str, Any], phone: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks of the pack, by intent and number of faults."""
    composer = Composer(seed, database, phone)
    tasks = []
    for intent in INTENTS:
        for candidates in chosen(seed, intent):
            for combination in candidates:
                raw = composer.task(combination)
                if composer.keeps(combination, raw):
                    tasks.append(raw)
                    break
    return tasks


def build_splits(seed: int, tasks: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the subsets: `small` has one fault a task, `base` several, `train` and `test` divide `base`."""
    ids = [task["id"] for task in tasks]
    base = [i for i in ids if "|" in i]
    train = set(Dice(seed, "telecom", "splits").sample(base, len(base) * TRAIN_PERCENT // 100))
    return {
        "full": ids,
        "base": base,
        "small": [i for i in ids if "|" not in i],
        "train": [i for i in base if i in train],
        "test": [i for i in base if i not in train],
    }


def build(seed: int) -> dict[str, Any]:
    """Return the content of every file the composer writes."""
    database, phone = build_database(seed), build_phone()
    tasks = build_tasks(seed, database, phone)
    return {
        "db.json": database,
        "user_db.json": phone,
        "tasks.json": tasks,
        "split_tasks.json": build_splits(seed, tasks),
    }


def main() -> None:
    """Write the pack."""
    for name, content in build(SEED).items():
        write_json(PACK / name, content)


if __name__ == "__main__":
    main()
