"""Leaves: what they are given, what they answer, and when they are called."""

from __future__ import annotations

import enum
from typing import Literal

import numpy as np
import pytest

import pleach
from conftest import tree_text
from pleach import Batch, Context, Entity, EventName, Expr, Key, Status, Symbol, Time, Vec2, Vec3


class Gait(enum.Enum):
    Walk = 1
    Run = 2


def test_batches_and_single_calls_agree(crowd):
    """The same crowd by one call for all and by one call each."""
    ends = []
    for leaf in ("Grow", "GrowOne"):
        for batched in (True, False):
            agents = crowd(f'Sequence([{leaf}(key: "x", to: 4), {leaf}(key: "x", to: 9, by: 0.5)])', 100)
            forest = crowd.forests[-1]
            forest.configure(batched=batched)
            agents["x"] = np.arange(100) % 7 * 0.25
            values = []
            for _ in range(12):
                forest.tick(0.1)
                values.append(agents["x"].copy())
            ends.append(np.array(values))
    assert all(np.array_equal(it, ends[0]) for it in ends)


def test_a_batch_is_one_call(crowd):
    sizes = []

    def leaf(batch: Batch) -> Status:
        sizes.append(len(batch))
        assert batch.agents.dtype == np.uint64 and np.array_equal(batch.entities, np.sort(batch.entities))
        assert batch.dt.dtype == np.float32 and np.allclose(batch.dt, 0.25)
        assert batch.time.dtype == np.float64
        return Status.RUNNING

    crowd("Calls", 2500, leaf)
    crowd.forests[-1].tick(0.25)
    assert sizes == [1024, 1024, 452]


def test_single_agents_of_a_batch_have_a_function_of_their_own(registry):
    calls = []

    def one(context: Context, key: Key[float]) -> Status:
        calls.append(1)
        context[key] += 1
        return Status.RUNNING

    @registry.action(batch=True, one=one)
    def both(batch: Batch, key: Key[float]) -> Status:
        calls.append(len(batch))
        batch[key] += 1
        return Status.RUNNING

    forest = pleach.Forest()
    agents = forest.add(registry.load_str(tree_text('Both(key: "x")')))
    agents.spawn_many(30)
    forest.tick(0.1)
    forest.configure(batched=False)
    forest.tick(0.1)
    assert calls == [30, *[1] * 30] and (agents["x"] == 2).all()
    with pytest.raises(TypeError, match="`one` is for a batch"):
        registry.action("Other", one=one)(one)


def test_every_type_of_key(registry):
    seen = {}

    @registry.action(batch=True)
    def all_keys(
        batch: Batch,
        b: Key[bool],
        n: Key[int],
        x: Key[float],
        v: Key[Vec2],
        w: Key[Vec3],
        e: Key[Entity],
        t: Key[Time],
        s: Key[Symbol],
    ) -> Status:
        keys = (b, n, x, v, w, e, t, s)
        seen.update({key.type_name: batch[key] for key in keys})
        assert repr(b) == "Key[bool]"
        batch[b], batch[n], batch[x] = ~batch[b], batch[n] + 1, batch[x] + 0.5
        batch[v], batch[w] = batch[v] + [1, 2], (1, 2, 3)
        batch[e], batch[t], batch[s] = batch.entities, batch[t] + 1.5, "alert"
        return Status.SUCCESS

    @registry.action
    def one(
        context: Context,
        b: Key[bool],
        n: Key[int],
        x: Key[float],
        v: Key[Vec2],
        w: Key[Vec3],
        e: Key[Entity],
        t: Key[Time],
        s: Key[Symbol],
    ) -> Status:
        assert (context[b], context[n], context[x]) == (True, 1, 0.5)
        assert (context[v], context[w]) == ((1.0, 2.0), (1.0, 2.0, 3.0))
        assert (context[e], context[t], context[s]) == (context.entity, 1.5, "alert")
        context[b], context[n], context[x], context[v], context[w] = False, 7, 2, (3, 4), (5, 6, 7)
        context[e], context[t], context[s] = None, 2.5, "idle"
        return Status.RUNNING

    given = ", ".join(f'{it}: "{it}"' for it in "bnxvwets")
    forest = pleach.Forest()
    agents = forest.add(registry.load_str(tree_text(f"Sequence([AllKeys({given}), One({given})])")))
    agents.spawn_many(30, first_entity=100)
    forest.tick(0.1)
    kinds = {name: (it.dtype.kind, it.shape) for name, it in seen.items()}
    assert kinds == {
        "bool": ("b", (30,)),
        "int": ("i", (30,)),
        "float": ("f", (30,)),
        "vec2": ("f", (30, 2)),
        "vec3": ("f", (30, 3)),
        "entity": ("i", (30,)),
        "time": ("f", (30,)),
        "symbol": ("O", (30,)),
    }
    assert (seen["entity"] == -1).all() and set(seen["symbol"]) == {"idle"}
    agent = forest.agent(int(agents.agents[3]))
    assert [agent[it] for it in "bnxvwets"] == [False, 7, 2.0, (3, 4), (5, 6, 7), None, 2.5, "idle"]
    assert agent.entity == 103


