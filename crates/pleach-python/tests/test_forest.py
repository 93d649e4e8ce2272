"""Forests: agents, groups, slots, budgets, saves, and what can be seen of all that."""

from __future__ import annotations

import numpy as np
import pytest

import pleach
from conftest import World, tree_text


def test_columns_of_a_population(crowd):
    agents = crowd("Idle", 30)
    forest = crowd.forests[-1]
    assert len(agents) == len(forest) == 30 and np.array_equal(agents.entities, np.arange(30))
    agents["v"] = np.arange(60).reshape(30, 2)
    agents["n"], agents["b"], agents["t"] = np.arange(30), np.arange(30) % 2 == 0, 1.5
    agents["e"], agents["s"] = np.arange(30) - 1, ["idle", "alert"] * 15
    assert np.array_equal(agents["v"][3], [6, 7]) and agents["v"].dtype == np.float32
    assert agents["b"].tolist()[:3] == [True, False, True] and set(agents["t"]) == {1.5}
    agent = forest.agent(int(agents.agents[0]))
    assert (agent["e"], agent["s"], agent["n"]) == (None, "idle", 0)
    assert agents["s"].tolist() == ["idle", "alert"] * 15
    assert repr(agents) == "<Population of 30 agents of `t`>" and repr(forest).startswith("<Forest of 30 agents")


def test_an_agent_and_its_life(crowd):
    agents = crowd('Sequence([GrowOne(key: "x", to: 3), Wait(1)])', 1)
    forest = crowd.forests[-1]
    agent = forest.agent(int(agents.agents[0]))
    assert agent == forest.agent(agent.id) != forest and hash(agent) == agent.id
    forest.tick(0.1)
    assert agent.current[0].startswith("n1 GrowOne")
    assert "GrowOne" in agent.explain() and agent.text().count("▶") == 1 and agent._repr_svg_().startswith("<svg")
    assert "n2" in agent.why_not("Wait")
    agent.label, agent.entity, agent.rate = "Ann", 5, 2
    assert (agent.label, agent.entity, agent.rate) == ("Ann", 5, 2)
    agent.rate = 1
    agent.pause()
    assert agent.phase == "paused"
    agent.unpause()
    agent.restart()
    agent.disable()
    assert agent.phase == "off" and [it[0] for it in forest.world.lines] == ["start", "end"]
    agent.enable()
    agent["x"] = 10
    forest.tick(0.1)
    assert agent.is_active("Wait")
    agent.despawn()
    assert agent.id not in forest and len(agents) == 0


def test_groups_slots_and_events(registry):
    text = (
        'Tree(version: 1, name: "t", blackboard: { "place": Vec2(0, 0) }, group: { "plan": Int(0) }, '
        'global: { "night": Bool(false), "mood": Symbol("calm", ["calm", "angry"]) }, root: Selector([Sequence(abort: LowerPriority, '
        'children: [OnEvent(event: "noise", into: "place"), Wait(1)]), Slot(name: "way", trees: ["a.ron", "b.ron"], initial: "a")]))'
    )
    files = {"t.ron": text, "a.ron": "Tree(version: 1, root: Idle)", "b.ron": "Tree(version: 1, root: Idle)"}
    forest = pleach.Forest(seed=3)
    people = forest.add(registry.load_files("t.ron", files))
    group = forest.new_group()
    one, other, alone = people.spawn(group=group), people.spawn(), people.spawn()
    other.join(group)
    assert set(group.members) == {one.id, other.id} and one.group.id == group.id
    group["plan"] = 4
    assert (one["plan"], other["plan"], alone["plan"], group["plan"]) == (4, 4, 0, 4)
    forest.tick(0.1)
    group.send("noise", (1, 2))
    forest.tick(0.1)
    assert (one["place"], alone["place"]) == ((1.0, 2.0), (0.0, 0.0))
    one.send("noise", (3, 3)), forest.broadcast("bell"), forest.tick(2.0)
    assert (group.fill("way", "b"), alone.fill("way", "b"), people.fill("way", "a")) == (2, True, 3)
    assert forest.set_global("night", True) and forest.get_global("night") is True
    assert forest.set_global("mood", "angry") and forest.get_global("mood") == "angry" == alone["mood"]
    other.join(None)
    assert list(group.members) == [one.id]
    group.remove()
    with pytest.raises(pleach.PleachError, match="Group"):
        group.members


def test_what_agents_say_comes_with_the_tick(crowd):
    agents = crowd('Sequence([Emit(event: "noise", payload: "v"), Log("here"), Idle])', 2)
    report = crowd.forests[-1].tick(0.1)
    first = int(agents.agents[0])
    assert report.emitted[0] == (first, pleach.Event("noise", (0.0, 0.0))) and len(report.emitted) == 2
    assert report.logged[0] == (first, 2, "here")
    assert crowd.forests[-1].tick(0.1).emitted == [] and "ticked" in repr(report)


def test_budgets(crowd):
    agents = crowd('Grow(key: "x", to: 1000)', 100)
    forest = crowd.forests[-1]
    assert forest.tick(0.1, agents=30).ticked == 30
    assert (agents["x"] > 0).sum() == 30
    assert forest.tick(0.1, micros=10_000_000).ticked == 100
    assert forest.tick(0.1, micros=0).ticked < 100
    with pytest.raises(pleach.PleachError, match="one budget"):
        forest.tick(0.1, agents=1, micros=1)
    assert agents.set_rates(np.arange(100) % 2) == 50
    forest.configure(sleep=True, chunk_size=64)
    agents.set_rates(0)
    assert forest.tick(0.1).ticked == 0


