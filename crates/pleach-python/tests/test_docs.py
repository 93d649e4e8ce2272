"""The listings of the book's page, of the README and of the package run, and their types hold."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pleach

HERE = Path(__file__).parent
PAGES = {"python.md": HERE.parents[2] / "docs/guide/src/python.md", "README.md": HERE.parent / "README.md"}


def listings(page: str) -> str:
    found = re.findall(r"^```python\n(.*?)^```", PAGES[page].read_text(), re.DOTALL | re.MULTILINE)
    assert found
    return "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_the_listings_run(page, tmp_path):
    program = tmp_path / "page.py"
    program.write_text(listings(page))
    ran = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    if page == "python.md":
        for said in ("hear\nHEAR\n", "crier.ron 3 21 P", "raised by the leaf `Divide` for agent", "95 % interval"):
            assert said in ran.stdout, ran.stdout
        assert (tmp_path / "share.svg").exists() and (tmp_path / "ratings.svg").exists()


def test_the_bench_of_leaves_prints_its_row():
    ran = subprocess.run([sys.executable, str(HERE.parent / "benches/leaves.py"), "1"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    rows = [it for it in PAGES["python.md"].read_text().splitlines() if "`python benches/leaves.py`" in it]
    # Everything except the figures.
    printed, *on_the_page = (re.sub(r"-?\d[\d.]*", "N", it.strip()) for it in [ran.stdout, *rows])
    assert on_the_page == [printed]


def test_everything_has_a_description():
    for name in pleach.__all__:
        it = getattr(pleach, name)
        assert getattr(it, "__doc__", None), name
        for part, member in vars(it).items() if isinstance(it, type) else ():
            if not part.startswith("_") and (callable(member) or type(member).__name__ == "getset_descriptor"):
                assert getattr(member, "__doc__", None), f"{name}.{part}"


def test_types_hold(tmp_path):
    """The page's program passes mypy in its strict mode, and the stubs are those of the module."""
    pytest.importorskip("mypy")
    program = tmp_path / "page.py"
    program.write_text(listings("python.md"))
    own = str(HERE.parent / "pyproject.toml")
    # Where the package is if it is not installed.
    environment = os.environ | {"MYPYPATH": os.environ.get("PYTHONPATH", "")}
    for command in (
        ["-m", "mypy", "--config-file", own, "--cache-dir", str(tmp_path), "--disable-error-code", "type-arg", str(program)],
        ["-m", "mypy.stubtest", "--allowlist", str(HERE / "stubtest.allow"), "--mypy-config-file", own, "pleach"],
    ):
        ran = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
