"""Threads, forks, spawned processes, and what can be sent between them."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
import threading
import time

import numpy as np
import pytest

import pleach
from conftest import World, make_registry, tree_text
from pleach import Context, Status


def play(save: bytes | None = None) -> tuple[bytes, list[float]]:
    """A whole run in any process, or the rest of one."""
    forest = pleach.Forest(seed=5, world=World())
    agents = forest.add(make_registry().load_str(tree_text('GrowOne(key: "x", to: 100, by: 0.5)')))
    if save is None:
        agents.spawn_many(20)
    else:
        forest.restore(save)
    for _ in range(5):
        forest.tick(0.1)
    return forest.save(), agents["x"].tolist()


def in_child(save: bytes, to: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    to.put(play(save))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_save_goes_on_in_another_process(method):
    context = multiprocessing.get_context(method)
    save, _ = play()
    answers = context.Queue()
    child = context.Process(target=in_child, args=(save, answers))
    child.start()
    there = answers.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0 and there == play(save)


def tick_here(forest: pleach.Forest, to: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    forest.tick(0.1)
    to.put(len(forest))


def test_a_forked_forest_is_a_copy(crowd):
    agents = crowd('GrowOne(key: "x", to: 100)', 5)
    forest = crowd.forests[-1]
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=tick_here, args=(forest, answers))
    child.start()
    assert answers.get(timeout=60) == 5
    child.join(60)
    assert child.exitcode == 0 and (agents["x"] == 0).all() and forest.tick(0.1).ticked == 5


def test_a_fork_in_a_leaf(crowd):
    """A child that was forked in the middle of a tick finds its forest in a call, and does not hang."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def look() -> None:
        try:
            len(forest)
        except pleach.PleachError as error:
            answers.put(str(error))

    def leaf(_: Context) -> Status:
        child = context.Process(target=look)
        child.start()
        assert "in a call" in answers.get(timeout=60)
        child.join(60)
        return Status.RUNNING

    crowd("CallsOne", 1, leaf)
    forest = crowd.forests[-1]
    forest.tick(0.1)


def test_two_threads_tick_two_forests(crowd):
    """Both are in their ticks at once: each leaf waits for that of the other forest."""
    both = threading.Barrier(2, timeout=30)
    errors: list[BaseException] = []

    def leaf(context: Context) -> Status:
        both.wait()
        context.world
        return Status.RUNNING

    def run(forest: pleach.Forest) -> None:
        try:
            for _ in range(20):
                forest.tick(0.1)
        except BaseException as error:
            errors.append(error)

    crowd("CallsOne", 2, leaf), crowd("CallsOne", 2, leaf)
    threads = [threading.Thread(target=run, args=(it,)) for it in crowd.forests]
    [it.start() for it in threads], [it.join(60) for it in threads]
    assert not errors and [it.time for it in crowd.forests] == [pytest.approx(2.0)] * 2


def test_other_threads_run_while_a_tick_does():
    """A tick of leaves in Rust does not hold the interpreter's lock."""
    game = pleach.arena.crowd("guard.ron", 400, seed=1)
    counted, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    thread = threading.Thread(target=count)
    try:
        thread.start()
        before = counted[0]
        game.frame(0.05, 50)
        during = counted[0] - before
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join(30)
    assert during > 5


def test_one_forest_is_for_one_thread_at_a_time(crowd):
    inside, done = threading.Event(), threading.Event()
    found: list[BaseException] = []

    def leaf(_: Context) -> Status:
        inside.set()
        done.wait(30)
        return Status.RUNNING

    def other() -> None:
        inside.wait(30)
        try:
            forest.tick(0.1)
        except BaseException as error:
            found.append(error)
        done.set()

    crowd("CallsOne", 1, leaf)
    forest = crowd.forests[-1]
    thread = threading.Thread(target=other)
    thread.start()
    forest.tick(0.1)
    thread.join(30)
    assert isinstance(found[0], pleach.PleachError) and "two threads" in str(found[0])


def test_a_context_is_for_the_thread_of_its_leaf(crowd):
    found: list[BaseException] = []

    def use(context: Context) -> None:
        try:
            context.agent
        except BaseException as error:
            found.append(error)

    def leaf(context: Context) -> Status:
        thread = threading.Thread(target=use, args=(context,))
        thread.start()
        thread.join(30)
        return Status.RUNNING

    crowd("CallsOne", 1, leaf)
    crowd.forests[-1].tick(0.1)
    assert isinstance(found[0], pleach.PleachError)


def test_what_can_be_pickled(crowd, registry):
    with pytest.raises(pleach.PleachError) as caught:
        registry.load_str("Tree(version: 1, root: Gro)")
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, pleach.PleachError) and again.problems == caught.value.problems
    assert str(again) == str(caught.value)
    for it in (Status.SUCCESS, pleach.Event("noise", (1.0, 2.0)), registry.check_str("Tree(")):
        assert pickle.loads(pickle.dumps(it)) == it
    agents = crowd("Idle", 2)
    forest = crowd.forests[-1]
    agent, group = forest.agent(int(agents.agents[0])), forest.new_group()
    game = pleach.arena.crowd("guard.ron", 1)
    for it in (registry, agents.tree, forest, agents, agent, group, forest.snapshot(), game, pleach.arena.tree("guard.ron")):
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled: "):
                copied(it)
    assert np.array_equal(pickle.loads(pickle.dumps(agents["x"])), agents["x"])


def test_a_tree_is_known_as_soon_as_it_is_there(registry):
    """Another thread asks for it between any two calls: it is in a call, or has the old or the new tree."""
    forest = pleach.Forest()
    agents = forest.add(registry.load_str(tree_text("Wait(1)")))
    versions = [registry.load_str(tree_text(f"Wait({it})")) for it in range(2, 4)]
    agents.spawn_many(50)
    said, done = set(), threading.Event()

    def ask() -> None:
        while not done.is_set():
            try:
                agents.tree
            except pleach.PleachError as error:
                said.add(str(error).partition(":")[0])

    asking = threading.Thread(target=ask)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    asking.start()
    try:
        for at in range(500):
            try:
                agents.replace(versions[at % 2])
            except pleach.PleachError as error:
                assert "in a call" in str(error)
    finally:
        done.set()
        asking.join()
        sys.setswitchinterval(interval)
    assert said <= {"this forest is in a call"}, said
