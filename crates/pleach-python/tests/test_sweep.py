"""Sweeps and tournaments: the same rows whoever plays, whatever is killed on the way."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pleach
from pleach.__main__ import main, tournament
from pleach._parts import Parts, gaps
from pleach._stats import bradley_terry, ratings, wilson
from pleach._sweep import code_of

SPACE = {"a": [1, 2, 3], "b": ["x", "y"]}


def same(one: pleach.Table, other: pleach.Table) -> bool:
    """Whether two tables are equal, in their types, too."""
    return list(one) == list(other) and all(
        one[it].dtype == other[it].dtype and one[it].tolist().__repr__() == other[it].tolist().__repr__() for it in one
    )


def shot(seed: int, a: int, b: str) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"winner": float(rng.random() < a / 4), "sum": a * 0.5, "name": b * 2}


@pytest.fixture(scope="module")
def two_workers():
    """A local Ray with two workers for all tests of this file."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_DISABLE_IMPORT_WARNING"] = "1"
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(num_cpus=2, resources={"slot": 1}, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_rows_are_in_order_and_have_their_seeds():
    table = pleach.sweep(shot, SPACE, repeat=2, seed=9)
    assert list(table) == ["row", "a", "b", "seed", "winner", "sum", "name", "error"]
    assert table["row"].tolist() == list(range(12)) and table["a"].tolist() == [1] * 4 + [2] * 4 + [3] * 4
    assert table["b"].tolist() == ["x", "x", "y", "y"] * 3 and len(set(table["seed"])) == 12
    assert same(table, pleach.sweep(shot, SPACE, repeat=2, seed=9, batch=1))
    assert same(table, pleach.sweep(shot, SPACE, 2, 9, batch=5))
    assert not same(table, pleach.sweep(shot, SPACE, repeat=2, seed=10))
    assert pleach.sweep(lambda seed: seed % 7)["value"].dtype == np.int64
    assert pleach.sweep(shot, [{"a": 1, "b": "z"}])["name"].tolist() == ["zz"]
    assert pleach.sweep(shot, {"a": [], "b": []}).rows == 0


def test_any_number_of_workers_gives_the_same_rows(two_workers, tmp_path):
    table = pleach.sweep(shot, SPACE, repeat=20, seed=3)
    assert same(table, pleach.sweep(shot, SPACE, repeat=20, seed=3, workers=2, batch=7))
    kept = pleach.sweep(shot, SPACE, repeat=20, seed=3, workers=1, out=tmp_path, resources={"num_cpus": 1})
    assert same(table, kept)
    fights = pleach.sweep(space={"reds": [2, 3]}, repeat=3, seed=1, workers=2)
    assert same(fights, pleach.sweep(space={"reds": [2, 3]}, repeat=3, seed=1))


def test_a_match_that_raises_is_a_row(two_workers, tmp_path):
    def odd(seed: int, a: int) -> dict[str, float]:
        if a % 2:
            raise ValueError(f"{a} is odd")
        return {"winner": 1.0}

    for options in ({}, {"workers": 2}, {"out": tmp_path, "batch": 1}):
        table = pleach.sweep(odd, {"a": [0, 1, 2, 3]}, **options)
        assert table["error"].tolist() == [None, "ValueError: 1 is odd", None, "ValueError: 3 is odd"]
        assert np.array_equal(table["winner"], [1, np.nan, 1, np.nan], equal_nan=True)
        assert table.share("a")["matches"].tolist() == [1, 1]
    assert "which is a parameter" in pleach.sweep(lambda seed, a: {"a": 1}, {"a": [1]})["error"][0]


class Unsayable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_whatever_a_match_does_its_row_says_it(two_workers, tmp_path):
    """What ends a program, what is not an `Exception`, what cannot be sent: the sweep goes on."""

    def wild(seed: int, a: str) -> Any:
        if a == "exit":
            sys.exit(3)
        if a == "base":
            raise BaseException("all")
        if a == "mute":
            raise Unsayable
        lock = threading.Lock()
        return {"lock": lock, "closure": lambda: a, "deep": lambda: lock}.get(a, 1.0)

    space = {"a": ["exit", "base", "fine", "lock", "mute", "fine"]}
    errors = ["SystemExit: 3", "BaseException: all", None, "lock", "Unsayable", None]
    for options in ({}, {"workers": 2}, {"workers": 2, "batch": 1}, {"out": tmp_path}):
        table = pleach.sweep(wild, space, **options)
        assert np.array_equal(table["value"], [np.nan, np.nan, 1, np.nan, np.nan, 1], equal_nan=True)
        found = table["error"].tolist()
        assert "the measure `value` cannot be sent to another process" in found.pop(3) and found == errors[:3] + errors[4:]
    for options in ({}, {"workers": 2}):
        assert pleach.sweep(wild, {"a": ["closure"]}, **options)["value"][0]() == "closure"
    deep = pleach.sweep(wild, {"a": ["deep", "fine"]}, workers=2)
    assert "cannot be sent" in deep["error"][0] and deep["value"][1] == 1


def test_the_user_ends_a_sweep():
    def stopped(seed: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pleach.sweep(stopped)


def test_a_batch_takes_its_resources(two_workers):
    """There is one slot for the two workers: no two batches play at once."""

    def timed(seed: int, a: int) -> dict[str, float]:
        begin = time.time()
        time.sleep(0.05)
        return {"begin": begin, "end": time.time()}

    def overlaps(**options) -> int:
        table = pleach.sweep(timed, {"a": list(range(8))}, workers=2, batch=1, **options)
        order = np.argsort(table["begin"])
        return int((table["begin"][order][1:] < table["end"][order][:-1]).sum())

    assert overlaps(resources={"slot": 1}) == 0 < overlaps(resources={"slot": 0.5})


def test_measures_are_the_same_from_a_file_and_from_memory(tmp_path):
    def measured(seed: int, a: int) -> dict:
        return {"whole": np.int64(a), "is": np.bool_(a > 0), "both": (a, 1), "real": np.float32(0.5)}

    memory = pleach.sweep(measured, {"a": [0, 1]})
    file = pleach.sweep(measured, {"a": [0, 1]}, out=tmp_path / "a")
    for name in ("whole", "is", "both", "real"):
        assert memory[name].dtype == file[name].dtype and memory[name].tolist() == file[name].tolist(), name

    def mixed(seed: int, a: int) -> dict:
        return {"value": [1, "x"]}

    with pytest.raises(pleach.PleachError, match="the rows 0 to .* are no table"):
        pleach.sweep(mixed, {"a": [0, 1]}, out=tmp_path / "b")


def test_a_match_is_not_given_up_for_one_worker(two_workers, tmp_path):
    marker = str(tmp_path / "died")

    def deadly(seed: int, a: int) -> float:
        if a == 2 and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return a * 2.0

    table = pleach.sweep(deadly, {"a": [0, 1, 2, 3]}, workers=2, batch=1)
    assert os.path.exists(marker) and table["value"].tolist() == [0, 2, 4, 6]


def test_a_killed_worker_loses_nothing(two_workers, tmp_path):
    """The first worker that plays row 5 dies in the middle of its batch; so does each that plays a = 13."""
    marker = str(tmp_path / "died")

    def deadly(seed: int, a: int) -> float:
        if a == 5 and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if a == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return a * 2.0

    table = pleach.sweep(deadly, {"a": list(range(16))}, workers=2, batch=8, out=tmp_path / "out")
    assert os.path.exists(marker) and table["row"].tolist() == list(range(16))
    assert np.array_equal(table["value"], [np.nan if it == 13 else it * 2 for it in range(16)], equal_nan=True)
    assert [it is None for it in table["error"]] == [it != 13 for it in range(16)]
    assert table["error"][13].startswith("WorkerDied")


DRIVER = """
import sys, time
import pleach
played, seconds = sys.argv[2], float(sys.argv[3])
def slow(seed, a):
    with open(played, "a") as file:
        file.write(f"{a}\\n")
    time.sleep(seconds)
    return a * 2
options = {"workers": 2, "address": sys.argv[4]} if len(sys.argv) > 4 else {}
print(pleach.sweep(slow, {"a": list(range(60))}, out=sys.argv[1], batch=4, **options)["value"].sum())
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_driver_goes_on(workers, tmp_path, request):
    """By itself, and connected by its address to a Ray that runs already."""
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "out"), str(tmp_path / "played")]
    address = [request.getfixturevalue("two_workers").get_runtime_context().gcs_address] if workers else []
    first = subprocess.Popen([*command, "0.1", *address])
    while len(list((tmp_path / "out").glob("0*.parquet"))) < 3:
        assert first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait(30)
    done = sum(end - begin for begin, end in Parts(tmp_path / "out", _about(tmp_path / "out")).spans())
    assert 12 <= done < 60
    again = [*command, "0", *address]
    ran = subprocess.run(again, capture_output=True, text=True)
    assert ran.stdout == "3540\n", ran.stderr
    played = [int(it) for it in (tmp_path / "played").read_text().split()]
    # Batches that were begun when the driver died: one, or two for each worker.
    begun = 4 * max(1, 2 * workers)
    assert sorted(set(played)) == list(range(60)) and len(played) <= 60 + begun, "what was done is not done again"
    before = len(played)
    subprocess.run([*command, "0"], check=True, capture_output=True)
    assert len((tmp_path / "played").read_text().split()) == before


def _about(folder: Path) -> Any:
    import json

    return json.loads((folder / "sweep.json").read_text())


@pytest.mark.parametrize("workers", [0, 2])
def test_a_full_disk_is_told_and_loses_nothing(workers, tmp_path, request):
    """The system lets this process write files of that number of bytes only: the parts grow beyond that."""
    address = request.getfixturevalue("two_workers").get_runtime_context().gcs_address if workers else ""
    code = """
import random, resource, signal, sys
import pleach
def big(seed, a):
    return {"text": random.Random(seed).randbytes(a * a * 40).hex()}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
options = {}
if sys.argv[3]:
    import ray
    ray.init(address=sys.argv[3], log_to_driver=False, logging_level="error")
    options = {"workers": 2}
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
try:
    print(pleach.sweep(big, {"a": list(range(40))}, out=sys.argv[1], batch=1, **options).rows)
except pleach.SweepError as error:
    print(error)
"""

    def run(disk: str) -> str:
        command = [sys.executable, "-c", code, str(tmp_path), disk, address]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    said = run("full")
    done = len(list(tmp_path.glob("0*.parquet")))
    assert "cannot write" in said and f"{done} matches are done and kept: make room" in said and 0 < done < 40
    assert not list(tmp_path.glob(".*")), "no half of a part is left"
    assert run("free") == "40\n"


def test_a_disk_that_is_full_from_the_start(tmp_path):
    code = """
import resource, signal, sys
import pleach
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
try:
    pleach.sweep(lambda seed: 1.0, out=sys.argv[1])
except pleach.SweepError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], capture_output=True, text=True)
    assert "sweep.json: " in ran.stdout and "0 matches are done and kept: make room" in ran.stdout, ran.stdout + ran.stderr
    (tmp_path / "file").write_text("")
    with pytest.raises(pleach.SweepError, match="cannot make the folder .*; give another one"):
        pleach.sweep(shot, SPACE, out=tmp_path / "file" / "out")