def test_saves_and_snapshots(crowd, registry):
    root = 'Sequence([GrowOne(key: "x", to: 3), Wait(1)])'
    agents = crowd(root, 10)
    forest = crowd.forests[-1]
    forest.tick(0.1)
    save, some = forest.save(), forest.save_agents(agents.agents[:2])
    snapshot = forest.snapshot()
    assert len(snapshot) == 10 and snapshot.time == forest.time and isinstance(save, bytes)
    forest.tick(0.1), forest.tick(0.1)
    after = agents["x"].copy()
    forest.rollback(snapshot)
    assert (agents["x"] == 1).all()
    other = pleach.Forest(seed=1, world=World())
    again = other.add(registry.load_str(tree_text(root)))
    assert "10" in other.restore(save)
    other.tick(0.1), other.tick(0.1)
    assert np.array_equal(again["x"], after) and np.array_equal(again.agents, agents.agents)
    third = pleach.Forest(seed=7, world=World())
    third.add(registry.load_str(tree_text(root)))
    third.restore(some)
    assert len(third) == 2
    with pytest.raises(pleach.PleachError):
        other.rollback(snapshot)
    for bad in (b"", b"no save", save[: len(save) // 2]):
        with pytest.raises(pleach.PleachError):
            pleach.Forest().restore(bad)


def test_a_tree_is_replaced(crowd, registry):
    agents = crowd('Grow(key: "x", to: 100)', 5)
    forest = crowd.forests[-1]
    forest.tick(0.1)
    said = agents.replace(registry.load_str(tree_text('Grow(key: "x", to: 100, by: 3)')))
    forest.tick(0.1)
    assert (agents["x"] == 4).all() and "5" in said and forest.populations[0].tree.name == "t"
    agents.remove()
    assert len(forest) == 0
    for broken in (lambda: agents["x"], lambda: len(agents), lambda: agents.spawn(), lambda: agents.tree):
        with pytest.raises(pleach.PleachError, match="Tree"):
            broken()
    assert repr(agents) == "<Population>"


def test_traces_and_coverage_are_tables(crowd):
    agents = crowd('Selector([Sequence([Above(key: "x", than: 0.5), Grow(key: "x", to: 3)]), Idle])', 20)
    forest = crowd.forests[-1]
    agents["x"] = np.arange(20) % 2
    for table in (pleach.trace, pleach.coverage):
        with pytest.raises(pleach.PleachError, match="call `record_"):
            table(forest)
    forest.record_trace(), forest.record_coverage()
    for _ in range(3):
        forest.tick(0.1)
    trace, counts = pleach.trace(forest), pleach.coverage(forest)
    starts = trace.where(trace["event"] == "start")
    assert set(starts["agent"]) == set(agents.agents) and starts.rows < trace.rows
    assert trace["frame"].max() == 3 and set(trace["tree"]) <= {"t", ""} and "n3 Grow" in " ".join(trace["text"])
    assert counts["node"].tolist() == [0, 1, 2, 3, 4] and "Grow" in counts["label"][3]
    assert counts["started"][3] == 20 and counts["succeeded"][3] == 20 and counts["started"][4] >= 10
    frame, batch = counts.to_pandas(), trace.to_arrow()
    assert frame["started"].sum() == counts["started"].sum() and batch.num_rows == trace.rows
    assert batch.schema.names == list(trace) and len(trace) == 7 and "rows" in repr(trace)
    one = int(agents.agents[1])
    forest.record_trace(5, agents=[one])
    forest.tick(0.1)
    assert set(pleach.trace(forest)["agent"]) == {one} and pleach.trace(forest).rows <= 5
    forest.record_trace(0), forest.record_coverage(False)


def test_the_arena():
    game = pleach.arena.crowd("guard.ron", 50, seed=2)
    table = pleach.arena.run(game, 3.0, every=1.0)
    assert table.rows == 3 and np.allclose(table["time"], [1, 2, 3], atol=1e-3) and (table["ticked"] > 0).all()
    assert len(game) == 50 and game.positions.shape == (50, 2) and (game.sides == 0).all()
    one, other = (pleach.arena.fight(seed=5, seconds=20) for _ in range(2))
    assert one == other != pleach.arena.fight(seed=6, seconds=20)
    assert set(one) == {"winner", "red_alive", "blue_alive", "red_health", "blue_health", "lasted"}
    tree = pleach.arena.tree("fighter.ron")
    assert tree.name == "fighter" and tree._repr_svg_().startswith("<svg") and tree is pleach.arena.tree("fighter.ron")
    assert pleach.arena.fight(seed=1, blue="Tree(version: 1, root: Idle)", seconds=5)["lasted"] <= 5.2
    with pytest.raises(pleach.PleachError):
        pleach.arena.tree("Tree(version: 1, root: Fly)")
    with pytest.raises(pleach.PleachError):
        pleach.arena.fight(seed=1, side=1.0)
    with pytest.raises(pleach.PleachError):
        game.frame(float("nan"))
