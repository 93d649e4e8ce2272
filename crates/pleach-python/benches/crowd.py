"""A crowd of guards whose leaves are NumPy functions, beside the arena's, whose leaves are in Rust.

Both run `trees/guard.ron`, in one process, and take turns. The world here has the arena's camps,
routes, players and rules, but no walls: none hides an agent, and none has to be walked round.

    python benches/crowd.py [AGENTS] [FRAMES]
"""

from __future__ import annotations

import enum
import math
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import pleach
from pleach import Batch, Context, Entity, Key, Status, Vec2

TREES = Path(__file__).parents[3] / "trees"
CAMP, PER_CAMP, SIGHT, CELL = 96.0, 50, 15.0, 16.0
DT = 1 / 30
RUNNING, SUCCESS, FAILURE = Status


def split(points: Any) -> Any:
    """Points as two columns."""
    return np.ascontiguousarray(np.asarray(points, dtype=np.float32).T)


class World:
    """The bodies of guards and players, as arrays."""

    def __init__(self, guards: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        camps = -(-guards // PER_CAMP)
        row = int(np.ceil(np.sqrt(camps)))
        self.side = row * CAMP
        corner = np.stack([np.arange(camps) % row, np.arange(camps) // row], axis=1) * CAMP
        own = corner[np.arange(guards) * camps // guards]
        plot = rng.integers(0, 3, (guards, 2)) * 24.0 + own
        square = np.array([[0, 0], [24, 0], [24, 24], [0, 24]], dtype=np.float32)
        self.route = (plot[:, None, :] + square).astype(np.float32)
        self.route_x, self.route_y = split(self.route.reshape(-1, 2))
        self.at = rng.integers(0, 4, guards)
        self.x, self.y = split(self.route[np.arange(guards), self.at] + rng.uniform(-3, 3, (guards, 2)))
        self.home_x, self.home_y = split(own + CAMP / 2 + rng.uniform(-12, 12, (guards, 2)))
        self.facing_x, self.facing_y = np.ones(guards, dtype=np.float32), np.zeros(guards, dtype=np.float32)
        self.stop = np.zeros(guards)
        self.hp = np.full(guards, 100, dtype=np.float32)
        self.ready = np.zeros(guards)
        self.player = (corner + rng.uniform(0, CAMP, (camps, 2))).astype(np.float32)
        self.player_goal, self.player_camp = self.player.copy(), corner
        self.player_hp = np.full(camps, 100, dtype=np.float32)
        self.player_back = np.zeros(camps)
        self.seen = np.full(guards, -1, dtype=np.int64)
        self.seen_at = np.zeros((guards, 2), dtype=np.float32)
        self.rng, self.time = rng, 0.0

    def walk(self, who: Any, to_x: Any, to_y: Any, within: float, speed: float, dt: Any) -> Any:
        """Walks, and says who has arrived."""
        x, y = self.x.take(who), self.y.take(who)
        dx, dy = to_x - x, to_y - y
        left = np.sqrt(dx * dx + dy * dy)
        step = np.maximum(np.minimum(dt * np.float32(speed), left - np.float32(within)), 0)
        part = step / np.maximum(left, np.float32(1e-6))
        self.x[who] = x + dx * part
        self.y[who] = y + dy * part
        self.facing_x[who], self.facing_y[who] = dx, dy
        return left - step <= np.float32(within + 1e-3)

    def walk_one(self, who: int, to: Any, within: float, speed: float, dt: float) -> bool:
        """The same for one."""
        x, y = float(self.x[who]), float(self.y[who])
        dx, dy = to[0] - x, to[1] - y
        left = math.sqrt(dx * dx + dy * dy)
        step = max(min(speed * dt, left - within), 0.0)
        part = step / max(left, 1e-6)
        self.x[who], self.y[who] = x + dx * part, y + dy * part
        self.facing_x[who], self.facing_y[who] = dx, dy
        return left - step <= within + 1e-3

    def look(self) -> None:
        """The nearest player that each guard sees, from cells of guards around each player."""
        cells = int(self.side // CELL) + 3
        # Sixteen bits, which NumPy sorts by their digits.
        part = np.float32(1 / CELL)
        cell = (self.x * part).astype(np.int32) + (self.y * part).astype(np.int32) * cells + (1 + cells)
        order = np.argsort(cell.astype(np.uint16), kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=cells * cells))])
        alive = np.nonzero(self.player_hp > 0)[0]
        around = (np.arange(-1, 2)[:, None] * cells + np.arange(-1, 2)).ravel()
        home = ((self.player[alive] // CELL).astype(np.int64) + 1) @ np.array([1, cells])
        near = home[:, None] + around
        counts = first[near + 1] - first[near]
        starts = np.repeat(first[near].ravel(), counts.ravel())
        offset = np.arange(len(starts)) - np.repeat(np.cumsum(counts) - counts.ravel(), counts.ravel())
        guard = order[starts + offset]
        player = np.repeat(np.repeat(alive, 9), counts.ravel())
        to = self.player[player]
        dx, dy = to[:, 0] - self.x[guard], to[:, 1] - self.y[guard]
        ahead_x, ahead_y = self.facing_x[guard], self.facing_y[guard]
        far = dx * dx + dy * dy
        ahead, length = dx * ahead_x + dy * ahead_y, ahead_x * ahead_x + ahead_y * ahead_y
        sees = (far <= SIGHT**2) & (ahead >= np.sqrt(far * length / 2)) & (self.hp[guard] > 0)
        guard, player, far = guard[sees], player[sees], far[sees]
        nearest = np.argsort(-far)
        self.seen[:] = -1
        self.seen[guard[nearest]] = player[nearest]
        found = self.seen >= 0
        self.seen_at[found] = self.player[self.seen[found]]

    def step(self, dt: float) -> None:
        """Players walk, wounds heal at home, and the dead come back."""
        self.time += dt
        way = self.player_goal - self.player
        left = np.sqrt(np.einsum("ij,ij->i", way, way))
        there = left < 0.5
        if there.any():
            self.player_goal[there] = self.player_camp[there] + self.rng.uniform(0, CAMP, (there.sum(), 2))
        self.player += (way / np.maximum(left, 1e-6)[:, None] * np.float32(1.4 * dt)).astype(np.float32)
        back = (self.player_hp <= 0) & (self.player_back <= self.time)
        self.player_hp[back] = 100
        hurt = np.nonzero((self.hp < 100) & (self.hp > 0))[0]
        home = (np.abs(self.x - self.home_x)[hurt] < 2) & (np.abs(self.y - self.home_y)[hurt] < 2)
        self.hp[hurt[home]] = np.minimum(self.hp[hurt[home]] + 10 * dt, 100)


registry = pleach.Registry()
registry.event("noise", "vec2")
registry.event("alarm", "vec2")


class Mode(enum.Enum):
    """How a route is walked. Here it is always round and round, as by day in the arena."""

    Loop = 0
    RoundTrip = 1


def patrol_one(context: Context, speed: float, pause: float = 0.0, within: float = 0.0, mode: Mode = Mode.Loop) -> Any:
    world, who, now = context.world, context.entity, context.time
    until = float(world.stop[who])
    if until > now:
        context.sleep(until - now)
        return RUNNING
    at = int(world.at[who])
    if until > 0:
        world.stop[who] = 0
        world.at[who] = at = (at + 1) % 4
    if world.walk_one(who, world.route[who, at].tolist(), within, speed, context.dt):
        world.stop[who] = now + pause
    return RUNNING


@registry.action(batch=True, one=patrol_one)
def patrol(batch: Batch, speed: float, pause: float = 0.0, within: float = 0.0, mode: Mode = Mode.Loop) -> Any:
    world, who, now = batch.world, batch.entities, batch.time
    until = world.stop[who]
    rests = until > now
    dts = batch.dt
    if rests.any():
        batch.sleep(np.where(rests, until - now, 0))
        goes = ~rests
        who, now, until, dts = who[goes], now[goes], until[goes], dts[goes]
    on = until > 0
    if on.any():
        on = who[on]
        world.stop[on] = 0
        world.at[on] = (world.at[on] + 1) % 4
    spot = who * 4 + world.at[who]
    there = world.walk(who, world.route_x.take(spot), world.route_y.take(spot), within, speed, dts)
    if there.any():
        world.stop[who[there]] = now[there] + pause
    return RUNNING


def move_to_one(context: Context, target: Key[Vec2], speed: float, within: float = 0.0) -> Any:
    there = context.world.walk_one(context.entity, context[target], within, speed, context.dt)
    return SUCCESS if there else RUNNING


@registry.action(batch=True, one=move_to_one)
def move_to(batch: Batch, target: Key[Vec2], speed: float, within: float = 0.0) -> Any:
    x, y = batch[target].T
    return pleach.until(batch.world.walk(batch.entities, x, y, within, speed, batch.dt))


@registry.action(batch=True)
def flee(batch: Batch, speed: float, within: float = 0.0) -> Any:
    world, who = batch.world, batch.entities
    return pleach.until(world.walk(who, world.home_x[who], world.home_y[who], within, speed, batch.dt))


def approach_one(context: Context, target: Key[Entity], speed: float, within: float) -> Any:
    world, whom = context.world, context[target]
    if whom is None or world.player_hp[whom] <= 0:
        return FAILURE
    there = world.walk_one(context.entity, world.player[whom].tolist(), within, speed, context.dt)
    return SUCCESS if there else RUNNING


@registry.action(batch=True, one=approach_one)
def approach(batch: Batch, target: Key[Entity], speed: float, within: float) -> Any:
    world, whom = batch.world, batch[target]
    gone = (whom < 0) | (world.player_hp[whom] <= 0)
    x, y = world.player[whom].T
    return pleach.until(world.walk(batch.entities, x, y, within, speed, batch.dt), gone)


def attack_one(
    context: Context, target: Key[Entity], range: float = 2.5, damage: float = 10.0, interval: float = 1.2
) -> Any:
    world, who, whom = context.world, context.entity, context[target]
    if whom is None or world.player_hp[whom] <= 0:
        return FAILURE
    to_x, to_y = world.player[whom].tolist()
    dx, dy = to_x - float(world.x[who]), to_y - float(world.y[who])
    far = math.sqrt(dx * dx + dy * dy)
    world.facing_x[who], world.facing_y[who] = dx, dy
    if far > range:
        return FAILURE
    if world.ready[who] > world.time:
        return RUNNING
    world.ready[who] = world.time + interval
    world.player_hp[whom] -= damage
    if world.player_hp[whom] <= 0:
        world.player_back[whom] = world.time + 5
    return SUCCESS


@registry.action(batch=True, one=attack_one)
def attack(batch: Batch, target: Key[Entity], range: float = 2.5, damage: float = 10.0, interval: float = 1.2) -> Any:
    world, who, whom = batch.world, batch.entities, batch[target]
    x, y = world.player[whom].T
    dx, dy = x - world.x[who], y - world.y[who]
    far = np.sqrt(dx * dx + dy * dy)
    world.facing_x[who], world.facing_y[who] = dx, dy
    fails = (whom < 0) | (world.player_hp[whom] <= 0) | (far > range)
    hits = ~fails & (world.ready[who] <= world.time)
    if hits.any():
        world.ready[who[hits]] = world.time + interval
        np.subtract.at(world.player_hp, whom[hits], damage)
        dead = whom[hits][world.player_hp[whom[hits]] <= 0]
        world.player_back[dead] = world.time + 5
    return pleach.until(hits, fails)


@registry.action(batch=True)
def dead(batch: Batch) -> Any:
    batch.sleep(1e6)
    return RUNNING


class Crowd:
    """The guards in their forest."""

    def __init__(self, agents: int, seed: int) -> None:
        self.world = World(agents, seed)
        self.forest = pleach.Forest(seed=seed, world=self.world)
        tree = pleach.Library(TREES, registry).load("guard.ron")
        self.guards = self.forest.add(tree)
        squads = [self.forest.new_group() for _ in range(-(-agents // 10))]
        for at, squad in enumerate(squads):
            self.guards.spawn_many(min(10, agents - at * 10), first_entity=at * 10, group=squad)

    def frame(self, dt: float) -> None:
        """Sensors, one tick, one step of the world: as the arena's frame."""
        world, guards = self.world, self.guards
        world.look()
        guards["health"] = world.hp / 100
        guards["sees_player"] = world.seen >= 0
        guards["player"] = world.seen
        guards["player_pos"] = world.seen_at
        self.forest.tick(dt)
        world.step(dt)


def timed(frame: Any, frames: int) -> float:
    """Milliseconds for a frame."""
    begin = time.perf_counter()
    for _ in range(frames):
        frame(DT)
    return (time.perf_counter() - begin) / frames * 1000


def main(agents: int = 10_000, frames: int = 200) -> float:
    """Prints the figures, and returns the ratio of the medians."""
    python, rust = Crowd(agents, 1), pleach.arena.crowd("guard.ron", agents, seed=1)
    for game in (python, rust):
        timed(game.frame, 60)
    pairs = [(timed(python.frame, 10), timed(rust.frame, 10)) for _ in range(max(1, frames // 10))]
    ours, theirs = (statistics.median(it) for it in zip(*pairs))
    busy = int((python.world.seen >= 0).sum())
    print(f"{agents} guards, {frames} frames of 1/30 s each, in turns of ten; {busy} see a player")
    print(f"leaves in NumPy  {ours:6.2f} ms a frame (from {min(it[0] for it in pairs):.2f} to {max(it[0] for it in pairs):.2f})")
    print(f"leaves in Rust   {theirs:6.2f} ms a frame (from {min(it[1] for it in pairs):.2f} to {max(it[1] for it in pairs):.2f})")
    print(f"ratio            {ours / theirs:6.2f}")
    count = f"{agents:,}".replace(",", " ")
    print(
        f"| `python benches/crowd.py` | {count} guards of `trees/guard.ron`, with sensors and world. Leaves in NumPy: {ours:.1f} ms a frame; the "
        f"arena, with leaves in Rust: {theirs:.1f} ms. That is {ours / theirs:.1f} times as long. The world in NumPy has the arena's rules, but no "
        "walls. |"
    )
    return ours / theirs


if __name__ == "__main__":
    main(*(int(it) for it in sys.argv[1:]))
