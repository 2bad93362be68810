"""What a run of models will cost: measured without a call, for every way a model can be asked."""

from __future__ import annotations

from dataclasses import replace

from domains import load_domain
from sessions.estimate import SAMPLED, SeatEstimate, estimate
from sessions.players.model.choice import ModelChoice
from sessions.seating import Table
from sessions.trials import Batch

AIRLINE = load_domain("airline")
MODEL = ModelChoice("a/b")
TABLE = Table(play="none", models={"agent": MODEL, "user": MODEL})


async def of(batch: Batch, price: tuple[float, float] | None = (1e-6, 1e-5)) -> dict[str, SeatEstimate]:
    """Estimate every trial of a batch."""
    found = await estimate(batch, list(batch.all_trials()), lambda model: price)
    return {each.seat: each for each in found}


async def test_prompts_and_completions_are_counted_and_priced_apart() -> None:
    found = await of(Batch(AIRLINE, AIRLINE.tasks[:2], TABLE))
    assert list(found) == ["agent", "user"]
    agent, user = found["agent"], found["user"]
    assert agent.prompt > 20 * agent.completion > 0  # the policy is read again in every turn
    assert agent.prompt > user.prompt > 0
    assert (agent.prompt_cost, agent.completion_cost) == (agent.prompt * 1e-6, agent.completion * 1e-5)
    assert agent.cost == agent.prompt * 1e-6 + agent.completion * 1e-5


async def test_an_unknown_price_is_unknown_and_not_nothing() -> None:
    found = await of(Batch(AIRLINE, AIRLINE.tasks[:1], TABLE), None)
    assert (found["agent"].cost, found["user"].prompt_cost) == (None, None)
    assert found["agent"].prompt > 0


async def test_it_grows_with_the_trials_and_few_tasks_are_played_for_it() -> None:
    one = await of(Batch(AIRLINE, AIRLINE.tasks[:1], TABLE, trials=1))
    ten = await of(Batch(AIRLINE, AIRLINE.tasks[:1], TABLE, trials=10))
    assert ten["agent"].prompt == 10 * one["agent"].prompt
    every = await of(Batch(AIRLINE, AIRLINE.tasks, TABLE))
    assert len(AIRLINE.tasks) > 2 * SAMPLED
    assert every["agent"].prompt > 10 * one["agent"].prompt


async def test_every_way_of_asking_is_counted() -> None:
    plain = await of(Batch(AIRLINE, AIRLINE.tasks[:1], TABLE))
    asked = replace(TABLE, agent="llm:react,few-shot=1", user="llm:verify")
    more = await of(Batch(AIRLINE, AIRLINE.tasks[:1], asked))
    assert more["agent"].prompt > plain["agent"].prompt  # with examples
    assert more["agent"].completion > plain["agent"].completion  # with thoughts
    assert more["user"].prompt >= 2 * plain["user"].prompt  # with a judge


async def test_only_models_are_counted_and_an_agent_alone_too() -> None:
    telecom = load_domain("telecom")
    half = Table(play="none", models={"agent": MODEL})
    assert list(await of(Batch(AIRLINE, AIRLINE.tasks[:1], half))) == ["agent"]
    alone = await of(Batch(telecom, telecom.tasks[:1], replace(half, solo=True)))
    assert list(alone) == ["agent"] and alone["agent"].prompt > 0
    assert await of(Batch(AIRLINE, AIRLINE.tasks[:1], Table(play="none"))) == {}
