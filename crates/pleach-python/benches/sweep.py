"""What sweeps cost: 100 000 matches of the arena in one run, two workers over one, and the overhead of a batch.

    python benches/sweep.py [MATCHES]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from typing import Any

import pleach


def timed_fight(seed: int, reds: int) -> dict[str, Any]:
    """Guards against four fighters, and the processor seconds that it took."""
    begin = time.process_time()
    result = pleach.arena.fight(seed=seed, reds=reds)
    return {**result, "took": time.process_time() - begin}


def wait(seed: int, of: int) -> float:
    """A match that takes 10 ms on any machine, however busy."""
    begin = time.perf_counter()
    time.sleep(0.01)
    return time.perf_counter() - begin


def run(*arguments: Any, **options: Any) -> tuple[pleach.Sweep, float]:
    """A sweep, and its seconds."""
    begin = time.perf_counter()
    table = pleach.sweep(*arguments, **options)
    return table, time.perf_counter() - begin


def on(workers: int) -> None:
    """A local Ray with this number of workers, which have played before."""
    import ray

    ray.shutdown()
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    run(wait, {"of": [1]}, 8 * workers, workers=workers, batch=1)
    run(timed_fight, {"reds": [2]}, 8 * workers, workers=workers, batch=1)


def main(matches: int = 100_000) -> None:
    """Prints the figures."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it began")
    space: dict[str, list[int]] = {"reds": [2, 3, 4, 5]}
    waited, fought, overhead = {}, {}, {}
    for workers in (1, 2):
        on(workers)
        # Batches of one second in which the workers only wait: the rest is overhead.
        batches = 20 * workers
        table, wall = run(wait, {"of": [1]}, batches * 100, workers=workers, batch=100)
        each = table["value"].sum() / batches
        waited[workers] = batches / wall
        overhead[workers] = (wall * workers / batches - each) * 1000
        print(f"{workers} workers: {batches} batches of {each:.3f} s in {wall:.2f} s, overhead {overhead[workers]:.0f} ms a batch")
        table, wall = run(timed_fight, space, max(1, matches // 40), workers=workers)
        fought[workers] = table.rows / wall
        print(f"{workers} workers: {table.rows} fights in {wall:.1f} s, {fought[workers]:.0f} a second")
    print(f"two workers over one: {waited[2] / waited[1]:.2f} x with matches that wait, {fought[2] / fought[1]:.2f} x with fights")

    with tempfile.TemporaryDirectory() as folder:
        table, wall = run(timed_fight, space, matches // 4, workers=2, out=folder)
        size = sum(it.stat().st_size for it in os.scandir(folder))
        parts = len(list(os.scandir(folder))) - 1
    took = table["took"].mean()
    print(
        f"{table.rows} fights with two workers, kept: {wall:.0f} s, {parts} parts of {size / 1e6:.1f} MB together, "
        f"{took * 1000:.2f} ms of processor each"
    )
    share = table.share("reds")
    for reds, it, low, high in zip(share["reds"], share["share"], share["low"], share["high"]):
        print(f"  {reds} guards win {it:.3f} ({low:.3f} to {high:.3f})")
    million = 1e6 * took / 100 / 0.98
    print(f"a million on 100 such cores, computed: {million:.0f} s")
    count = f"{table.rows:,}".replace(",", " ")
    print(
        f"| `python benches/sweep.py` | {count} fights in one run with two workers, kept in {parts} parts of {size / 1e6:.1f} MB together: {wall:.0f} s; "
        f"{took * 1000:.2f} ms of processor time for each fight. |"
    )
    print(
        f"| two workers over one | {fought[2] / fought[1]:.2f} times as many fights a second ({fought[2]:.0f} instead of {fought[1]:.0f}); "
        f"{waited[2] / waited[1]:.2f} times with matches that only wait. |"
    )
    print(f"| overhead | {overhead[2]:.0f} ms for a batch of one second. |")
    print(f"| a million fights on 100 such cores, computed | {million:.0f} s and the start of the cluster. |")


if __name__ == "__main__":
    main(*(int(it) for it in sys.argv[1:]))
