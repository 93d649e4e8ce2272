#!/usr/bin/env python3
"""Plays the heist: once well, to its end, and once badly (dies, pauses, resizes, edits a tree, breaks and deletes files,
changes the crowd from 100 to 100 000, closes in the middle of an edit).

    examples/arena/tests/heist.py [--program target/debug/examples/arena] [--shots folder] [--size 1280x720 ..]

It reads what the window writes with --tell: a line four times a second. It needs what play.py needs; the moving picture
(--only picture) also needs Chromium, and the program `pleach` of the same build.
"""

import argparse
import atexit
import fcntl
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import play
from play import ROOT, Screen, near

# The README shows the picture 850 pixels wide. Below the game is the studio, and the sentinel that it shows.
PICTURE, STUDIO, SHOWN = "850x440", 400, 0
# The change of the tree in the picture.
EDIT = ("speed: 4.6, within: 1.4", "speed: 1.5, within: 1.4")


class Heist(Screen):
    """The heist on a virtual display. The window reports its state."""

    def __init__(self, program, size, shots, *options, **more):
        super().__init__(program, size, shots, "--tell", *options, scene="heist", **more)

    def told(self):
        """The last line that the window wrote, as a map."""
        said = os.pread(self.said.fileno(), 1 << 24, 0)
        lines = [it for it in said.decode(errors="replace").splitlines() if it.startswith("heist ")]
        return dict(it.split("=", 1) for it in lines[-1].split()[1:]) if lines else {}

    def panel(self):
        """What the panel shows, as text: P writes it, between the state lines."""
        before = os.fstat(self.said.fileno()).st_size
        self.key("p")
        text = ""
        for _ in range(20):
            said = os.pread(self.said.fileno(), 1 << 20, before).decode(errors="replace")
            text = "\n".join(it for it in said.splitlines() if not it.startswith("heist "))
            if "\nblackboard" in text:
                break
            time.sleep(0.3)
        return text

    def wait(self, what, test, seconds=60):
        """Waits until the state passes a test."""
        end = time.monotonic() + seconds
        told = {}
        while time.monotonic() < end and self.program.poll() is None:
            told = self.told()
            if told and test(told):
                self.check(what, True)
                return told
            time.sleep(0.3)
        self.check(f"{what}: {told}", False)
        return told

    def go(self, where, gait=None, seconds=60):
        """Goes to a place by clicks; gives up if the thief falls or it takes too long."""
        if gait:
            self.do("keydown", gait, wait=0.1)
        x, y = where
        end, clicked, last = time.monotonic() + seconds, 0.0, None
        told = self.told()
        while time.monotonic() < end:
            told = self.told()
            at = place(told, "at")
            if abs(at[0] - x) < 0.8 and abs(at[1] - y) < 0.8:
                break
            if told.get("stage") in ("Won", "Lost") or told.get("down") == "true":
                break
            # A click is enough, unless it was cut at the edge of the screen or hit an agent.
            if time.monotonic() - clicked > 3.0 or at == last or told.get("chosen") == "true":
                self.walk_to(x, y)
                clicked = time.monotonic()
            last = at
            time.sleep(0.3)
        if gait:
            self.do("keyup", gait, wait=0.1)
        return told

    def walk_to(self, x, y):
        """Clicks a place of the estate, or as far towards it as the screen shows."""
        told = self.told()
        if told.get("chosen") == "true":
            # The last click hit an agent, and the panel covers half of the screen.
            self.key("Escape", wait=0.1)
            told = self.told()
        (cx, cy), scale = place(told, "camera"), float(told["scale"])
        px, py = (x - cx) * scale + self.w / 2, (y - cy) * scale + self.h / 2
        px, py = min(max(px, 20), self.w - 20), min(max(py, 110), self.h - 60)
        self.do("mousemove", int(px), int(py), wait=0.05)
        self.do("mousedown", 1, wait=0.12)
        self.do("mouseup", 1, wait=0.12)


def place(told, name):
    return tuple(float(it) for it in told.get(name, "0,0").split(","))


