"""`sweep`: a match played over a space of parameters, many times, here or on many machines."""

from __future__ import annotations

import functools
import hashlib
import inspect
import itertools
import os
import sys
import textwrap
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pleach import _players, arena
from pleach._parts import Parts, Rows, SweepError, columns_of, gaps
from pleach._plot import Svg, shares
from pleach._stats import wilson
from pleach._tables import Table

if TYPE_CHECKING:
    import pyarrow

Space = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]


class Sweep(Table):
    """The rows of a sweep: `row`, the parameters, `seed`, the measures, and `error`."""

    def share(self, x: str, y: str = "winner", by: str | None = None) -> Table:
        """The share of wins over a parameter, with 95 % intervals (Wilson 1927).

        The columns are `x` under its own name, `by` under its own if it is given, `share`, `low`,
        `high` and `matches`. `y` is a measure from 0 to 1; rows with an error are left out.
        """
        good = np.array([it is None for it in self.get("error", ())], dtype=bool)
        for name in (x, y) if by is None else (x, by, y):
            if name not in self:
                raise SweepError(f"this sweep has no `{name}`: {self._known()}")
        try:
            wins = self[y][good].astype(float)
            if ((wins < 0) | (wins > 1)).any():
                raise ValueError("it has other numbers")
        except (TypeError, ValueError) as error:
            raise SweepError(f"`{y}` is not a measure from 0 to 1 ({error}): {self._known()}") from error
        keys = list(zip(self[by][good] if by else [None] * len(wins), self[x][good]))
        places: dict[Any, list[int]] = {}
        for at, key in enumerate(keys):
            places.setdefault(key, []).append(at)
        found = [(key, *wilson(float(wins[at].mean()), len(at)), len(at)) for key, at in places.items()]
        table: dict[str, npt.NDArray[Any]] = {x: _array([it[0][1] for it in found])}
        if by:
            table[by] = _array([it[0][0] for it in found])
        for at, name in enumerate(("share", "low", "high"), 1):
            table[name] = np.array([it[at] for it in found], dtype=float)
        table["matches"] = np.array([it[4] for it in found], dtype=np.int64)
        return Table(table)

    def _known(self) -> str:
        """The columns in words, and the first error."""
        names = list(self)
        at = names.index("seed") if "seed" in names else 0
        columns = {"parameters": names[1:at], "measures": [it for it in names[at + 1 :] if it != "error"]}
        words = [f"its {kind} are `{'`, `'.join(all_)}`" if all_ else f"it has no {kind}" for kind, all_ in columns.items()]
        errors = [f"match {row} says {it}" for row, it in enumerate(self.get("error", ())) if it is not None]
        return ", and ".join(words) + (f"; {len(errors)} of {self.rows} matches raised: {errors[0]}" if errors else "")

    def plot(self, x: str, y: str = "winner", by: str | None = None, title: str = "") -> Svg:
        """A picture of `share`: a line for each value of `by`, with intervals."""
        return shares(self.share(x, y, by), x, by, y, title)


def points_of(space: Space) -> list[dict[str, Any]]:
    """The points of a space: all combinations of the values of a mapping, the last parameter first,
    or those that are listed."""
    if isinstance(space, Mapping):
        values = [list(it) for it in space.values()]
        return [dict(zip(space, it)) for it in itertools.product(*values)]
    return [dict(it) for it in space]


def seed_of(seed: int, row: int) -> int:
    """The seed of a row: the same for a seed and a row, on any worker; 63 bits."""
    digest = hashlib.blake2b(f"{seed} {row}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def code_of(match: Any) -> str:
    """A hash of what a match does, as far as it can be known: of its source, or of its code if
    there is no source. It does not cover functions that the match calls or values that it takes
    from outside. It is empty for a match that is not written in Python."""
    if isinstance(match, functools.partial):
        return code_of(match.func)
    function = inspect.unwrap(match)
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)
    if code is None:
        return ""
    try:
        seen = textwrap.dedent(inspect.getsource(code))
    except (OSError, TypeError):
        seen = repr(_shape(code))
    return hashlib.blake2b(seen.encode(), digest_size=16).hexdigest()


def _shape(code: types.CodeType) -> list[Any]:
    """A code object without its place: the same in each process of one version of Python."""
    constants = [_shape(it) if isinstance(it, types.CodeType) else repr(it) for it in code.co_consts]
    return [code.co_code.hex(), constants, code.co_names, code.co_varnames]


