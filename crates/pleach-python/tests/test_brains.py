"""Brains: single agents without a forest, and the boards that they share."""

from __future__ import annotations

import gc
import weakref

import pytest

import pleach
from conftest import World, tree_text


def brain(registry, root: str, world=None, more: str = "", **options) -> pleach.Brain:
    world = World() if world is None else world
    return pleach.Brain(registry.load_str(tree_text(root, more=more)), 7, world, **options)


def test_a_brain_and_its_life(registry):
    one = brain(registry, 'Sequence([GrowOne(key: "x", to: 3), Grow(key: "x", to: 2), Wait(1)])', entity=4)
    assert (one.entity, one.label, one.time, one.phase, one.outcome) == (4, None, 0.0, "active", None)
    one.entity, one.label = 5, "Ann"
    assert (one.entity, one.label, repr(one)) == (5, "Ann", "<Brain of `t` at 0.000 s>")
    report = one.tick(0.1)
    assert report.outcome is None and one.current == ['n1 GrowOne(key: "x", to: 3)'] and one["x"] == 1.0
    assert "GrowOne" in one.explain() and "n3" in one.why_not("Wait") and one.text().count("▶") == 1
    assert one._repr_svg_().startswith("<svg") and one.world.lines == [("start", one.id)]
    one["x"] = 10
    assert one.tick(0.1).outcome is None and one.is_active("Wait") and not one.is_active("Grow")
    one.pause()
    assert one.phase == "paused"
    one.unpause()
    one.set_once(True)
    assert one.tick(2).outcome == one.outcome == "success" and one.phase == "off" and one.explain().endswith("off")
    one.enable()
    one.restart()
    one.tick(0.1)
    one.disable()
    assert one.phase == "off" and one.time == pytest.approx(2.3)
    assert brain(registry, "Idle", enabled=False).phase == "off"
    assert brain(registry, "Fail", once=True).tick(0.1).outcome == "failure"


def test_a_brain_does_what_an_agent_does(registry):
    root = 'Selector([Sequence(abort: Both, children: [Watched(key: "x", than: 4), Wait(0.2)]), Grow(key: "x", to: 9), Idle])'
    one = brain(registry, root)
    forest = pleach.Forest(7, World())
    agent = forest.add(registry.load_str(tree_text(root))).spawn()
    for it in (one, forest):
        it.record_trace()
        it.record_coverage()
    for _ in range(20):
        one.tick(0.1)
        forest.tick(0.1)
        assert one.current == agent.current and one["x"] == agent["x"]
    traces = [pleach.trace(one), pleach.trace(forest)]
    assert traces[0].rows == traces[1].rows > 20 and traces[0]["event"].tolist() == traces[1]["event"].tolist()
    counts = [pleach.coverage(it) for it in (one, forest)]
    assert counts[0]["started"].tolist() == counts[1]["started"].tolist() and counts[0]["aborted"].sum() > 0


def test_events_slots_and_what_a_brain_says(registry):
    text = (
        'Tree(version: 1, name: "t", blackboard: { "place": Vec2(0, 0) }, root: Selector([Sequence(abort: LowerPriority, '
        'children: [OnEvent(event: "noise", into: "place"), Log("went to {place}"), Emit("bell"), Wait(1)]), '
        'Slot(name: "way", trees: ["a.ron", "b.ron"], initial: "a")]))'
    )
    files = {"t.ron": text, "a.ron": "Tree(version: 1, root: Idle)", "b.ron": "Tree(version: 1, root: Idle)"}
    one = pleach.Brain(registry.load_files("t.ron", files))
    assert one.fill("way", "b") and not one.fill("way", "b")
    one.tick(0.1)
    one.send("noise", (1, 2))
    report = one.tick(0.1)
    assert one["place"] == (1.0, 2.0) and [it[1].name for it in report.emitted] == ["bell"]
    assert [it[2] for it in report.logged] and one.tick(0.1).emitted == []
    with pytest.raises(pleach.PleachError, match="nose"):
        one.send("nose")
    with pytest.raises(pleach.PleachError):
        one.fill("way", "c")


def test_leaves_of_a_brain_that_raise(registry):
    one = brain(registry, 'Sequence([Raises(key: "x"), Idle])')
    one["x"] = 1
    with pytest.raises(RuntimeError) as raised:
        one.tick(0.1)
    assert "raised by the leaf `Raises`" in raised.value.__notes__[0] and "tree `t`" in raised.value.__notes__[0]
    one["x"] = 0
    one.tick(0.1)
    assert one.is_active("Idle")

    def call(context):
        other.tick(0.1)
        one.tick(0.1)

    other = brain(registry, "Idle")
    one = brain(registry, "CallsOne", call)
    with pytest.raises(pleach.PleachError, match="this brain is in a call"):
        one.tick(0.1)
    assert other.time == pytest.approx(0.1)
    for bad in (float("nan"), -1):
        with pytest.raises(pleach.PleachError):
            one.tick(bad)