def well(program, size, shots):
    """Plays to the end: at night, when the boss sleeps."""
    screen = Heist(program, size, shots, "--agents", "100", "--skip", "95")
    w, h = screen.w, screen.h
    first = screen.shot("h1-start")
    gold = near((0xFF, 0xD1, 0x66), 8)
    bar = (w * 0.2, 10, w * 0.8, 110)
    screen.check("the objective is on the screen", first.share(gold, bar) > 0.0015)
    screen.check("it is night", first.light((20, 130, w - 20, h - 60)) < 95)
    told = screen.wait("the window tells how it stands", lambda it: it.get("stage") == "GetIn")
    goals = {name: place(told, name) for name in ("lock", "treasure", "exit")}
    # In by the west gate and the west door, where few guards walk.
    x, y = goals["exit"][0] - 10.5, goals["exit"][1] - 39.5
    way = [(x + 1.5, y + 37), (x + 1.5, y + 19.8), (x + 10, y + 19.8), (x + 17, y + 14), (x + 28, y + 12.8)]
    for attempt in range(3):
        if attempt > 0:
            screen.wait("it starts again", lambda it: it["down"] == "false", 20)
            # They search around the vault for a while.
            time.sleep(20)
        # E is held: it picks the lock, takes and leaves as soon as possible.
        screen.do("keydown", "e", wait=0)
        for by in [*way, (goals["lock"][0], goals["lock"][1] + 1.3)]:
            screen.go(by)
        screen.shot(f"h2-door-{attempt}")
        for _ in range(12):
            if screen.told().get("door") == "open" or screen.told().get("down") == "true":
                break
            time.sleep(0.3)
        if screen.told().get("door") == "open":
            screen.go(goals["treasure"], seconds=10)
            screen.shot(f"h4-bell-{attempt}")
            # Out by the front door, as those who heard the fight come the same way as it did.
            screen.go(goals["exit"], "shift", seconds=30)
            screen.shot(f"h5-out-{attempt}")
        time.sleep(1)
        screen.do("keyup", "e")
        if screen.told().get("stage") in ("Won", "Lost"):
            break
    told = screen.wait("it comes to an end", lambda it: it.get("stage") in ("Won", "Lost"), 20)
    end = screen.shot("h6-end")
    screen.check(f"it is won: {told.get('score')} points", told.get("stage") == "Won" and int(told["score"]) > 0)
    box = (w * 0.35, h * 0.25, w * 0.65, h * 0.75)
    screen.check("the end is told", end.share(lambda it: sum(it) < 150, box) > 0.5)
    screen.key("Return")
    screen.wait("Enter plays again", lambda it: it.get("stage") == "GetIn" and it.get("score") == "0")
    return screen.end()


def caught(program, size, shots):
    """Is struck down three times."""
    screen = Heist(program, size, shots, "--agents", "100")
    told = screen.wait("it begins", lambda it: it.get("stage") == "GetIn")
    lock = place(told, "lock")
    # Runs into the garden by day, and stays there.
    for _ in range(3):
        before = int(screen.told()["lives"])
        screen.go((lock[0], lock[1] + 16.0), "shift", seconds=25)
        screen.shot(f"b1-run-{before}")
        screen.wait("it is struck down", lambda it: int(it["lives"]) < before, 90)
        if screen.told().get("stage") == "Lost":
            break
        screen.wait("it starts again", lambda it: it["down"] == "false", 20)
    screen.wait("the third time it is lost", lambda it: it["stage"] == "Lost", 30)
    screen.shot("b2-lost")
    screen.key("Return")
    screen.wait("and begins anew", lambda it: it["stage"] == "GetIn" and it["lives"] == "3")
    return screen.end()


