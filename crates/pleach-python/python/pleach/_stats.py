"""Intervals of shares, and ratings of players from their matches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""How many standard deviations hold 95 % of a normal distribution."""

Floats = npt.NDArray[np.float64]


def wilson(share: float, count: int, z: float = Z95) -> tuple[float, float, float]:
    """A share with its interval: the score interval of E. B. Wilson, *Probable inference, the law of
    succession, and statistical inference* (1927). Draws count as half a win."""
    if count == 0:
        return math.nan, 0.0, 1.0
    scale = 1 + z * z / count
    centre = (share + z * z / (2 * count)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return share, max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True)
class Rating:
    """How strong a player is: 400 points more are ten wins to one."""

    name: str
    elo: float
    low: float
    high: float
    matches: int
    share: float


def bradley_terry(wins: Floats, steps: int = 10_000, tolerance: float = 1e-10) -> Floats:
    """The strengths of players by maximum likelihood, in Elo points around a mean of 1500.

    `wins[.., a, b]` is how often a beat b, draws as half a win for both. The model is that of R. A.
    Bradley and M. E. Terry, *Rank analysis of incomplete block designs* (1952); the iteration is
    that of D. R. Hunter, *MM algorithms for generalized Bradley-Terry models* (2004). A drawn match
    is added to each pair, so that a player who wins every match has a finite strength.
    """
    players = wins.shape[-1]
    apart = ~np.eye(players, dtype=bool)
    counted = np.where(apart, wins + 0.5, 0.0)
    played = counted + np.swapaxes(counted, -1, -2)
    won = counted.sum(axis=-1)
    strength = np.ones(won.shape)
    for _ in range(steps):
        pairs = strength[..., :, None] + strength[..., None, :]
        new = won / (played / pairs).sum(axis=-1)
        new /= np.exp(np.log(new).mean(axis=-1, keepdims=True))
        change = np.abs(np.log(new / strength)).max()
        strength = new
        if change < tolerance:
            break
    return np.asarray(1500 + 400 * np.log10(strength), dtype=np.float64)


def ratings(names: list[str], results: npt.NDArray[np.int64], seed: int = 0, resamples: int = 1000) -> list[Rating]:
    """Ratings with 95 % intervals, the strongest first.

    `results[a, b]` counts what matches of a against b came to: wins of a, draws, wins of b. The
    intervals are percentiles of the bootstrap (B. Efron, *Bootstrap methods*, 1979): the matches of
    each pair are drawn again, with replacement, and rated.
    """
    wins = _wins(results.astype(np.float64))
    best = bradley_terry(wins)
    rng = np.random.default_rng(seed)
    count = results.sum(axis=-1)
    drawn = np.zeros((resamples, *results.shape))
    for a, b in zip(*np.nonzero(count)):
        drawn[:, a, b] = rng.multinomial(count[a, b], results[a, b] / count[a, b], size=resamples)
    low, high = np.percentile(bradley_terry(_wins(drawn), tolerance=1e-6), [2.5, 97.5], axis=0)
    played = (count + count.T).sum(axis=1)
    share = wins.sum(axis=1) / np.maximum(played, 1)
    found = [
        Rating(name, float(best[at]), float(low[at]), float(high[at]), int(played[at]), float(share[at]))
        for at, name in enumerate(names)
    ]
    return sorted(found, key=lambda it: -it.elo)


def _wins(results: Floats) -> Floats:
    """How often a beat b, from either side."""
    first = results[..., 0] + results[..., 1] / 2
    second = results[..., 2] + results[..., 1] / 2
    return np.asarray(first + np.swapaxes(second, -1, -2), dtype=np.float64)
