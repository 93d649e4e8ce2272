"""What the garbage collector frees, and columns while the population changes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import pleach
from conftest import World, tree_text
from pleach import Batch, Context, Status


class Canary:
    """Something whose end can be seen."""


def collected(make: Callable[[], Canary]) -> bool:
    gone = weakref.ref(make())
    gc.collect()
    return gone() is None


def closures(of: Callable[[pleach.Registry, Canary], object]) -> Callable[[], Canary]:
    """A canary that is held by a leaf, which is held by what `of` makes, which the leaf holds."""

    def make() -> Canary:
        canary, registry, held = Canary(), pleach.Registry(), []

        @registry.action(start=lambda context: held and None, end=lambda context, how: held and None)
        def leaf(context: Context) -> Status:
            held.append(canary)
            return Status.RUNNING

        @registry.action(batch=True, one=lambda context: held[0])
        def other(batch: Batch) -> Status:
            return held[0]

        held.append(of(registry, canary))
        return canary

    return make


def forest_of(registry: pleach.Registry, canary: Canary) -> pleach.Forest:
    forest = pleach.Forest(world=World())
    forest.add(registry.load_str("Tree(version: 1, root: Leaf)")).spawn_many(3)
    forest.tick(0.1)
    return forest


def library_of(registry, canary, tmp_path):
    (tmp_path / "t.ron").write_text("Tree(version: 1, root: Other)")
    library = pleach.Library(tmp_path, registry)
    forest = pleach.Forest(world=canary)
    library.add("t.ron", forest).spawn()
    (tmp_path / "t.ron").write_text("Tree(version: 1, root: Leaf)")
    library.reload(forest)
    return library, forest


def replaced(registry, canary):
    forest = forest_of(registry, canary)
    forest.populations[0].replace(registry.load_str("Tree(version: 1, root: Sequence([Leaf, Idle]))"))
    return forest.populations[0].tree, forest.agents, forest.snapshot(), forest.record()


@pytest.mark.parametrize(
    "of",
    [
        lambda registry, canary: registry,
        lambda registry, canary: registry.load_str("Tree(version: 1, root: Leaf)"),
        forest_of,
        lambda registry, canary: pleach.Brain(registry.load_str("Tree(version: 1, root: Leaf)"), world=canary),
        lambda registry, canary: forest_of(registry, canary).agent(int(forest_of(registry, canary).agents[0])),
        replaced,
    ],
    ids=["registry", "tree", "forest", "brain", "agent", "replaced"],
)
def test_a_leaf_that_holds_what_calls_it_is_garbage(of):
    assert collected(closures(of))


def test_a_library_is_garbage_with_its_leaves(tmp_path):
    assert collected(closures(lambda registry, canary: library_of(registry, canary, tmp_path)))


def test_a_world_that_keeps_its_calls_is_garbage():
    def make() -> Canary:
        registry, world = pleach.Registry(), World()

        @registry.action(batch=True)
        def keeps(batch: Batch) -> Status:
            world.lines += [batch, batch.at(0)]
            return Status.RUNNING

        world.canary = Canary()
        forest = pleach.Forest(world=world)
        forest.add(registry.load_str("Tree(version: 1, root: Keeps)")).spawn()
        forest.tick(0.1)
        assert len(world.lines) == 2
        return world.canary

    assert collected(make)


def test_leaves_live_as_long_as_a_forest_has_them():
    forest, lines = pleach.Forest(), []

    def fill() -> None:
        registry = pleach.Registry()

        @registry.action(start=lambda context, text: lines.append("start"), end=lambda context, how, text: lines.append(how))
        def notes(context: Context, text: str) -> Status:
            lines.append(text)
            return Status.RUNNING

        tree = registry.load_str('Tree(version: 1, name: "t", root: Notes(text: "old"))')
        forest.add(tree).spawn()

    def change() -> None:
        registry = pleach.Registry()

        @registry.action
        def tells(context: Context) -> Status:
            lines.append("new")
            return Status.RUNNING

        forest.populations[0].replace(registry.load_str('Tree(version: 1, name: "t", root: Tells)'))

    fill()
    gc.collect()
    forest.tick(0.1)
    gc.collect()
    change()
    gc.collect()
    forest.tick(0.1)
    assert len(lines) == 4 and lines[:2] == ["start", "old"] and lines[3] == "new"


def test_a_removed_tree_is_not_kept():
    forest, kept = pleach.Forest(), Canary()
    gone = weakref.ref(kept)

    def fill(canary: Canary) -> None:
        registry = pleach.Registry()

        @registry.action
        def leaf(context: Context) -> Status:
            return Status.RUNNING if canary else Status.FAILURE

        forest.add(registry.load_str("Tree(version: 1, root: Leaf)")).spawn()

    fill(kept)
    del kept
    forest.tick(0.1)
    gc.collect()
    assert gone() is not None
    forest.populations[0].remove()
    gc.collect()
    assert gone() is None and len(forest) == 0


def test_the_collector_may_run_in_a_leaf(registry):
    def call(batch):
        gc.collect()
        return Status.RUNNING

    forest = pleach.Forest(world=call)
    forest.add(registry.load_str(tree_text("Calls"))).spawn_many(5)
    for _ in range(3):
        forest.tick(0.1)


def test_parameters_are_what_the_tree_gives():
    seen, registry = [], pleach.Registry()

    @registry.action
    def takes(context: Context, text: str, numbers: list[float], by: float = 2) -> Status:
        numbers.append(9)
        seen.append((text, numbers, by))
        return Status.SUCCESS

    @registry.action
    def plain(context: Context, text: str, event: pleach.EventName, by: pleach.Expr) -> Status:
        seen.append((text, event, context.eval(by)))
        return Status.SUCCESS

    registry.event("bell")
    forest = pleach.Forest()
    forest.add(registry.load_str('Tree(version: 1, root: Sequence([Takes(text: "a", numbers: [1, 2]), Plain(text: "b", event: "bell", by: 3), Plain(text: "c", event: "bell", by: 4)]))')).spawn_many(2)
    for _ in range(2):
        forest.tick(0.1)
    assert seen.count(("b", "bell", 3.0)) == seen.count(("c", "bell", 4.0)) == 4
    # A list is the leaf's own: one for each call of all agents, or each agent.
    assert {it[0] for it in seen if it[0] == "a"} == {"a"} and all(it[1][:2] == [1, 2] for it in seen if it[0] == "a")


class Sly:
    """Values that change the forest while they are read."""

    def __init__(self, values, change) -> None:
        self.values, self.change = values, change

    def __array__(self, dtype=None, copy=None):
        self.change()
        return np.asarray(self.values, dtype=dtype)


def test_values_that_change_the_population(crowd):
    agents = crowd("Idle", 10)
    forest = crowd.forests[-1]
    snapshot = forest.snapshot()
    before = agents["x"].tolist()
    changes = [
        lambda: agents.spawn(),
        lambda: forest.agent(int(agents.agents[3])).despawn(),
        lambda: (forest.agent(int(agents.agents[0])).despawn(), agents.spawn()),
        lambda: forest.tick(0.1),
        lambda: forest.rollback(snapshot),
    ]
    for change in changes:
        with pytest.raises(pleach.PleachError, match="while the values"):
            agents["x"] = Sly(np.arange(len(agents)) + 1.0, change)
        with pytest.raises(pleach.PleachError, match="while the values"):
            agents.set_rates(Sly(np.full(len(agents), 2), change))
    assert agents["x"].tolist() == before and len(agents) == 10
    agents["x"] = Sly(np.arange(10.0), lambda: agents["x"])
    assert agents["x"].tolist() == list(range(10))


def test_a_leaf_that_changes_the_population_while_it_holds_a_column(registry):
    seen = []

    def call(batch):
        entities, agents = batch.entities, batch.agents
        with pytest.raises(pleach.PleachError, match="in a call"):
            people.spawn()
        with pytest.raises(pleach.PleachError, match="in a call"):
            people["x"]
        if len(batch) == 40:
            # Agents leave at the end of the tick: rows do not change until then.
            for it in agents[::2]:
                batch.at(0).despawn(int(it))
        assert np.array_equal(batch.entities, entities) and np.array_equal(batch.agents, agents)
        assert len(batch) == len(entities)
        seen.append(entities.tolist())
        return Status.RUNNING

    forest = pleach.Forest(world=call)
    people = forest.add(registry.load_str(tree_text("Calls")))
    people.spawn_many(40, first_entity=0)
    forest.tick(0.1)
    assert seen == [list(range(40))] and sorted(people.entities) == list(range(1, 40, 2))
    people.spawn_many(2, first_entity=50)
    seen.clear()
    forest.tick(0.1)
    assert sorted(sum(seen, [])) == [*range(1, 40, 2), 50, 51]
