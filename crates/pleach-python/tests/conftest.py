"""What the tests share: leaves that do little, and crowds of one tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pleach
from pleach import Batch, Context, Key, Status


class World:
    """What leaves of the tests note."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.speed = np.ones(10_000, dtype=np.float32)


def make_registry() -> pleach.Registry:
    """The leaves of the tests."""
    registry = pleach.Registry()
    registry.event("noise", "vec2")
    registry.event("bell")

    def started(context: Context, key: Key[float], to: float, by: float) -> None:
        context.world.lines.append(("start", context.agent))

    def ended(context: Context, how: str, key: Key[float], to: float, by: float) -> None:
        context.world.lines.append(("end", context.agent, how))

    @registry.action(batch=True)
    def grow(batch: Batch, key: Key[float], to: float, by: float = 1.0) -> Any:
        """Adds to a key until it is large enough."""
        batch[key] += by
        return pleach.until(batch[key] >= to)

    @registry.action("GrowOne", start=started, end=ended)
    def grow_one(context: Context, key: Key[float], to: float, by: float = 1.0) -> Status:
        context[key] = context[key] + by
        return Status.SUCCESS if context[key] >= to else Status.RUNNING

    @registry.condition(batch=True)
    def above(batch: Batch, key: Key[float], than: float) -> Any:
        return batch[key] > than

    @registry.condition(observes=["key"])
    def watched(context: Context, key: Key[float], than: float) -> bool:
        context.world.lines.append(("asked", context.agent))
        return context[key] > than

    @registry.action
    def raises(context: Context, key: Key[float], text: str = "no") -> Status:
        if context[key] > 0:
            raise RuntimeError(text)
        return Status.SUCCESS

    @registry.action(batch=True)
    def calls(batch: Batch) -> Any:
        """Does what the test says."""
        return batch.world(batch)

    @registry.action
    def calls_one(context: Context) -> Any:
        return context.world(context)

    return registry


@pytest.fixture
def registry() -> pleach.Registry:
    return make_registry()


KEYS = '"x": Float(0), "n": Int(0), "b": Bool(false), "v": Vec2(0, 0), "w": Vec3(0, 0, 0), "e": Entity(0), "t": Time(0), "s": Symbol("idle", ["idle", "alert"])'


def tree_text(root: str, keys: str = KEYS, more: str = "") -> str:
    return f'Tree(version: 1, name: "t", blackboard: {{ {keys} }}, {more} root: {root})'


@pytest.fixture
def crowd(registry: pleach.Registry) -> Callable[..., pleach.Population]:
    """So many agents of a tree with this root, in a forest with this world."""
    kept: list[pleach.Forest] = []

    def make(root: str, agents: int = 40, world: Any = None, more: str = "") -> pleach.Population:
        forest = pleach.Forest(seed=7, world=World() if world is None else world)
        kept.append(forest)
        population = forest.add(registry.load_str(tree_text(root, more=more)))
        population.spawn_many(agents, first_entity=0)
        return population

    make.forests = kept  # type: ignore[attr-defined]
    return make
