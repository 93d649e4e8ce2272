"""Everything that can go wrong: leaves that raise, values that do not fit, calls that may not be."""

from __future__ import annotations

import gc
import traceback
import weakref

import numpy as np
import pytest

import pleach
from conftest import World, tree_text
from pleach import Batch, Context, Key, Status


def test_an_exception_names_leaf_agent_tree_and_node(crowd):
    agents = crowd('Raises(key: "x", text: "too dark")', 5)
    forest = crowd.forests[-1]
    agents["x"] = [0, 0, 1, 0, 0]
    with pytest.raises(RuntimeError, match="too dark") as caught:
        forest.tick(0.1)
    note = f'raised by the leaf `Raises` for agent {agents.agents[2]}, at n0 Raises(key: "x", text: "too dark") of the tree `t`'
    assert caught.value.__notes__ == [note]
    assert any("conftest.py" in it.filename and it.name == "raises" for it in traceback.extract_tb(caught.tb))
    assert "".join(traceback.format_exception(caught.value)).rstrip().endswith(note)


def test_the_other_agents_are_ticked(crowd):
    root = 'Sequence([ForceSuccess(Raises(key: "x")), GrowOne(key: "n2", to: 9)])'.replace('"n2"', '"x"')
    agents = crowd(root, 40)
    forest = crowd.forests[-1]
    agents["x"] = np.arange(40) % 4 == 0
    with pytest.raises(ExceptionGroup, match="leaves raised 10 exceptions") as caught:
        forest.tick(0.1)
    assert len(caught.value.exceptions) == 10 and all(it.__notes__ for it in caught.value.exceptions)
    assert np.array_equal(agents["x"], np.where(np.arange(40) % 4 == 0, 2, 1)), "all went on"
    agents["x"] = -5
    assert forest.tick(0.1).ticked == 40


def test_of_many_exceptions_the_first_are_kept(crowd):
    agents = crowd('Raises(key: "x")', 100)
    agents["x"] = 1
    with pytest.raises(ExceptionGroup, match="100 exceptions, of which these are the first 16") as caught:
        crowd.forests[-1].tick(0.1)
    assert len(caught.value.exceptions) == 16


def test_a_batch_that_raises_fails_all_its_agents(crowd):
    def leaf(batch: Batch) -> Status:
        raise ZeroDivisionError("none")

    crowd('Selector([Calls, GrowOne(key: "x", to: 9)])', 30, leaf)
    forest = crowd.forests[-1]
    forest.world = leaf
    with pytest.raises((ZeroDivisionError, ExceptionGroup)) as caught:
        forest.tick(0.1)
    # `GrowOne` found no list of lines in this world, and also raises.
    first = caught.value.exceptions[0] if isinstance(caught.value, ExceptionGroup) else caught.value
    assert isinstance(first, ZeroDivisionError) and "and 29 more in its batch" in first.__notes__[0]


@pytest.mark.parametrize("fatal", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_wrapped(crowd, fatal):
    def leaf(context: Context) -> Status:
        raise fatal if context.entity == 3 else ValueError("no")

    crowd("CallsOne", 30, leaf)
    with pytest.raises(fatal):
        crowd.forests[-1].tick(0.1)


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (None, TypeError, "returned None: an action returns a `pleach.Status`"),
        (True, TypeError, "returned True"),
        (1, TypeError, "returned 1"),
        ("yes", TypeError, "returned 'yes'"),
        (np.zeros(30, dtype=bool), TypeError, "array of bool"),
        (np.zeros(29, dtype=np.uint8), ValueError, "30 values are needed, not 29"),
        (np.zeros((30, 2), dtype=np.uint8), ValueError, "not 30 times 2"),
        (np.full(30, 3), ValueError, "3, for agent 0 of the batch, is not a status"),
        (np.full(30, -1), ValueError, "-1, for agent 0"),
        (np.zeros(30), TypeError, "not of float64"),
        ([], TypeError, "not of float64"),
        (np.full(30, 2**63, dtype=np.uint64), ValueError, "is not a status"),
    ],
)
def test_wrong_answers_of_a_batch(crowd, answer, error, text):
    crowd("Calls", 30, lambda batch: answer)
    with pytest.raises(error, match=text) as caught:
        crowd.forests[-1].tick(0.1)
    assert "leaf `Calls`" in caught.value.__notes__[0]


def test_right_answers_of_a_batch(crowd):
    for answer in (Status.SUCCESS, [Status.SUCCESS] * 30, np.ones(30, dtype=np.int16), pleach.until(np.ones(30))):
        crowd("Calls", 30, lambda batch, answer=answer: answer)
        assert crowd.forests[-1].tick(0.1).ended == 30


@pytest.mark.parametrize("answer", [None, 1, True, np.uint8(1), "no", object()])
def test_wrong_answers_of_one(crowd, answer):
    crowd("CallsOne", 1, lambda context: answer)
    with pytest.raises(TypeError, match="the leaf returned"):
        crowd.forests[-1].tick(0.1)


