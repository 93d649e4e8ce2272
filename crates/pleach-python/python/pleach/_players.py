"""Who plays the matches of a sweep: this process, or the workers of Ray."""

from __future__ import annotations

import io
import pickle
import time
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Match = Callable[..., Any]
Job = tuple[int, list[tuple[dict[str, Any], int]]]
"""The first row, and for each row its parameters and its seed."""
Rows = list[dict[str, Any]]

_LONGEST = 20_000
_DEATHS = 3
"""After how many workers that died while they played it alone a match is given up."""
_SECONDS = 1.0


class Pace:
    """How many matches a batch has, so that it takes about a second."""

    def __init__(self, fixed: int | None) -> None:
        self.fixed = fixed
        self.mean: float | None = None

    @property
    def size(self) -> int:
        """The size of the next batch."""
        if self.fixed is not None:
            return self.fixed
        return 4 if self.mean is None else max(1, min(_LONGEST, round(_SECONDS / max(self.mean, 1e-6))))

    def note(self, matches: int, seconds: float) -> None:
        """Notes that a batch of `matches` matches took `seconds`."""
        mean = seconds / matches
        self.mean = mean if self.mean is None else 0.7 * self.mean + 0.3 * mean


class _Pickler(pickle.Pickler):
    """Refuses what Ray could not send, in this process as well, so that the rows are the same. Ray
    sends functions and classes by their code."""

    def persistent_id(self, it: Any) -> str | None:
        return "code" if isinstance(it, (type, types.FunctionType)) else None


def _dump(value: Any) -> None:
    _Pickler(io.BytesIO()).dump(value)


def play(match: Match, job: Job, dump: Callable[[Any], object] = _dump) -> tuple[Rows, float]:
    """Plays a batch. A match that raises, or whose measures `dump` cannot pickle, gives a row with
    the error; only the user's interrupt ends the batch."""
    begin = time.perf_counter()
    first, all_ = job
    rows: Rows = []
    for at, (parameters, seed) in enumerate(all_):
        row = {"row": first + at, **parameters, "seed": seed}
        try:
            given = match(seed=seed, **parameters)
            measures = given if isinstance(given, Mapping) else {"value": given}
            if twice := row.keys() & measures.keys():
                raise ValueError(f"the match returned {', '.join(sorted(twice))}, which is a parameter")
            rows.append({**row, **{name: _plain(name, it, dump) for name, it in measures.items()}, "error": None})
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `sys.exit` too
            rows.append({**row, "error": _said(error)})
    return rows, time.perf_counter() - begin


def _said(error: BaseException) -> str:
    """An exception in one line, even if its own text cannot be computed."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:
        return name


def _plain(name: str, value: Any, dump: Callable[[Any], object]) -> Any:
    """A measure as it comes back from a file: a plain value, and lists for tuples."""
    if isinstance(value, np.generic):
        return value.item()
    if value is not None and type(value) not in (bool, int, float, str):
        try:
            dump(value)
        except Exception as error:
            raise TypeError(f"the measure `{name}` cannot be sent to another process: {error}") from error
    return list(value) if isinstance(value, tuple) else value


def died(job: Job, error: BaseException) -> Rows:
    """The row of a match that was alone with each of the workers that died."""
    first, ((parameters, seed),) = job
    said = str(error).strip().splitlines()
    return [{"row": first, **parameters, "seed": seed, "error": f"WorkerDied: {said[0] if said else type(error).__name__}"}]


def here(match: Match, jobs: Iterator[Job], pace: Pace) -> Iterator[Rows]:
    """Plays in this process."""
    for job in jobs:
        rows, seconds = play(match, job)
        pace.note(len(rows), seconds)
        yield rows


def on_ray(
    match: Match,
    jobs: Iterator[Job],
    pace: Pace,
    workers: int,
    address: str | None,
    resources: Mapping[str, float],
) -> Iterator[Rows]:
    """Plays on workers of Ray: of a running Ray, of the Ray at an address, or of a local one with
    that number of workers, which is shut down at the end."""
    import ray

    ours = not ray.is_initialized()
    if ours and address is not None:
        ray.init(address=address, log_to_driver=False)
    elif ours:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, configure_logging=False)
    options: dict[str, Any] = {"num_cpus": 1, "max_retries": 0}
    others = {name: it for name, it in resources.items() if name not in ("num_cpus", "num_gpus", "memory")}
    options |= {name: it for name, it in resources.items() if name not in others}
    if others:
        options["resources"] = others
    task = ray.remote(**options)(play)
    dead = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
    try:
        shared = ray.put(match)
        there = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Two batches per processor: the next one is ready when the first is done. If fewer workers
        # are wanted than there are processors, no more batches than those.
        room = 2 * there if workers == 0 or workers >= there else workers
        running: dict[Any, Job] = {}
        again: list[Job] = []
        deaths: Counter[int] = Counter()
        while True:
            while len(running) < room and (job := again.pop() if again else next(jobs, None)) is not None:
                running[task.remote(shared, job, ray.cloudpickle.dumps)] = job
            if not running:
                return
            (ready, *_), _ = ray.wait(list(running), num_returns=1)
            job = running.pop(ready)
            try:
                rows, seconds = ray.get(ready)
            except dead as error:
                first, all_ = job
                if len(all_) == 1:
                    deaths[first] += 1
                    if deaths[first] < _DEATHS:
                        again.append(job)
                    else:
                        yield died(job, error)
                    continue
                # Its rows are played again, in halves, to find a match that kills its worker.
                half = len(all_) // 2
                again += [(first, all_[:half]), (first + half, all_[half:])]
                continue
            pace.note(len(rows), seconds)
            yield rows
    finally:
        if ours:
            ray.shutdown()