def badly(program, size, shots, trees):
    """Does everything else wrong."""
    screen = Heist(program, size, shots, "--agents", "100", "--trees", str(trees), folder=trees.parent)
    w, h = screen.w, screen.h
    screen.wait("it begins", lambda it: it.get("stage") == "GetIn")

    screen.key("space")
    still = screen.shot()
    time.sleep(1)
    screen.check("a pause stops the world", screen.shot().differs(still, (0, 120, w, h - 80)) < 0.002)
    screen.key("1")
    panel = screen.panel()
    screen.check("1 looks into a sentinel", panel.startswith("sentinel "))
    screen.shot("b3-panel")
    screen.key("space")
    screen.key("F5", wait=1.0)
    # A machine that is busy takes some seconds to start it.
    for _ in range(30):
        said = os.pread(screen.said.fileno(), 1 << 24, 0)
        if b"http://" in said or not (ROOT / "target/debug/pleach").exists():
            break
        time.sleep(1)
    screen.check("F5 opens the studio on the game, or says how", b"http://" in said or not (ROOT / "target/debug/pleach").exists())
    screen.shot("b3-studio")
    sentinel = trees / "heist" / "sentinel.ron"
    good = sentinel.read_text()
    sentinel.write_text(good.replace("Wait(0.8)", "Wait(0.3)"))
    time.sleep(2)
    screen.shot("b4-edited")
    screen.check("an edit is unfolded and marked", any("0.3 s" in it and "< edited" in it for it in screen.panel().splitlines()))
    report = near(play.REPORT)
    sentinel.write_text(good.replace("Check(\"sees_player\")", "Check(\"sees_plaver\")"))
    screen.until("a broken tree is reported", lambda it: it.share(report, (0, 60, w, h * 0.7)) > 0.02)
    screen.shot("b5-broken")
    fight = trees / "heist" / "sentinel" / "fight.ron"
    kept = fight.read_text()
    fight.unlink()
    time.sleep(1.5)
    screen.check("it lives on without a file", screen.program.poll() is None)
    screen.shot("b6-deleted")
    fight.write_text(kept)
    sentinel.write_text(good)
    screen.until("the report goes when all is mended", lambda it: it.share(report, (0, 60, w, h * 0.7)) < 0.003)
    screen.key("Escape")
    # No room for the last minute: as on a full disk, a write fails in the middle of the file. The limit holds for what the
    # window writes to its output, too, so that begins again at nothing.
    told = screen.said.fileno()
    fcntl.fcntl(told, fcntl.F_SETFL, fcntl.fcntl(told, fcntl.F_GETFL) | os.O_APPEND)
    os.ftruncate(told, 0)
    room = 1 << 14
    _, most = resource.prlimit(screen.program.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    screen.key("F9")
    words, below = near(play.BAD), (w * 0.2, h * 0.92, w * 0.8, h)
    screen.until("it says that there is no room", lambda it: it.share(words, below) > 0.0002)
    screen.shot("b6-no-room")
    screen.check("and leaves no half of a file", not list(trees.parent.glob("arena-*.rec")))
    resource.prlimit(screen.program.pid, resource.RLIMIT_FSIZE, (most, most))
    screen.key("F9")
    screen.check("with room it is there", len(list(trees.parent.glob("arena-*.rec"))) == 1)

    before = screen.told()["agents"]
    screen.key("plus", wait=4.0)
    screen.check("one + only asks", screen.told()["agents"] == before)
    screen.key("1", wait=2.0)
    screen.key("r", wait=2.0)
    screen.check("one R only asks", screen.told()["chosen"] == "true")
    screen.shot("b6-asked")

    def crowd(key, agents):
        """The first press asks, the second begins. A key that a slow frame misses is pressed again."""
        for _ in range(4):
            screen.key(key, wait=0.8)
            screen.key(key)
            end = time.monotonic() + 30
            while time.monotonic() < end and int(screen.told()["agents"]) != agents:
                time.sleep(0.3)
            if int(screen.told()["agents"]) == agents:
                break
        screen.check(f"a crowd of {agents}", int(screen.told()["agents"]) == agents)

    for agents in [500, 2_000, 10_000, 50_000, 100_000]:
        crowd("plus", agents)
    screen.shot("b7-crowd")
    for _ in range(8):
        screen.click(w * 0.4, h * 0.4, button=5, wait=0.1)
    screen.shot("b8-far")
    for agents in [50_000, 10_000, 2_000, 500, 100]:
        crowd("minus", agents)
    found = screen.window()
    for side in [(1, 1), (300, 150), (640, 360), (w, h)]:
        screen.do("windowsize", found[0], *side, wait=0.8)
    screen.check("it lives when it is resized, to 1x1 too", screen.program.poll() is None)
    # The window closes while half a file is written.
    sentinel.write_text(good[: len(good) // 2])
    return screen.end()


def studio(screen, pleach, folder):
    """Opens the studio below the game."""
    game, scale = screen.window()[0], 0.85
    server = subprocess.Popen([pleach, "studio", "--no-open"], stdout=subprocess.PIPE, text=True)
    atexit.register(server.kill)
    address = re.sub("\x1b[^m]*m", "", server.stdout.readline().strip())
    browser = subprocess.Popen(
        ["chromium", "--no-sandbox", "--test-type", "--no-first-run", "--disable-gpu", "--force-dark-mode",
         f"--force-device-scale-factor={scale}", f"--window-position=0,{screen.h / scale:.0f}",
         f"--window-size={screen.w / scale:.0f},{STUDIO / scale:.0f}", f"--user-data-dir={folder / 'chromium'}",
         f"--app={address}&agent={SHOWN}"],
        env=screen.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(browser.kill)
    time.sleep(12)
    # Typed keys go to the game.
    screen.do("windowfocus", game)


def picture(program, shots, trees):
    """The moving picture of the README, 30 frames a second of the game: the thief comes into the garden, a guard notices
    and hunts, and an edit of its tree makes it slow while the game runs. The studio shows what the guard does."""
    shown, frames, slower = shots / "Xvfb_screen0", 330, 8
    # The display keeps its picture in a file: copying that costs the program no time.
    screen = Heist(program, PICTURE, shots, "--agents", "100", "--trees", str(trees), "--listen", folder=trees.parent,
                   below=STUDIO, server=("-fbdir", str(shots)))
    told = screen.wait("it begins", lambda it: it.get("stage") == "GetIn")
    screen.key("space")
    studio(screen, Path(program).resolve().parents[1] / "pleach", trees.parent)
    screen.key("space")
    x, y = place(told, "exit")
    fight = trees / "heist" / "sentinel" / "fight.ron"
    screen.key(*["bracketleft"] * int(math.log2(slower)))
    began = time.monotonic()

    def walk(x, y):
        """Walks, and looks into the nearest sentinel, while the world stands."""
        nonlocal began
        stood = time.monotonic()
        screen.key("space")
        screen.walk_to(x, y)
        screen.key("space")
        screen.do("mousemove", screen.w - 1, screen.h - 1, wait=0)
        began += time.monotonic() - stood

    for frame in range(frames):
        if frame == 0:
            walk(x + 6.0, y - 6.0)
        elif frame == 170:
            fight.write_text(fight.read_text().replace(*EDIT))
        elif frame == 200:
            walk(x + 1.0, y - 1.0)
        time.sleep(max(0, began + frame * slower / 30 - time.monotonic()))
        shutil.copyfile(shown, shots / f"picture-{frame:03}.xwd")
    for it in sorted(shots.glob("picture-*.xwd")):
        subprocess.run(["convert", f"xwd:{it}", str(it.with_suffix(".png"))], check=True)
    pictures = [str(it) for it in sorted(shots.glob("picture-*.png"))]
    subprocess.run(["img2webp", "-loop", "0", "-lossy", "-q", "45", "-m", "4", "-d", "33", *pictures, "-o",
                    str(ROOT / "docs/arena.webp")], check=True, stdout=subprocess.DEVNULL)
    return screen.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "target/debug/examples/arena"))
    parser.add_argument("--shots", type=Path, help="where to put the screenshots")
    parser.add_argument("--size", nargs="*", default=["1280x720", "1920x1080"], help="where it is played to its end")
    parser.add_argument("--only", choices=["well", "badly", "picture"], help="play only so; write docs/arena.webp")
    args = parser.parse_args()
    play.install()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        shots = args.shots or Path(folder) / "shots"
        shots.mkdir(parents=True, exist_ok=True)
        if args.only in (None, "well"):
            for size in args.size:
                faults += well(args.program, size, shots)
        trees = Path(folder) / "trees"
        shutil.copytree(ROOT / "trees", trees, ignore=shutil.ignore_patterns("conformance"))
        if args.only in (None, "badly"):
            # They mostly wait.
            with ThreadPoolExecutor() as pool:
                for part in [pool.submit(caught, args.program, args.size[0], shots),
                             pool.submit(badly, args.program, args.size[0], shots, trees)]:
                    faults += part.result()
        if args.only == "picture":
            faults += picture(args.program, shots, trees)
    print("all is as it should be" if not faults else f"{len(faults)} faults: {', '.join(faults)}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