def test_wrong_values_for_keys(crowd):
    agents = crowd("Idle", 10)
    agent = crowd.forests[-1].agent(int(agents.agents[0]))
    for key, bad, error in [
        ("x", np.zeros(9), ValueError),
        ("x", np.zeros((10, 2)), ValueError),
        ("x", np.zeros(10, dtype=complex), TypeError),
        ("x", ["a"] * 10, TypeError),
        ("n", np.zeros(10), TypeError),
        ("n", [2**70] * 10, TypeError),
        ("b", np.zeros(10, dtype=int), TypeError),
        ("v", np.zeros(10), ValueError),
        ("v", np.zeros((10, 3)), ValueError),
        ("t", -1.0, ValueError),
        ("t", float("nan"), ValueError),
        ("s", "no word", pleach.PleachError),
        ("s", ["idle"] * 9, ValueError),
        ("none", 1, pleach.PleachError),
    ]:
        with pytest.raises(error):
            agents[key] = bad
    for key, bad, error in [
        ("x", "a", TypeError),
        ("x", None, TypeError),
        ("x", True, TypeError),
        ("n", 1.5, TypeError),
        ("n", 2**70, OverflowError),
        ("n", False, TypeError),
        ("b", 1, TypeError),
        ("v", (1, 2, 3), TypeError),
        ("e", -1, OverflowError),
        ("e", "x", TypeError),
        ("t", -1, ValueError),
        ("s", "no word", pleach.PleachError),
        ("s", 3, TypeError),
        ("none", 1, pleach.PleachError),
    ]:
        with pytest.raises(error):
            agent[key] = bad
    with pytest.raises(pleach.PleachError, match="none"):
        agent["none"]
    assert agent["x"] == 0.0 and (agents["n"] == 0).all()
    agents["x"] = float("nan")
    assert np.isnan(agent["x"])


@pytest.mark.parametrize("dt", [float("nan"), float("inf"), -0.1, 1e30, None, "0.1", 10**400])
def test_wrong_times(crowd, dt):
    crowd("Idle", 3)
    forest = crowd.forests[-1]
    with pytest.raises((pleach.PleachError, TypeError, OverflowError)):
        forest.tick(dt)
    assert forest.time == 0.0 and forest.tick(0.0).ticked == 3


def test_wrong_ids_and_events(crowd):
    agents = crowd("Idle", 3)
    forest = crowd.forests[-1]
    agent = forest.agent(int(agents.agents[0]))
    for id_, error in [(0, pleach.PleachError), (2**64 - 1, pleach.PleachError), (2**64, OverflowError), (-1, OverflowError), (None, TypeError)]:
        with pytest.raises(error):
            forest.agent(id_)
    for name, payload in [("noise", None), ("noise", 1), ("bell", (1, 2)), ("nois", (1, 2)), ("noise", object())]:
        with pytest.raises((pleach.PleachError, TypeError), match="noise|nois|bell"):
            agent.send(name, payload)
    with pytest.raises(pleach.PleachError, match="n99"):
        agent.why_not("n99")
    for slot in ("none", ""):
        with pytest.raises(pleach.PleachError):
            agent.fill(slot, "a")
    agent.despawn()
    for broken in (lambda: agent["x"], lambda: agent.current, agent.explain, agent.disable, lambda: agent.rate, agent.svg):
        with pytest.raises(pleach.PleachError, match="despawned"):
            broken()
    with pytest.raises(pleach.PleachError):
        agents.spawn(group=pleach.Forest(seed=9).new_group())
    with pytest.raises(TypeError):
        forest.add("Tree")
    with pytest.raises(OverflowError):
        agents.spawn(entity=2**40)


def test_a_refused_event_of_a_leaf_is_raised(crowd):
    crowd("CallsOne", 1, lambda context: context.send(context.agent, "noise", 3) or Status.RUNNING)
    with pytest.raises((pleach.PleachError, TypeError), match="noise"):
        crowd.forests[-1].tick(0.1)


def test_a_leaf_cannot_use_the_forest_that_ticks_it(crowd):
    errors = []

    def leaf(context: Context) -> Status:
        for call in (
            lambda: forest.tick(0.1),
            lambda: forest.save(),
            lambda: forest.agent(context.agent),
            lambda: agents["x"],
            lambda: agents.spawn(),
            lambda: len(forest),
            lambda: forest.world,
        ):
            with pytest.raises(pleach.PleachError, match="a leaf cannot call the forest that ticks it") as caught:
                call()
            errors.append(caught.value)
        assert repr(forest) == "<Forest in a call>"
        return Status.RUNNING

    agents = crowd("CallsOne", 2, leaf)
    forest = crowd.forests[-1]
    forest.tick(0.1)
    assert len(errors) == 14 and len(forest) == 2


def test_a_leaf_can_tick_another_forest(crowd):
    inner = []

    def deep(context: Context) -> Status:
        with pytest.raises(pleach.PleachError, match="context is over"):
            outer[0].agent
        inner.append(context.entity)
        return Status.RUNNING

    outer = []

    def leaf(context: Context) -> Status:
        outer[:] = [context]
        other.tick(0.1)
        assert context.entity in (0, 1), "it is its own again"
        return Status.RUNNING

    crowd("CallsOne", 3, deep)
    other = crowd.forests[-1]
    crowd("CallsOne", 2, leaf)
    crowd.forests[-1].tick(0.1)
    assert inner == [0, 1, 2] * 2