def test_saves_and_snapshots_of_a_brain(registry):
    root = 'Sequence([Wait(1), GrowOne(key: "x", to: 3)])'
    one, other = brain(registry, root), brain(registry, root)
    one.tick(0.5)
    one["x"], one["s"] = 2, "alert"
    save, snapshot = one.save(), one.snapshot()
    one.tick(0.6), one.tick(0.1)
    other.restore(save)
    other.tick(1.1)
    other.tick(0.1)
    assert other["s"] == "alert" and other["x"] > 2
    one.rollback(snapshot)
    assert snapshot.time == one.time == 0.5 and one.is_active("Wait") and one["x"] == 2.0
    for bad in (b"", b"abc", save[:-3]):
        with pytest.raises(pleach.PleachError):
            other.restore(bad)
    with pytest.raises(pleach.PleachError):
        brain(registry, "Idle").rollback(snapshot)


def test_a_recording_of_a_brain(registry):
    one = brain(registry, 'Sequence([Grow(key: "x", to: 5), GrowOne(key: "x", to: 9), Wait(1)])')
    recording = one.record(keys_every=1)
    said = []
    for _ in range(20):
        one.tick(0.1)
        said.append(one.explain().replace("asleep", "active"))
    replay = pleach.Replay.open(recording.to_bytes(), registry)
    assert len(replay) == 20 and replay.check() == [] and pleach.Replay.open(recording.to_bytes()).check() == []
    for frame in (1, 20, 8):
        replay.seek(frame)
        assert replay.explain(one.id) == said[frame - 1]
    recording.end()
    one.tick(0.1)
    assert len(recording) == 20


def test_a_brain_takes_new_trees(registry, tmp_path):
    def write(text):
        (tmp_path / "t.ron").write_text(text)

    write(tree_text('Sequence([Wait(1), Idle(name: "rest")])'))
    library = pleach.Library(tmp_path, registry)
    one = pleach.Brain(library.load("t.ron"))
    recording = one.record()
    one.tick(0.5)
    assert library.poll() == ({}, pleach.Report(""))
    write(tree_text('Sequence([Wait(1), Idle(name: "work")])'))
    new, report = library.poll()
    assert report and "1 agent kept running" in one.replace(new["t.ron"])
    one.tick(1.1)
    assert one.current == ['n2 Idle "work"'] and one.tree.nodes == new["t.ron"].nodes
    write("Tree(")
    new, report = library.poll()
    assert not new and not report and report.problems[0].line == 1
    replay = pleach.Replay.open(recording.to_bytes(), registry)
    assert replay.check() == []
    replay.seek(2)
    assert replay.current(one.id) == one.current


def test_boards(registry):
    more = 'group: { "plan": Int(0), "mood": Symbol("calm", ["calm", "angry"]) }, global: { "night": Bool(false) },'
    one, two = (brain(registry, "Idle", more=more) for _ in range(2))
    squad, world = pleach.Board.of_group(one.tree), pleach.Board.of_globals(one.tree)
    for it in (one, two):
        it.share(squad)
        it.share(world)
    one["group.plan"], one["global.night"] = 3, True
    assert (squad["plan"], two["group.plan"], two["global.night"], world["night"]) == (3, 3, True, True)
    squad["mood"] = "angry"
    assert one["group.mood"] == squad["mood"] == "angry"
    save = squad.save()
    squad["plan"] = 9
    squad.restore(save)
    assert two["group.plan"] == 3
    for bad in (b"", b"xyz", world.save()):
        with pytest.raises(pleach.PleachError):
            squad.restore(bad)
    with pytest.raises(pleach.PleachError):
        squad["night"]
    with pytest.raises(TypeError):
        squad["plan"] = "x"
    other = 'group: { "plan": Float(0), "mood": Symbol("calm", ["calm", "angry"]) },'
    with pytest.raises(pleach.PleachError, match="plan"):
        brain(registry, "Idle", more=other).share(squad)
    new = registry.load_str(tree_text("Idle", more=other))
    one.replace(new), two.replace(new)
    with pytest.raises(pleach.PleachError, match="plan"):
        one.tick(0.1)
    squad.follow(new)
    one.tick(0.1)
    assert squad["plan"] == 0.0 and squad["mood"] == "angry"


def test_a_board_in_a_call(registry):
    def call(batch):
        with pytest.raises(pleach.PleachError, match="this board is in a call"):
            squad["plan"]
        return pleach.Status.SUCCESS

    one = brain(registry, "Calls", call, more='group: { "plan": Int(0) },')
    squad = pleach.Board.of_group(one.tree)
    one.share(squad)
    one.tick(0.1)


def test_a_brain_that_its_world_holds_is_garbage(registry):
    world = World()
    world.brain = brain(registry, "Idle", world)
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("of", [pleach.Brain, pleach.Board, pleach.Recording, pleach.Replay])
def test_what_cannot_be_pickled(registry, of):
    import pickle

    one = brain(registry, "Idle", more='group: { "plan": Int(0) },')
    recording = one.record()
    all = [one, pleach.Board.of_group(one.tree), recording, pleach.Replay.open(recording.to_bytes(), registry)]
    it = next(it for it in all if type(it) is of)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(it)