def test_a_match_that_changed_is_another_match(tmp_path):
    path = tmp_path / "game.py"
    call = f"import game, pleach; print(pleach.sweep(game.match, space={{'a': [1, 2]}}, out={str(tmp_path / 'out')!r})['value'].tolist())"

    def run(text):
        path.write_text(text)
        command = [sys.executable, "-B", "-c", call]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run("def match(seed, a):\n    return a * 2\n").stdout == "[2, 4]\n"
    # Moved within its file it is the same match; with different source it is another one.
    assert run("import os\n\n\ndef match(seed, a):\n    return a * 2\n").stdout == "[2, 4]\n"
    assert "with another source of the match" in run("def match(seed, a):\n    return a * 3\n").stderr


def test_what_is_seen_of_a_match():
    class Match:
        def __call__(self, seed: int) -> int:
            return 1

    one, other = (eval(f"lambda seed: seed + {it}", {}) for it in (1, 2))  # without source
    assert code_of(one) == code_of(eval("lambda seed: seed + 1", {})) != code_of(other) != ""
    assert code_of(shot) == code_of(functools.partial(shot, a=1)) != code_of(Match()) != ""
    assert code_of(max) == code_of(np.add) == ""


def test_a_folder_is_of_one_sweep(tmp_path):
    pleach.sweep(shot, SPACE, out=tmp_path)
    for other in ({"repeat": 2}, {"seed": 1}, {"space": {"a": [1], "b": ["x"]}}):
        with pytest.raises(pleach.SweepError, match="another sweep"):
            pleach.sweep(shot, **({"space": SPACE, "out": tmp_path} | other))
    (tmp_path / ".00000000-00000001.parquet.99").write_text("half")
    assert same(pleach.sweep(shot, SPACE, out=tmp_path), pleach.sweep(shot, SPACE))
    assert list(gaps([(2, 4), (6, 7)], 9)) == [(0, 2), (4, 6), (7, 9)] and list(gaps([], 0)) == []


