"""Trees: loaded, checked, drawn, followed as their files change."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

import pleach
from conftest import World, tree_text


def test_a_tree_says_what_it_has(registry):
    tree = registry.load_str(tree_text('Sequence([Grow(key: "x", to: 3), Wait(1)])'))
    assert (tree.name, len(tree)) == ("t", 3)
    assert tree.keys["x"] == "float" and tree.keys["s"] == "symbol"
    assert tree.events["noise"] == "vec2" and tree.events["bell"] is None
    assert "Grow" in tree.nodes[1] and tree.find("Wait") == 2
    assert "Grow" in tree.text() and tree.dot().startswith("digraph")
    for svg in (tree.svg(), tree._repr_svg_()):
        assert svg.startswith("<svg") and "Grow" in svg
    assert repr(tree) == "<Tree `t` of 3 nodes>"


def test_all_problems_are_told_with_their_places(registry):
    text = 'Tree(\n  version: 1,\n  root: Sequence([\n    Grow(key: "x", to: 3),\n    Gro(key: "x"),\n  ]),\n)'
    with pytest.raises(pleach.PleachError) as caught:
        registry.load_str(text, "guard.ron")
    key, leaf = caught.value.problems
    assert (key.file, key.line, key.column) == ("guard.ron", 4, 15) and key.is_error
    assert re.fullmatch(r"P\d{4}", key.code) and "`x`" in key.message
    assert leaf.line == 5 and "Gro" in leaf.message
    report = str(caught.value)
    assert "guard.ron" in report and "Grow" in report and report.count("\n") > 6
    found = registry.check_str(text, "guard.ron")
    assert not found and found.errors == caught.value.problems and str(found) == report


def test_a_check_warns(registry):
    found = registry.check_str(tree_text('Sequence([Grow(key: "x", to: 3), Wait(-1)])'))
    assert len(found) > 0 and all(not it.is_error for it in found) and found.warnings
    good = 'Tree(version: 1, blackboard: { "x": Float(0) }, root: Grow(key: "x", to: 3))'
    assert registry.check_str(good) and not str(registry.check_str(good))


def test_files_include_each_other(registry, tmp_path):
    part = 'Tree(version: 1, ports: { "it": InOut(Float) }, root: Grow(key: "it", to: 2))'
    whole = 'Tree(version: 1, blackboard: { "x": Float(0) }, root: Subtree("part.ron", { "it": "x" }))'
    (tmp_path / "part.ron").write_text(part)
    (tmp_path / "whole.ron").write_text(whole)
    for tree in (
        registry.load(tmp_path / "whole.ron"),
        registry.load_files("whole.ron", {"part.ron": part, "whole.ron": whole}),
    ):
        assert any("Grow" in it for it in tree.nodes)
    assert registry.check(tmp_path / "whole.ron")
    with pytest.raises(pleach.PleachError, match="part.ron"):
        registry.load_files("whole.ron", {"whole.ron": whole})
    with pytest.raises(pleach.PleachError):
        registry.load(str(tmp_path / "none.ron"))
    with pytest.raises(pleach.PleachError):
        registry.load("/")


def test_a_library_follows_its_files(registry, tmp_path):
    file = tmp_path / "t.ron"
    file.write_text(tree_text('Grow(key: "x", to: 100)'))
    library = pleach.Library(tmp_path, registry)
    forest = pleach.Forest(world=World())
    grown = library.add("t.ron", forest)
    agent = grown.spawn()
    forest.tick(0.1)
    assert library.reload(forest) is None
    file.write_text(tree_text('Grow(key: "x", to: 100, by: 5)'))
    said = library.reload(forest)
    assert said is not None and "t.ron" in said
    forest.tick(0.1)
    assert agent["x"] == 6.0
    file.write_text("Tree(")
    assert "t.ron" in (library.reload(forest) or "")
    forest.tick(0.1)
    assert agent["x"] == 11.0, "the old tree keeps running"
    assert library.check().errors
    with pytest.raises(pleach.PleachError):
        library.load("t.ron")
    with pytest.raises(pleach.PleachError):
        pleach.Library(tmp_path / "nowhere", registry)


def test_a_manifest_describes_the_leaves(registry):
    manifest = registry.manifest()
    assert "Adds to a key until it is large enough." in manifest and '"GrowOne"' in manifest
    assert "Grow" in registry.leaves and repr(registry).startswith("<Registry of")
    with pytest.raises(pleach.PleachError, match="Grow"):
        registry.action("Grow")(lambda context: pleach.Status.SUCCESS)
    with pytest.raises(pleach.PleachError, match="Wait"):
        registry.action("Wait")(lambda context: pleach.Status.SUCCESS)
    with pytest.raises(pleach.PleachError):
        registry.event("noise")
    with pytest.raises(pleach.PleachError, match="`float64` is not a type of keys: these are `bool`, `int`, .* `symbol`"):
        registry.event("other", "float64")


@pytest.mark.skipif("PLEACH" not in os.environ, reason="PLEACH names no program `pleach`")
def test_an_error_is_what_the_program_prints(registry, tmp_path):
    text = 'Tree(\n  version: 1,\n  root: Sequence([\n    Grow(key: "x", to: 3),\n    Gro(key: "x"),\n    Wait("a"),\n  ]),\n)'
    (tmp_path / "guard.ron").write_text(text)
    (tmp_path / "game.leaves").write_text(registry.manifest())
    with pytest.raises(pleach.PleachError) as caught:
        registry.load_str(text, "guard.ron")
    assert len(caught.value.problems) == 3
    command = [os.environ["PLEACH"], "check", "--leaves", "game.leaves", "guard.ron"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 1 and ran.stdout == f"{caught.value}\n\n1 file, 3 errors, 0 warnings\n"
