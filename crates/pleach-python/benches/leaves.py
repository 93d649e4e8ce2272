"""What calls of leaves and columns cost: the row of the book's page.

    python benches/leaves.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import pleach
from pleach import Batch, Context, Expr, Key, Status, Vec2

AGENTS = 1024
registry = pleach.Registry()


@registry.action
def nothing(context: Context) -> Status:
    """Does nothing: what is left is the call."""
    return Status.RUNNING


@registry.action
def given(context: Context, text: str, number: float, place: Key[Vec2], speed: Expr) -> Status:
    """Does nothing with four parameters."""
    return Status.RUNNING


@registry.action(batch=True)
def calls(batch: Batch, key: Key[float]) -> Any:
    """Does what the world says."""
    return batch.world(batch, key)


@registry.action(batch=True)
def walk_to(batch: Batch, place: Key[Vec2], speed: Expr) -> Any:
    """Some ten array operations: as the page's leaf."""
    pos = batch.world
    who = batch.entities
    way = batch[place] - pos[who]
    left = np.sqrt((way * way).sum(axis=1))
    step = np.minimum(batch.eval(speed) * batch.dt, left)
    pos[who] += way / np.maximum(left, 1e-6)[:, None] * step[:, None]
    return Status.RUNNING


def people(root: str, agents: int, world: Any = None) -> pleach.Forest:
    """A number of agents of a tree, which have begun."""
    forest = pleach.Forest(seed=1, world=world)
    keys = '"key": Float(0), "place": Vec2(5, 5)'
    tree = registry.load_str(f'Tree(version: 1, name: "bench", blackboard: {{ {keys} }}, root: {root})')
    forest.add(tree).spawn_many(agents, first_entity=0)
    forest.tick(0.01)
    return forest


def micros(runs: list[Callable[[], Any]], rounds: int, times: int = 20) -> list[float]:
    """Microseconds of each run: the medians of a number of rounds, in which they take turns."""
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, took in zip(runs, found):
            begin = time.perf_counter()
            for _ in range(times):
                run()
            took.append((time.perf_counter() - begin) / times * 1e6)
    return [statistics.median(took) for took in found]


def in_leaf(what: Callable[[Batch, Any], Any], rounds: int) -> float:
    """Microseconds of something that a leaf does with a batch of all agents."""
    took = []

    def world(batch: Batch, key: Any) -> Status:
        if len(batch) == AGENTS:
            took.extend(micros([lambda: what(batch, key)], rounds))
        return Status.RUNNING

    forest = people('Calls(key: "key")', AGENTS, world)
    forest.tick(0.01)
    return took[-1]


def main(rounds: int = 50) -> dict[str, float]:
    """Prints the row, and returns its figures."""
    values = np.arange(AGENTS, dtype=np.float32)
    one = people("Nothing", AGENTS)
    four = people('Given(text: "a", number: 1, place: "place", speed: 2)', AGENTS)

    def bare() -> None:
        for it in range(AGENTS):
            nothing(it)  # type: ignore[arg-type]

    alone, without, with_four = micros([bare, partial(one.tick, 0.01), partial(four.tick, 0.01)], rounds)
    figures = {
        "call": (without - alone) / AGENTS,
        "given": (with_four - alone) / AGENTS,
        "read": in_leaf(lambda batch, key: batch[key], rounds),
        "write": in_leaf(lambda batch, key: batch.__setitem__(key, values), rounds),
    }
    for agents in (AGENTS, 1):
        world = np.zeros((agents, 2), dtype=np.float32)
        forest = people('WalkTo(place: "place", speed: 2)', agents, world)
        (figures[f"batch of {agents}"],) = micros([partial(forest.tick, 1e-4)], rounds)
    print(
        f"| `python benches/leaves.py` | A call of a leaf for one agent: {figures['call']:.2f} µs on top of the leaf itself, "
        f"{figures['given']:.2f} µs with four parameters. For 1 024 agents, reading a key takes {figures['read']:.1f} µs and writing one "
        f"{figures['write']:.1f} µs. A frame with a batch leaf of about ten array operations: {figures['batch of 1024']:.0f} µs for 1 024 agents, "
        f"{figures['batch of 1']:.0f} µs for one; that is what `one=` is for. |"
    )
    return figures


if __name__ == "__main__":
    main(*(int(it) for it in sys.argv[1:]))