def test_wrong_sweeps():
    for wrong in ({"repeat": 0}, {"workers": -1}, {"batch": 0}, {"space": {"seed": [1]}}, {"space": {"row": [1]}}):
        with pytest.raises(pleach.SweepError):
            pleach.sweep(shot, **({"space": SPACE} | wrong))
    with pytest.raises(pleach.SweepError, match="two trees"):
        pleach.tournament({"guard": "guard.ron"})
    with pytest.raises(pleach.SweepError, match="`winner` is 7"):
        pleach.tournament(["guard.ron", "fighter.ron"], 1, match=lambda seed, red, blue: {"winner": 7})
    with pytest.raises(pleach.SweepError, match="no match ended: the first says KeyError"):
        pleach.tournament(["guard.ron", "fighter.ron"], 1, match=lambda seed, red, blue: {}["none"])


def test_a_share_of_what_is_not_there():
    failed = pleach.sweep(lambda seed, a: {}["none"], {"a": [1, 2]})
    odd = pleach.sweep(lambda seed, a: {"hits": a}, {"a": [1, 2]})
    for ask in (failed.share, failed.plot):
        with pytest.raises(pleach.SweepError, match="no `winner`: .* it has no measures; 2 of 2 matches raised: match 0 says KeyError: 'none'"):
            ask("a")
    with pytest.raises(pleach.SweepError, match="no `winner`: its parameters are `a`, and its measures are `hits`$"):
        odd.plot("a")
    with pytest.raises(pleach.SweepError, match="no `b`: its parameters are `a`"):
        odd.share("b", "hits")
    with pytest.raises(pleach.SweepError, match="`hits` is not a measure from 0 to 1"):
        odd.share("a", "hits")
    with pytest.raises(pleach.SweepError, match="not a measure"):
        pleach.sweep(shot, SPACE).share("a", "name")
    with pytest.raises(pleach.SweepError, match="no `a`"):
        pleach.sweep(shot, []).share("a")