def test_every_type_of_parameter(registry):
    seen = []

    @registry.action
    def gaits(context: Context, one: Gait, other: Gait = Gait.Walk) -> Status:
        assert (one, other) == (Gait.Run, Gait.Walk)
        return Status.SUCCESS

    @registry.action
    def takes(
        context: Context,
        flag: bool,
        count: int,
        speed: float,
        text: str,
        mode: Literal["walk", "run"],
        event: EventName,
        amount: Expr,
        places: list[float],
        maybe: float | None,
        late: int | None = 3,
        rest: float = 0.5,
        word: str = "a \"b\"",
        sizes: list[int] = [1, 2],
    ) -> Status:
        seen.append((flag, count, speed, text, mode, event, context.eval(amount), amount.literal, places, maybe, late, rest, word, sizes))
        return Status.SUCCESS

    tree = registry.load_str(
        tree_text(
            'Sequence([Gaits(one: Run), Takes(flag: true, count: -3, speed: 2, text: "hi", mode: "run", event: "bell", amount: "x + 1", places: [1, 2.5])])'
        )
    )
    forest = pleach.Forest()
    forest.add(tree).spawn()
    forest.tick(0.1)
    assert seen == [(True, -3, 2.0, "hi", "run", "bell", 1.0, None, [1.0, 2.5], None, 3, 0.5, 'a "b"', [1, 2])]
    with pytest.raises(pleach.PleachError, match="walk"):
        registry.load_str(tree_text('Takes(flag: true, count: 1, speed: 2, text: "", mode: "fly", event: "bell", amount: 1, places: [])'))


def test_starts_and_ends_are_told(crowd):
    root = 'Selector([Sequence(abort: LowerPriority, children: [Check("b"), Wait(9)]), GrowOne(key: "x", to: 3)])'
    agents = crowd(root, 1)
    forest, agent = crowd.forests[-1], int(agents.agents[0])
    forest.tick(0.1)
    forest.agent(agent)["b"] = True
    forest.tick(0.1)
    assert forest.world.lines == [("start", agent), ("end", agent, "aborted")]
    agents = crowd('GrowOne(key: "x", to: 2)', 1)
    forest = crowd.forests[-1]
    forest.tick(0.1), forest.tick(0.1)
    assert forest.world.lines[1][2] == "success"


def test_a_condition_that_observes_is_asked_when_its_key_changes(crowd):
    agents = crowd('Selector([Sequence(abort: LowerPriority, children: [Watched(key: "x", than: 1), Wait(9)]), Idle])', 1)
    forest = crowd.forests[-1]
    for _ in range(5):
        forest.tick(0.1)
    asked = len(forest.world.lines)
    agents["x"] = 2.0
    forest.tick(0.1)
    assert asked == 1 and len(forest.world.lines) > 1
    assert forest.agent(int(agents.agents[0])).is_active("Wait")


def test_conditions_of_batches(crowd):
    agents = crowd('Selector([Sequence([Above(key: "x", than: 0.5), Grow(key: "x", to: 100)]), Idle])', 50)
    agents["x"] = np.arange(50) % 2
    crowd.forests[-1].tick(0.1)
    assert np.array_equal(agents["x"], np.where(np.arange(50) % 2, 2, 0))


def test_events_reach_leaves(crowd):
    got = []

    def leaf(context: Context) -> Status:
        got.extend((context.entity, it) for it in context.events)
        if context.time < 0.15 and context.entity == 0:
            context.send(context.agent, "noise", (1, 2))
            context.send_to_group("bell")
        return Status.RUNNING

    agents = crowd("CallsOne", 2, leaf)
    forest = crowd.forests[-1]
    group = forest.new_group()
    for agent in agents.agents:
        forest.agent(int(agent)).join(group)
    forest.tick(0.1)
    assert not got
    forest.tick(0.1)
    assert got == [(0, pleach.Event("noise", (1.0, 2.0))), (1, pleach.Event("bell"))]


def test_sleepers_are_left_alone(crowd):
    calls = []

    def leaf(batch: Batch) -> Status:
        calls.append(len(batch))
        batch.sleep(np.where(batch.entities % 2, 1.0, 0.0))
        return Status.RUNNING

    crowd("Calls", 40, leaf)
    for _ in range(5):
        report = crowd.forests[-1].tick(0.1)
    assert sum(calls) == 40 + 4 * 20 and report.asleep == 20

    def one(context: Context) -> Status:
        calls.append(1)
        context.sleep(1.0) if context.entity else context.sleep_until_change()
        return Status.RUNNING

    calls.clear()
    crowd("CallsOne", 2, one)
    for _ in range(5):
        crowd.forests[-1].tick(0.1)
    assert len(calls) == 2


def test_chance_is_the_agents_own(crowd):
    drawn: dict[bool, dict[int, list[float]]] = {True: {}, False: {}}

    def leaf(batch: Batch) -> Status:
        for agent, it in zip(batch.agents, batch.random(), strict=True):
            drawn[batch_mode].setdefault(int(agent), []).append(it)
        return Status.RUNNING

    for batch_mode in (True, False):
        crowd("Calls", 20, leaf)
        crowd.forests[-1].configure(batched=batch_mode)
        crowd.forests[-1].tick(0.1), crowd.forests[-1].tick(0.1)
    assert drawn[True] == drawn[False] and len(set(map(tuple, drawn[True].values()))) == 20
    assert all(0 <= it < 1 for both in drawn[True].values() for it in both)


def test_requests_of_leaves(crowd):
    def leaf(context: Context) -> Status:
        assert context.now >= context.time and context.node == 0 and context.dt > 0
        {0: context.stop, 1: context.restart, 2: lambda: context.despawn(context.agent)}[context.entity]()
        return Status.RUNNING

    agents = crowd("CallsOne", 3, leaf)
    forest = crowd.forests[-1]
    ids = [int(it) for it in agents.agents]
    forest.tick(0.1)
    assert [it in forest for it in ids] == [True, True, False]
    assert forest.agent(ids[0]).phase == "off" and forest.agent(ids[1]).phase == "active"