def sweep(
    match: Callable[..., Any] = arena.fight,
    space: Space = ({},),
    repeat: int = 1,
    seed: int = 0,
    resources: Mapping[str, float] | None = None,
    *,
    workers: int = 0,
    address: str | None = None,
    out: str | os.PathLike[str] | None = None,
    batch: int | None = None,
    progress: bool = False,
) -> Sweep:
    """Plays a match at each point of a space, `repeat` times each, and returns a row for each.

    `match(seed=.., **point)` returns its measures by name, or one number, which is called `value`.
    If it raises, its row has the error in `error`, and the sweep continues. `space` has the values
    of each parameter, of which all combinations are played, or is a list of points. The rows have
    the same order and the same values for any number of workers.

    With `workers=0`, this process plays all matches. Otherwise Ray plays them, which must be
    installed: on that number of local workers, on a Ray that this process is connected to, or on a
    cluster by its `address`. `resources` are what a batch takes there, such as `{"num_cpus": 2}`. A
    batch is a second of matches, or `batch` of them.

    With `out`, a folder, each batch is written there when it is done (Parquet, needs pyarrow). A
    sweep that is called again with the folder continues where it stopped: after a killed worker, a
    killed driver, a full disk. The folder knows the match by its name and its source; if either
    changed since, the sweep raises. It does not see changes in what the match calls.
    """
    points = points_of(space)
    if repeat < 1 or workers < 0 or (batch is not None and batch < 1):
        raise SweepError("`repeat` and `batch` are at least 1, `workers` is at least 0")
    for name in ("row", "seed", "error"):
        if any(name in it for it in points):
            raise SweepError(f"`{name}` is a column of every sweep: call the parameter otherwise")
    total = len(points) * repeat
    about = {
        "match": f"{match.__module__}.{match.__qualname__}" if hasattr(match, "__qualname__") else repr(type(match)),
        "code": code_of(match),
        "repeat": repeat,
        "seed": seed,
        "points": points,
    }
    parts = Parts(out, about) if out is not None else None
    spans = parts.spans() if parts else []
    pace = _players.Pace(batch)

    def jobs() -> Iterator[_players.Job]:
        for begin, end in gaps(spans, total):
            while begin < end:
                rows = range(begin, min(begin + pace.size, end))
                yield begin, [(points[it // repeat], seed_of(seed, it)) for it in rows]
                begin = rows.stop

    if workers or address is not None:
        played = _players.on_ray(match, jobs(), pace, workers, address, resources or {})
    else:
        played = _players.here(match, jobs(), pace)
    kept: Rows = []
    bar = Progress(total, sum(end - begin for begin, end in spans)) if progress else None
    for rows in played:
        if parts:
            parts.add(rows)
        else:
            kept += rows
        if bar:
            bar.add(len(rows))
    if bar:
        bar.end()
    if parts:
        return Sweep(_of_arrow(parts.read())) if total else Sweep({})
    kept.sort(key=lambda it: int(it["row"]))
    return Sweep({name: _array(it) for name, it in columns_of(kept).items()})


def _of_arrow(table: pyarrow.Table) -> dict[str, npt.NDArray[Any]]:
    return {name: _array(table.column(name).to_pylist()) for name in table.column_names}


def _array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Numbers as numbers, with NaN for missing ones; anything else as objects."""
    kinds = {type(it) for it in values}
    if kinds == {bool}:
        return np.array(values, dtype=bool)
    if kinds == {int}:
        return np.array(values, dtype=np.int64) if all(-(2**63) <= it < 2**63 for it in values) else np.array(values, dtype=object)
    if kinds and kinds <= {int, float, type(None), np.float32, np.float64} and kinds != {type(None)}:
        return np.array([np.nan if it is None else it for it in values], dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


class Progress:
    """A line on the terminal that shows the progress of a sweep."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done, self.before = total, done, done
        self.begin = self.shown = time.monotonic()

    def add(self, matches: int) -> None:
        """Notes that `matches` more are done."""
        self.done += matches
        if time.monotonic() - self.shown > 0.2:
            self._show("\r")

    def end(self) -> None:
        """Notes that all are done."""
        self._show("\n")

    def _show(self, end: str) -> None:
        self.shown = time.monotonic()
        rate = (self.done - self.before) / max(self.shown - self.begin, 1e-9)
        left = f", {(self.total - self.done) / rate:.0f} s left" if rate > 0 and self.done < self.total else ""
        text = f"{self.done} of {self.total} matches, {rate:.0f} a second{left}"
        print(f"\r{text:<70}", end=end, file=sys.stderr, flush=True)
