"""Recordings: played again without leaves, with what the live agents said."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import pleach
from conftest import World, make_registry, tree_text

ROOT = (
    'Selector([Sequence(abort: Both, children: [Watched(key: "n", than: 2), Idle(name: "rest")]), '
    'Sequence([Grow(key: "x", to: {to}), GrowOne(key: "y", to: 4), Wait(0.3)])])'
)
KEYS = '"x": Float(0), "y": Float(0), "n": Float(0)'


def root(to: float = 5) -> str:
    return tree_text(ROOT.replace("{to}", str(to)), KEYS)


def played(forest: pleach.Forest, people: pleach.Population, frames: int) -> dict[int, dict[int, str]]:
    """Ticks, disturbs some agents, and returns what the agents said after each frame."""
    said = {}
    for frame in range(frames):
        if frame % 7 == 3:
            people["n"] = np.arange(len(people)) % 5 * 1.0
        forest.tick(0.1)
        # A replay does not know whether an agent slept.
        agents = [forest.agent(int(it)) for it in people.agents]
        said[frame + 1] = {it.id: it.explain().replace("asleep", "active") for it in agents}
    return said


@pytest.fixture
def game(registry):
    forest = pleach.Forest(seed=7, world=World())
    people = forest.add(registry.load_str(root(), "people.ron"))
    return forest, people


def test_a_replay_says_what_the_forest_said(game, registry):
    forest, people = game
    recording = forest.record()
    people.spawn_many(40)
    said = played(forest, people, 30)
    assert len(recording) == 30 and recording.size > 100 and not recording.ended
    replay = pleach.Replay.open(recording.to_bytes(), registry)
    assert (len(replay), replay.played, replay.complete_after, replay.keys_every) == (30, 0, 0, 0)
    forest.world.lines.clear()
    for frame in (1, 12, 30, 5, 17):
        replay.seek(frame)
        assert (replay.played, replay.frame) == (frame, frame) and replay.time == pytest.approx(frame / 10)
        assert {int(it): replay.explain(int(it)) for it in replay.agents} == said[frame]
    assert replay.check() == [] and replay.played == 17
    assert replay.step() and replay.played == 18
    replay.seek(30)
    assert not replay.step()
    for it in people.agents[:9]:
        live = forest.agent(int(it))
        assert replay.current(live.id) == live.current and replay.why_not(live.id, "rest") == live.why_not("rest")
        assert "Grow" in replay.text(live.id)
    assert forest.world.lines == []


def test_a_recording_needs_no_registry(game):
    forest, people = game
    recording = forest.record(keys_every=1)
    people.spawn_many(40)
    played(forest, people, 20)
    recording.end()
    forest.tick(0.1)
    assert recording.ended and len(recording) == 20
    replay = pleach.Replay.open(recording.to_bytes())
    assert set(replay.files) == {"people.ron", "python.leaves"} and replay.keys_every == 1
    assert replay.check() == []
    replay.seek(20)
    assert len(replay.agents) == 40 and replay.current(int(people.agents[4]))[0].startswith("n3 Idle")
    assert replay.get(int(people.agents[0]), "y") > 0


def test_a_recording_outlives_its_forest(registry, tmp_path):
    forest = pleach.Forest(world=World())
    with forest.record() as recording:
        forest.add(registry.load_str(root(), "people.ron")).spawn()
        forest.tick(0.1)
        other = forest.record()
        assert recording.ended
        forest.tick(0.1)
    del forest
    recording.save(tmp_path / "one.plr")
    assert (len(recording), len(other)) == (1, 1) and repr(other).startswith("<Recording of 1 frames")
    assert len(pleach.Replay.open(tmp_path / "one.plr")) == len(pleach.Replay.open(str(tmp_path / "one.plr"))) == 1


def test_the_last_seconds(game):
    forest, people = game
    whole, short = forest.record(), None
    people.spawn_many(5)
    played(forest, people, 10)
    short = forest.record(last_seconds=1, max_bytes=1 << 20)
    said = played(forest, people, 100)
    assert len(whole) == 10 and 10 <= len(short) < 60 and short.complete_seconds >= 1
    replay = pleach.Replay.open(short.to_bytes(), make_registry())
    assert replay.complete_after <= len(replay)
    replay.seek(len(replay))
    assert {int(it): replay.explain(int(it)) for it in replay.agents} == said[100]


@pytest.mark.parametrize("with_registry", [True, False])
def test_a_reload_is_part_of_the_recording(registry, tmp_path, with_registry):
    (tmp_path / "people.ron").write_text(root())
    library = pleach.Library(tmp_path, registry)
    forest = pleach.Forest(seed=3, world=World())
    people = library.add("people.ron", forest)
    people.spawn_many(20)
    forest.record_trace()
    recording = forest.record()
    said = played(forest, people, 10)
    (tmp_path / "people.ron").write_text(root(50))
    assert "20 agents kept running" in library.reload(forest)
    said |= {10 + frame: it for frame, it in played(forest, people, 10).items()}
    (tmp_path / "people.ron").write_text("Tree(")
    assert "people.ron" in library.reload(forest)
    said |= {20 + frame: it for frame, it in played(forest, people, 5).items()}
    (tmp_path / "people.ron").write_text(tree_text('Wait(seconds: 2, name: "new")', KEYS))
    assert "20 restarted" in library.reload(forest)
    forest.tick(0.1)
    assert "aborted" in set(pleach.trace(forest)["event"])
    replay = pleach.Replay.open(recording.to_bytes(), registry if with_registry else None)
    assert replay.check() == []
    for frame in (4, 10, 11, 20, 25):
        replay.seek(frame)
        if with_registry:
            assert {int(it): replay.explain(int(it)) for it in replay.agents} == said[frame]
    replay.seek(26)
    assert replay.current(int(people.agents[0])) == people_current(forest, people) != []


def people_current(forest: pleach.Forest, people: pleach.Population) -> list[str]:
    return forest.agent(int(people.agents[0])).current


@pytest.mark.parametrize("with_registry", [True, False])
def test_each_version_is_that_of_its_file(registry, tmp_path, with_registry):
    """Changes of other files are no versions of a tree, and a version may come again."""

    def waits(seconds: float) -> str:
        return tree_text(f"Wait({seconds})", KEYS)

    for name in ("one.ron", "two.ron"):
        (tmp_path / name).write_text(waits(1).replace('"t"', f'"{name[:3]}"'))
    library = pleach.Library(tmp_path, registry)
    forest = pleach.Forest()
    one, _ = (library.add(name, forest) for name in ("one.ron", "two.ron"))
    agent = one.spawn().id
    recording = forest.record()
    said = []
    for name, seconds in [("two", 7), ("two", 8), ("one", 50), ("two", 9), ("one", 60), ("one", 50)]:
        forest.tick(0.1)
        (tmp_path / f"{name}.ron").write_text(waits(seconds).replace('"t"', f'"{name}"'))
        assert library.reload(forest)
        said.append(forest.agent(agent).current)
    forest.tick(0.1)
    assert "50" in said[-1][0] and "60" in said[-2][0]
    replay = pleach.Replay.open(recording.to_bytes(), registry if with_registry else None)
    assert replay.check() == []
    for frame, current in enumerate(said, 2):
        replay.seek(frame)
        assert replay.current(agent) == current


def test_a_replaced_tree_is_in_the_recording(game, registry):
    forest, people = game
    people.spawn_many(3)
    recording = forest.record()
    forest.tick(0.1)
    people.replace(registry.load_str(root(50), "people.ron"))
    forest.tick(0.1)
    forest.add(people.tree)
    replay = pleach.Replay.open(recording.to_bytes(), registry)
    assert replay.check() == [] and replay.files["people.ron"] == root(50)


def test_bytes_that_are_no_recording(game, tmp_path):
    forest, people = game
    recording = forest.record()
    people.spawn_many(10)
    played(forest, people, 20)
    good = recording.to_bytes()
    for bad in (b"", b"Tree(version: 1)", forest.save(), good[:6], good[:40], b"x" + good):
        with pytest.raises(pleach.PleachError):
            pleach.Replay.open(bad)
    for end in (len(good) - 1, len(good) - len(good) // 10, len(good) - 60):
        with pytest.raises(pleach.PleachError, match="cut off|damaged"):
            pleach.Replay.open(good[:end]).check()
    # Any changed byte is an error or a difference, and never a crash.
    for at in range(0, len(good), max(1, len(good) // 300)):
        try:
            pleach.Replay.open(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :]).check()
        except pleach.PleachError:
            pass
    with pytest.raises(pleach.PleachError, match="nothing.plr"):
        pleach.Replay.open(tmp_path / "nothing.plr")
    with pytest.raises(TypeError):
        pleach.Replay.open(3)
    with pytest.raises(pleach.PleachError):
        pleach.Replay.open(good, pleach.Registry())
    replay = pleach.Replay.open(good)
    with pytest.raises(pleach.PleachError, match="no agent|gone|stale|Agent"):
        replay.explain(int(people.agents[0]))


def test_what_a_recording_refuses(game, tmp_path):
    forest, people = game
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="last_seconds"):
            forest.record(last_seconds=seconds)
    recording = forest.record()
    people.spawn()
    forest.tick(0.1)
    if os.path.exists("/dev/full"):
        with pytest.raises(pleach.PleachError, match="/dev/full.*No space left"):
            recording.save("/dev/full")
    with pytest.raises(pleach.PleachError, match="no-folder"):
        recording.save(tmp_path / "no-folder" / "a.plr")
    # The recording goes on after that.
    forest.tick(0.1)
    assert len(recording) == 2


def test_a_recording_cannot_be_read_during_a_call(registry, tmp_path):
    """Not by a leaf, and not by another thread."""
    told = []

    def ask():
        for read in (recording.to_bytes, lambda: recording.save(tmp_path / "a.plr")):
            with pytest.raises(pleach.PleachError, match="in a call of its forest or brain: use it after the call"):
                read()
        told.append(repr(recording))

    def leaf(batch):
        ask()
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        return pleach.Status.RUNNING

    forest = pleach.Forest(world=leaf)
    recording = forest.record()
    forest.add(registry.load_str(tree_text("Calls"))).spawn()
    forest.tick(0.1)
    assert told == ["<Recording in a call>"] * 2 and len(recording) == 1


@pytest.mark.skipif("PLEACH" not in os.environ, reason="PLEACH names no program `pleach`")
def test_the_tools_read_it(game, tmp_path):
    forest, people = game
    recording = forest.record()
    people.spawn_many(10)
    played(forest, people, 20)
    recording.save(tmp_path / "game.plr")
    ran = subprocess.run([Path(os.environ["PLEACH"]), "replay", "game.plr"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and "divergences   none" in ran.stdout, ran.stdout + ran.stderr


def packed(content: bytes) -> bytes:
    """A list of bytes as a recording has it: its length in LEB128, and the bytes."""
    length, rest = b"", len(content)
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return length + bytes([rest]) + content


@pytest.mark.skipif("PLEACH" not in os.environ, reason="PLEACH names no program `pleach`")
def test_baked_trees_are_played(game, registry, tmp_path):
    forest, people = game
    recording = forest.record()
    people.spawn_many(10)
    played(forest, people, 20)
    (tmp_path / "people.ron").write_text(root())
    (tmp_path / "game.leaves").write_text(registry.manifest())
    bake = [os.environ["PLEACH"], "bake", "people.ron", "--leaves", "game.leaves", "--into", "baked"]
    subprocess.run(bake, cwd=tmp_path, check=True, capture_output=True)
    baked = (tmp_path / "baked" / "people.baked").read_bytes()

    # The same recording by a game that ships the baked tree, and has no text of it.
    good = recording.to_bytes()
    end = 20 + int.from_bytes(good[12:20], "little")
    header, frames = good[20:end], good[end:]
    text = packed(root().encode())
    assert header.count(text) == 1

    def with_tree(content: bytes) -> bytes:
        other = header.replace(text, packed(content))
        return good[:12] + len(other).to_bytes(8, "little") + other + frames

    replay = pleach.Replay.open(with_tree(baked))
    assert replay.check() == [] and replay.files["people.ron"] == baked
    replay.seek(20)
    assert len(replay.agents) == 10 and replay.current(int(people.agents[4]))[0].startswith("n3 Idle")
    with pytest.raises(pleach.PleachError, match="`people.ron` is damaged"):
        pleach.Replay.open(with_tree(baked[:-9]))

    # Files that make no tree are kept as they are.
    recording.add_file("people.baked", baked)
    recording.add_file("notes.txt", "for people")
    replay = pleach.Replay.open(recording.to_bytes())
    assert replay.check() == [] and replay.files["people.baked"] == baked and replay.files["notes.txt"] == "for people"
    with pytest.raises(TypeError):
        recording.add_file("people.baked", 3)
