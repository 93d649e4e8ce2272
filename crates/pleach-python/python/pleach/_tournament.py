"""`tournament`: trees against trees, and ratings of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pleach import arena
from pleach._parts import SweepError
from pleach._plot import Svg, rated
from pleach._stats import Rating, ratings
from pleach._sweep import Sweep, sweep


@dataclass(frozen=True)
class Tournament:
    """The ratings of trees, the strongest first, and the matches that they come from."""

    ratings: list[Rating]
    matches: Sweep

    def plot(self, title: str = "Elo ratings, with 95 % intervals") -> Svg:
        """A picture of the ratings."""
        return rated(self.ratings, title)

    def __str__(self) -> str:
        width = max([4, *(len(it.name) for it in self.ratings)])
        head = f"{'tree':<{width}}   elo    95 % interval   matches  score"
        rows = (
            f"{it.name:<{width}}  {it.elo:4.0f}    {it.low:4.0f} to {it.high:4.0f}  {it.matches:8}  {it.share:6.1%}"
            for it in self.ratings
        )
        errors = sum(it is not None for it in self.matches["error"])
        more = [f"{errors} matches raised and are not counted"] if errors else []
        return "\n".join([head, *rows, *more])


def named(trees: Sequence[str | os.PathLike[str]]) -> dict[str, str]:
    """Trees by the names of their files. A name that is not a file here means a tree that comes
    with pleach."""
    found: dict[str, str] = {}
    shipped = arena.shipped()
    for it in trees:
        path = Path(it)
        if not path.exists() and str(it) not in shipped:
            raise SweepError(f"there is no file `{it}`, and no tree of that name comes with pleach; these do: {', '.join(shipped)}")
        name = path.stem if path.exists() else str(it).removesuffix(".ron")
        if name in found:
            raise SweepError(f"two trees are called `{name}`: give them by name, as a mapping")
        found[name] = path.read_text() if path.exists() else str(it)
    return found


def tournament(
    trees: Mapping[str, str] | Sequence[str | os.PathLike[str]],
    repeat: int = 100,
    seed: int = 0,
    resources: Mapping[str, float] | None = None,
    *,
    match: Callable[..., Any] = arena.fight,
    workers: int = 0,
    address: str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **options: Any,
) -> Tournament:
    """Lets every tree play every other, from both sides, `repeat` times each, and rates them.

    `trees` are texts by name, or files. `match(seed=.., red=.., blue=.., **options)` returns
    `winner` among its measures: 1 if red wins, 0 if blue does, 0.5 for a draw; by default it is
    `pleach.arena.fight`. The rest is as in `pleach.sweep`. A match that raises is not counted.

    The ratings are Elo points by maximum likelihood (Bradley and Terry 1952; Hunter 2004), with
    intervals by the bootstrap (Efron 1979).
    """
    texts = dict(trees) if isinstance(trees, Mapping) else named(trees)
    names = list(texts)
    if len(names) < 2:
        raise SweepError("a tournament needs at least two trees")
    if match is arena.fight:
        # Errors in trees come before the first match.
        for name, text in texts.items():
            arena.tree(text, f"{name}.ron")
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if a != b]
    points = [{"red": texts[names[a]], "blue": texts[names[b]], **options} for a, b in pairs]
    matches = sweep(
        match,
        points,
        repeat,
        seed,
        resources,
        workers=workers,
        address=address,
        out=out,
        progress=progress,
    )
    results = np.zeros((len(names), len(names), 3), dtype=np.int64)
    winners = matches["winner"] if "winner" in matches else np.full(matches.rows, np.nan)
    for row, (winner, error) in enumerate(zip(winners, matches["error"])):
        if error is not None:
            continue
        if winner not in (0.0, 0.5, 1.0):
            raise SweepError(f"the match of row {row} says that `winner` is {winner}: it is 1, 0.5 or 0")
        results[(*pairs[row // repeat], int(2 - 2 * winner))] += 1
    if not results.any():
        raise SweepError(f"no match ended: the first says {matches['error'][0]}")
    return Tournament(ratings(names, results, seed), matches)