def test_what_a_leaf_keeps_is_over_when_it_returns(crowd):
    kept = []

    def leaf(batch: Batch) -> Status:
        kept.append(batch), kept.append(batch.at(0))
        with pytest.raises(IndexError):
            batch.at(len(batch))
        return Status.RUNNING

    crowd("Calls", 20, leaf)
    crowd.forests[-1].tick(0.1)
    for use in (lambda: kept[0].agents, lambda: kept[0].sleep(1), lambda: kept[1].agent, lambda: kept[1].sleep(1)):
        with pytest.raises(pleach.PleachError, match="is over"):
            use()


def test_keys_of_another_tree_are_refused(registry):
    keys: list[Key[float]] = []

    @registry.action
    def takes(context: Context, key: Key[float]) -> Status:
        keys.append(key)
        for it in keys:
            context[it] = context[it] + 1
        return Status.SUCCESS

    forest = pleach.Forest()
    forest.add(registry.load_str(tree_text('Takes(key: "x")'))).spawn()
    forest.add(registry.load_str(tree_text('Takes(key: "y")', keys='"z": Bool(true), "y": Float(1)'))).spawn()
    with pytest.raises(pleach.PleachError, match="another tree"):
        forest.tick(0.1)


def test_wrong_leaves(registry):
    def no_context() -> Status:
        return Status.SUCCESS

    def untyped(context, speed):
        return Status.SUCCESS

    def starred(context: Context, *speeds: float) -> Status:
        return Status.SUCCESS

    def strange(context: Context, it: dict[str, int]) -> Status:
        return Status.SUCCESS

    def default(context: Context, it: float = object()) -> Status:  # type: ignore[assignment]
        return Status.SUCCESS

    class Local:
        pass

    def local(context: Context, it: Local) -> Status:
        return Status.SUCCESS

    for leaf in (no_context, untyped, starred, strange, default, local):
        with pytest.raises(TypeError):
            registry.action(leaf)
    with pytest.raises(pleach.PleachError, match="observe"):
        registry.condition("Odd", observes=["speed"])(lambda context: True)
    with pytest.raises(pleach.PleachError):
        registry.action("not a name")(lambda context: Status.SUCCESS)


def test_handles_keep_their_forest(registry):
    """Each handle keeps its forest alive; the forest goes with the last one."""

    def handles():
        world = World()
        forest = pleach.Forest(seed=7, world=world)
        agents = forest.add(registry.load_str(tree_text("Idle")))
        agents.spawn_many(2)
        agents["x"] = [1, 2]
        group = forest.new_group()
        agents.spawn(group=group)["x"] = 3
        return [agents, forest.agent(int(agents.agents[0])), group], weakref.ref(world)

    for kept in range(3):
        all_, world = handles()
        one = all_[kept]
        del all_
        gc.collect()
        if kept == 0:
            assert one["x"].tolist() == [1, 2, 3] and len(one.spawn().current) == 0
        elif kept == 1:
            assert one["x"] == 1.0 and one.phase == "active"
        else:
            assert len(one.members) == 1
        assert world() is not None
        del one
        gc.collect()
        assert world() is None


def test_a_world_that_knows_its_forest_is_collected(registry):
    class Circle:
        pass

    world = Circle()
    forest = pleach.Forest(world=world)
    world.forest = forest  # type: ignore[attr-defined]
    world.agents = forest.add(registry.load_str(tree_text("Idle")))  # type: ignore[attr-defined]
    gone = weakref.ref(world)
    del world, forest
    gc.collect()
    assert gone() is None


def test_what_is_not_a_save(registry):
    """Each restores its own saves, and nothing has changed when it does not."""
    text = 'Tree(version: 1, name: "t", group: { "alarm": Bool(false) }, blackboard: { "x": Float(0) }, root: Idle)'
    tree = registry.load_str(text)

    def forest(agents: int) -> pleach.Forest:
        made = pleach.Forest()
        made.add(tree).spawn_many(agents)
        return made

    board = pleach.Board.of_group(tree)
    board["alarm"] = True
    kinds = {"forest": forest(3), "brain": pleach.Brain(tree), "board": board}
    saves = {name: it.save() for name, it in kinds.items()}
    empty = kinds | {"forest": forest(0)}
    for name, it in empty.items():
        own = saves[name]
        bad = [save for other, save in saves.items() if other != name] + [own[: len(own) // 2], own + b"x", b"x", b""]
        for save in bad:
            with pytest.raises(pleach.PleachError, match="this is not a save: it is cut off or damaged, or it is of something else"):
                it.restore(save)
        it.restore(own)
    assert board["alarm"] and len(empty["forest"]) == 3


def test_a_rate_says_what_it_is(crowd):
    with pytest.raises(ValueError, match="-1 is not a rate: it is every how many frames an agent is ticked, from 1 on, or 0 for never"):
        crowd("Idle", 2).set_rates(-1)