def test_progress_is_told(capsys, two_workers):
    def slow(seed: int, a: int) -> float:
        time.sleep(0.05)
        return 1.0

    for workers in (0, 2):
        pleach.sweep(slow, {"a": list(range(24))}, batch=1, workers=workers, progress=True)
        lines = [it for it in capsys.readouterr().err.split("\r") if it]
        assert lines[-1].startswith("24 of 24 matches") and lines[-1].endswith("\n")
        found = [re.match(r"(\d+) of 24 matches, \d+ a second, \d+ s left", it) for it in lines]
        on_the_way = [int(it[1]) for it in found if it]
        assert on_the_way == sorted(on_the_way) and 0 < on_the_way[0] and on_the_way[-1] < 24


def test_ray_is_not_imported_unless_it_plays():
    code = """
import sys, pleach
pleach.sweep(lambda seed: 1.0, repeat=3)
pleach.tournament(["guard.ron", "fighter.ron"], 1, seconds=1.0)
print([it for it in sys.modules if it.split(".")[0] == "ray"])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def lines_of(plot: pleach.Svg) -> list[tuple[str, ...]]:
    picture = xml.etree.ElementTree.fromstring(str(plot))
    return [tuple(it.get(name, "") for name in ("x1", "y1", "x2", "y2")) for it in picture.findall(".//{*}line")]


def test_shares_have_intervals_and_pictures(tmp_path):
    # Newcombe, Two-sided confidence intervals for the single proportion (1998), table I: 81 of 263,
    # 15 of 148, 0 of 20, 1 of 29.
    for wins, count, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)]:
        assert np.allclose(wilson(wins / count, count)[1:], (low, high), atol=5e-5)
    table = pleach.sweep(shot, SPACE, repeat=200, seed=4)
    share = table.share("a")
    assert share["a"].tolist() == [1, 2, 3] and share["matches"].tolist() == [400] * 3
    assert all((share["low"] < np.array([1, 2, 3]) / 4) & (np.array([1, 2, 3]) / 4 < share["high"]))
    assert table.share("a", by="b").rows == 6
    for plot in (table.plot("a"), table.plot("b"), table.plot("a", by="b", title="<a> & b")):
        picture = xml.etree.ElementTree.fromstring(str(plot))
        assert picture.tag.endswith("svg") and len(picture.findall(".//{*}circle")) >= 2
    # The interval of each value: a line between its ends, and a short one across each.
    lines = lines_of(table.plot("a"))
    for low, high in zip(share["low"], share["high"]):
        foot, top = (f"{344 - it * 304:.1f}" for it in (low, high))
        (middle,) = (x1 for x1, y1, x2, y2 in lines if (y1, y2) == (top, foot) and x1 == x2)
        for end in (top, foot):
            assert (f"{float(middle) - 4:.1f}", end, f"{float(middle) + 4:.1f}", end) in lines
    plot.save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text() == plot._repr_svg_()


def test_ratings_find_known_strengths():
    true = np.array([1700.0, 1500.0, 1400.0, 1400.0])
    chance = 1 / (1 + 10 ** ((true[None, :] - true[:, None]) / 400))
    wins = 100_000 * chance
    np.fill_diagonal(wins, 0)
    assert np.allclose(bradley_terry(wins), true - true.mean() + 1500, atol=0.1)
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(60):
        results = np.zeros((4, 4, 3), dtype=np.int64)
        for a, b in [(a, b) for a in range(4) for b in range(4) if a != b]:
            won = rng.binomial(100, chance[a, b])
            results[a, b] = won, 0, 100 - won
        found = {it.name: it for it in ratings(list("abcd"), results, resamples=200)}
        covered += sum(found[n].low <= t <= found[n].high for n, t in zip("abcd", true - true.mean() + 1500))
    assert covered / 240 > 0.9, "about 95 % of the intervals hold the true strength"
    swept = np.zeros((2, 2, 3), dtype=np.int64)
    swept[0, 1] = 30, 0, 0
    best, worst = ratings(["wins", "loses"], swept)
    assert best.name == "wins" and np.isfinite(best.elo) and best.elo - worst.elo > 400 and best.share == 1.0


def test_a_tournament(tmp_path, capsys):
    result = pleach.tournament(["guard.ron", "fighter.ron"], repeat=4, seconds=20.0, out=tmp_path / "out")
    assert result.matches.rows == 8 and {it.name for it in result.ratings} == {"guard", "fighter"}
    assert "95 % interval" in str(result) and result.plot()._repr_svg_().startswith("<svg")
    # The interval of each rating: a line between its ends, and a short one across each.
    lines = lines_of(result.plot())
    least, most = min(it.low for it in result.ratings), max(it.high for it in result.ratings)
    for number, it in enumerate(result.ratings):
        y = 56 + 28 * number
        low, high = (f"{200 + (end - least) / (most - least) * 360:.1f}" for end in (it.low, it.high))
        assert (low, f"{y:.1f}", high, f"{y:.1f}") in lines
        assert {(end, f"{y - 5:.1f}", end, f"{y + 5:.1f}") for end in (low, high)} < set(lines)
    mine = tmp_path / "mine.ron"
    mine.write_text("Tree(version: 1, root: Idle)")
    arguments = ["tournament", "guard.ron", str(mine), "--repeat", "2", "--seconds", "20", "--svg", str(tmp_path / "r.svg")]
    assert main(arguments) == 0 and "mine" in capsys.readouterr().out and (tmp_path / "r.svg").exists()
    assert tournament(arguments[1:]) == 0 and "mine" in capsys.readouterr().out
    script = Path(sys.executable).with_name("pleach-tournament")
    if script.exists():
        ran = subprocess.run([script, "--help"], capture_output=True, text=True)
        assert ran.returncode == 0 and ran.stdout.startswith("usage: pleach-tournament [-h]")
    mine.write_text("Tree(version: 1, root: Idl)")
    assert main(arguments) == 1 and "mine.ron" in (said := capsys.readouterr().err) and "Idl" in said


def test_a_tournament_says_what_is_wrong_before_its_first_match(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pleach._sweep._players.play", lambda *_: pytest.fail("a match is played"))
    trees = ["guard.ron", "gard.ron"]
    assert main(["tournament", *trees]) == 1
    said = capsys.readouterr().err
    assert "there is no file `gard.ron`" in said and "fighter.ron, guard.ron, heist/sentinel.ron" in said
    with pytest.raises(pleach.SweepError, match="no file `gard.ron`"):
        pleach.tournament(trees)
    with pytest.raises(pleach.PleachError, match="there is no tree `gard.ron`: the arena has fighter.ron, "):
        pleach.tournament({"one": "guard.ron", "two": "gard.ron"})
    for svg in (tmp_path / "none" / "a.svg", tmp_path):
        assert main(["tournament", "guard.ron", "fighter.ron", "--svg", str(svg)]) == 1
        said = capsys.readouterr().err
        assert str(svg) in said and said.count("\n") == 1


def test_all_trees_that_come_with_pleach_are_trees():
    shipped = pleach.arena.shipped()
    assert {"guard.ron", "fighter.ron", "veteran.ron"} < set(shipped) and "guard/fight.ron" not in shipped
    for it in shipped:
        pleach.arena.tree(it)
