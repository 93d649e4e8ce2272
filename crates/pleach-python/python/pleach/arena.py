"""The arena that comes with pleach: a small 2D world whose leaves are written in Rust.

`crowd` fills a large one with agents of one tree; `fight` lets two sides fight, and is what
`pleach.sweep` and `pleach.tournament` play by default.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pleach._pleach import ArenaGame, ArenaTree
from pleach._tables import Table


@functools.lru_cache(maxsize=256)
def tree(text_or_name: str, file: str = "tree.ron") -> ArenaTree:
    """A tree of the arena: one that comes with pleach by its name, such as `guard.ron`, or the text
    of one, which messages call `file`. It is read once."""
    return ArenaTree(text_or_name, file)


def shipped() -> list[str]:
    """The names of the trees that come with pleach."""
    return ArenaTree.shipped()


def crowd(tree_: str | ArenaTree = "guard.ron", agents: int = 1000, seed: int = 0) -> ArenaGame:
    """A number of agents of a tree in a large arena with camps, walls, routes and wandering
    players."""
    return ArenaGame.crowd(tree(tree_) if isinstance(tree_, str) else tree_, agents, seed)


def run(game: ArenaGame, seconds: float, dt: float = 1 / 30, every: float = 1.0) -> Table:
    """Runs a game, and returns what was measured every `every` seconds.

    The columns are `time`, `ticked` (agents since the row before), `alive` and `health` (of all
    agents, from 0 to 1).
    """
    steps = max(1, round(every / dt))
    rows: list[tuple[float, int, int, float]] = []
    end = game.time + seconds
    while game.time < end - dt / 2:
        frames = min(steps, max(1, round((end - game.time) / dt)))
        ticked = game.frame(dt, frames)
        rows.append((game.time, ticked, sum(game.alive), float(np.mean(game.health))))
    columns = list(zip(*rows)) or [(), (), (), ()]
    kinds = (np.float64, np.int64, np.int64, np.float64)
    names = ("time", "ticked", "alive", "health")
    return Table({name: np.asarray(it, dtype=kind) for name, it, kind in zip(names, columns, kinds)})


def fight(
    *,
    seed: int,
    red: str = "guard.ron",
    blue: str = "fighter.ron",
    reds: int = 4,
    blues: int = 4,
    side: float = 40.0,
    walls: int = 5,
    red_hp: float = 100.0,
    blue_hp: float = 100.0,
    seconds: float = 60.0,
    dt: float = 0.1,
) -> dict[str, Any]:
    """Lets two sides fight until one is dead or the time is over: guards against fighters, or any
    trees of the arena, by their names or as text.

    The measures are `winner` (1.0 if red wins, 0.0 if blue does, 0.5 for a draw), `red_alive`,
    `blue_alive`, `red_health`, `blue_health` (means from 0 to 1, the dead included) and `lasted`,
    the seconds. The side with the larger share of its agents alive has won; with equal shares, the
    side with more health.
    """
    game = ArenaGame.duel(
        tree(red),
        tree(blue),
        reds=reds,
        blues=blues,
        seed=seed,
        side=side,
        walls=walls,
        red_hp=red_hp,
        blue_hp=blue_hp,
    )
    lasted = game.fight(dt, seconds)
    health, sides = game.health, game.sides
    red_health = float(health[sides == 0].mean()) if reds else 0.0
    blue_health = float(health[sides == 1].mean()) if blues else 0.0
    red_alive, blue_alive = game.alive
    ours = (red_alive / max(reds, 1), round(red_health, 6))
    theirs = (blue_alive / max(blues, 1), round(blue_health, 6))
    winner = 0.5 if ours == theirs else float(ours > theirs)
    return {
        "winner": winner,
        "red_alive": red_alive,
        "blue_alive": blue_alive,
        "red_health": red_health,
        "blue_health": blue_health,
        "lasted": lasted,
    }
