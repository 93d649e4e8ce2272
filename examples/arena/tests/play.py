#!/usr/bin/env python3
"""Plays the arena: starts it on a virtual display, presses keys and clicks, and looks at the screen for
what has to be there; at a second size it only looks.

    examples/arena/tests/play.py [--program target/debug/examples/arena] [--shots folder]

It needs Xvfb, xdotool, ImageMagick and openbox, and installs them with apt-get if they are missing and it may.
"""

import argparse
import atexit
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TOOLS = {"Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick", "openbox": "openbox",
         "xprop": "x11-utils"}
# Frames a second. Without a graphics card each takes as much processor as there is.
FPS = 15
LIBRARIES = ["libgl1", "libgl1-mesa-dri", "libx11-6", "libxi6", "libxkbcommon0"]
# Colours of the window's palette.
REPORT, BAD = (0x3A, 0x14, 0x1C), (0xFF, 0x6B, 0x6B)
# Agents that patrol, help, fight.
BODIES = {(0x5F, 0xB3, 0xA1), (0xFF, 0x9F, 0x43), (0xF0, 0x4E, 0x4E)}


def install():
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        run = ["apt-get", "install", "-y", "--no-install-recommends", *missing, *LIBRARIES]
        print("installing", *missing)
        subprocess.run(["apt-get", "update"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)


class Picture:
    """A screenshot: its size and its pixels, three bytes each."""

    def __init__(self, data):
        fields, at = [], 0
        while len(fields) < 4:
            end = at
            while data[end : end + 1] not in (b" ", b"\n"):
                end += 1
            fields.append(data[at:end])
            at = end + 1
        assert fields[0] == b"P6" and fields[3] == b"255", fields
        self.w, self.h, self.data = int(fields[1]), int(fields[2]), data[at:]

    def pixel(self, x, y):
        at = (y * self.w + x) * 3
        return tuple(self.data[at : at + 3])

    def pixels(self, box=None, step=2):
        x0, y0, x1, y1 = box or (0, 0, self.w, self.h)
        return [self.pixel(x, y) for y in range(int(y0), int(y1), step) for x in range(int(x0), int(x1), step)]

    def find(self, colours, box):
        """The middle of the first disk, some pixels wide, of one of these colours."""
        x0, y0, x1, y1 = (int(it) for it in box)
        for y in range(y0, y1, 2):
            for x in range(x0, x1, 2):
                if self.pixel(x, y) in colours and all(
                    self.pixel(x + dx, y + dy) in colours for dx, dy in ((-2, 2), (2, 2), (0, 4))
                ):
                    return x, y + 2
        return None

    def colours(self, box=None):
        return len(set(self.pixels(box)))

    def share(self, wanted, box=None):
        pixels = self.pixels(box)
        return sum(1 for it in pixels if wanted(it)) / max(1, len(pixels))

    def light(self, box=None):
        pixels = self.pixels(box, 4)
        return sum(sum(it) for it in pixels) / (3 * max(1, len(pixels)))

    def differs(self, other, box=None):
        a, b = self.pixels(box), other.pixels(box)
        return sum(1 for p, q in zip(a, b) if sum(abs(u - v) for u, v in zip(p, q)) > 24) / max(1, len(a))


def near(colour, reach=12):
    return lambda it: all(abs(a - b) <= reach for a, b in zip(it, colour))


class Screen:
    """A virtual display with the program on it."""

    def __init__(self, program, size, shots, *options, manager=None, around=0, below=0, seed=7, server=(),
                 folder=None, scene="camps", dpi=None):
        self.size, self.shots, self.faults = size, shots, []
        self.w, self.h = (int(it) for it in size.split("x"))
        root = f"{self.w + around}x{self.h + around + below}"
        # With this option the display keeps its settings when a program ends.
        self.server, self.display = display(root, *server, *["-noreset"] * bool(dpi))
        self.environment = {**os.environ, "DISPLAY": self.display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        if dpi:
            subprocess.run(["xprop", "-root", "-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", f"Xft.dpi: {dpi}"],
                           env=self.environment, check=True)
        self.manager = manager and subprocess.Popen(
            [manager], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if self.manager:
            atexit.register(self.manager.kill)
            time.sleep(1)
        self.errors, self.said = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.program = subprocess.Popen(
            [Path(program).resolve(), "--scene", scene, "--size", size, "--seed", str(seed), "--fps", str(FPS),
             *options],
            env=self.environment, stderr=self.errors, stdout=self.said, cwd=folder,
            # As Python itself, it hears of a file that grows too long by an error, and not by a signal.
            restore_signals=False)
        atexit.register(self.program.kill)
        for _ in range(120):
            time.sleep(0.5)
            if self.program.poll() is not None:
                self.errors.seek(0)
                raise SystemExit(f"it ended at once: {self.errors.read().decode()}")
            if self.shot().colours() > 50:
                break
        else:
            raise SystemExit("the window stays empty")

    def do(self, *what, wait=0.7):
        subprocess.run(["xdotool", *(str(it) for it in what)], env=self.environment, check=True)
        time.sleep(wait)

    def key(self, *keys, wait=0.7):
        # A key is polled once per frame, and frames are slow without a graphics card.
        for key in keys:
            self.do("keydown", key, wait=0.25)
            self.do("keyup", key, wait=0.1)
        time.sleep(wait)

    def click(self, x, y, button=1, wait=0.7):
        self.do("mousemove", int(x), int(y), wait=0.3)
        self.do("mousedown", button, wait=0.3)
        self.do("mouseup", button, wait=wait)

    def shot(self, name=None):
        data = subprocess.run(["import", "-window", "root", "-depth", "8", "ppm:-"], env=self.environment,
                              check=True, stdout=subprocess.PIPE).stdout
        if name and self.shots:
            target = self.shots / f"{self.size}-{name}.png"
            subprocess.run(["convert", "ppm:-", str(target)], input=data, check=True)
        return Picture(data)

    def window(self):
        """The window's number, width and height."""
        run = lambda *what: subprocess.run(["xdotool", *what], env=self.environment, check=False, text=True,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        found = run("search", "--name", "pleach").split()
        if not found:
            return None
        shape = dict(it.split("=") for it in run("getwindowgeometry", "--shell", found[0]).split())
        return found[0], int(shape.get("WIDTH", 0)), int(shape.get("HEIGHT", 0))

    def panel(self):
        """What the panel shows, as text: P writes it."""
        before = os.fstat(self.said.fileno()).st_size
        self.key("p")
        for _ in range(20):
            text = os.pread(self.said.fileno(), 1 << 20, before).decode()
            if text.endswith("\n\n"):
                return text
            time.sleep(0.3)
        return ""

    def until(self, what, test, seconds=12):
        """Looks repeatedly until something holds."""
        for _ in range(int(seconds * 2)):
            picture = self.shot()
            if test(picture):
                break
            time.sleep(0.5)
        self.check(what, test(picture))
        return picture

    def check(self, what, holds):
        print(f"  {'ok  ' if holds else 'FAIL'} {self.size} {what}")
        if not holds:
            self.faults.append(what)

    def end(self):
        """Quits by Escape; returns how it ended."""
        for _ in range(4):
            if self.program.poll() is not None:
                break
            try:
                self.key("Escape", wait=1.0)
            except subprocess.CalledProcessError:
                # The window has gone before the key was up.
                pass
        try:
            code = self.program.wait(10)
        except subprocess.TimeoutExpired:
            self.program.kill()
            self.program.wait()
            code = "killed"
        self.check(f"Escape ends it with 0 ({code})", code == 0)
        return self.close()

    def close(self):
        if self.manager:
            self.manager.terminate()
            self.manager.wait()
        self.server.terminate()
        self.server.wait()
        return self.faults


def play(program, size, shots, trees):
    screen = Screen(program, size, shots, "--agents", "200", "--skip", "25", "--trees", str(trees),
                    folder=trees.parent)
    w, h = screen.w, screen.h
    panel, left, track = places(w, h)
    # It is as high as its content: some of it is always here.
    top = (panel[0], panel[1], panel[2], h * 0.3)
    middle = (left + 10, 60, panel[0] - 20, h * 0.6)

    world = screen.shot("1-world")
    screen.check("the world is drawn", world.colours() > 200)
    green = lambda it: it[1] > it[0] > it[2] and it[1] > 60
    screen.check("by day the ground is green", world.share(green, middle) > 0.4)
    screen.check("the status stands at the left", world.share(lambda it: sum(it) < 160, (12, 12, left - 12, 120)) > 0.4)
    later = screen.until("the world lives", lambda it: it.differs(world, middle) > 0.001)

    walked = screen.shot()
    screen.do("keydown", "d", wait=1.5)
    screen.do("keyup", "d")
    screen.check("the camera goes with who walks", screen.shot().differs(walked, middle) > 0.05)
    dark = lambda it: sum(it) < 170

    # A click on an agent, which stands still while paused.
    screen.key("space")
    found = screen.shot().find(BODIES, (left + 20, 60, w - 60, h - 60))
    screen.check("an agent is on the screen", found is not None)
    if found:
        screen.click(*found)
        screen.until("a click opens the panel of an agent", lambda it: it.share(dark, top) > 0.6)
        screen.key("Escape")
    screen.key("space")
    screen.key("Tab")
    chosen = screen.until("Tab opens the panel", lambda it: it.share(dark, top) > 0.6)
    screen.check("the panel is new", chosen.differs(later, panel) > 0.3)
    screen.check("the time line is there", chosen.share(dark, track) > 0.5)
    lit = lambda it: it[1] > it[0] + 15 and it[1] > it[2] + 8 and it[1] < 130
    screen.check("the active path is lit", chosen.share(lit, panel) > 0.008)
    time.sleep(6)
    now = screen.shot("2-panel")
    read = screen.panel()
    screen.check("P writes the panel to the terminal", read.startswith("guard ") and "\nblackboard\n" in read)
    well = key_of(read, "health")
    screen.key("F9")
    screen.shot("15-written")
    written = [it.read_bytes() for it in trees.parent.glob("arena-*.rec")]
    screen.check("F9 writes the last minute", len(written) == 1 and written[0].startswith(b"pleachrc"))
    # A blow, by the right button on the agent in its ring, while paused.
    screen.key("space")
    hurt = hit(screen, (left + 20, 20, panel[0] - 20, track[1] - 20))
    screen.key("space")
    time.sleep(2)
    screen.key("space")
    later, present = screen.panel(), screen.shot()
    screen.check("a blow changes the key `health`", hurt and key_of(later, "health") < well)
    screen.do("mousemove", int(track[2] - 60), int(h - 90), wait=0.3)
    screen.do("mousedown", 1, wait=0.3)
    for back in range(60, int(track[2] - track[0] - 250), 20):
        screen.do("mousemove", int(track[2] - back), int(h - 90), wait=0.6)
        past = screen.panel()
        if key_of(past, "health") == well:
            break
    screen.check("scrubbing back shows the key as it was", key_of(past, "health") == well and "s ago" in past)
    screen.check("and what it is now", f"now {key_of(later, 'health')}" in past)
    screen.check("and which conditions were watched", "\nwatched then" in past and "blackboard then" in past)
    screen.do("mouseup", 1)
    screen.check("the past is on the screen", screen.shot("3-past").differs(present, panel) > 0.002)
    screen.check("the past stays when the button is let go", "s ago" in screen.panel().splitlines()[0])
    screen.key("Escape")
    screen.check("Escape comes back to now", "blackboard then" not in screen.panel())
    screen.key("space")

    screen.key("3")
    time.sleep(3)
    veteran = screen.panel()
    screen.check("3 looks into a veteran, with scores", veteran.startswith("veteran ") and "\nscores\n" in veteran)
    screen.shot("10-veteran")
    screen.key("2")
    time.sleep(2)
    screen.check("2 looks into a fighter", screen.panel().startswith("fighter "))
    screen.shot("11-fighter")
    screen.key("4")
    time.sleep(2)
    screen.check("4 looks into a rabbit", screen.panel().startswith("rabbit "))
    screen.shot("12-rabbit")
    screen.key("1")
    time.sleep(2)

    before = screen.shot()
    screen.click(middle[0] + 60, h * 0.45)
    screen.shot("4-noise")
    guard = trees / "guard.ron"
    good = guard.read_text()
    guard.write_text(good.replace("WaitUntil(", "WaitUntill("))
    report = (left + 4, 12, panel[0] - 12, h * 0.5)
    screen.until("a broken file is reported", lambda it: it.share(near(REPORT), report) > 0.1)
    screen.shot("5-report")
    guard.write_text(good)
    screen.until("the report goes when it is mended", lambda it: it.share(near(REPORT), report) < 0.005)
    guard.write_text(good.replace('"health <= 0.3"', '"health <= 0.9"'))
    time.sleep(1.5)
    edited = screen.shot("6-edited")
    screen.check("an edited tree is shown", edited.share(near(REPORT), report) < 0.005)
    guard.write_text(good)

    guard.unlink()
    screen.until("a deleted file is reported", lambda it: it.share(near(REPORT), report) > 0.02)
    screen.shot("14-deleted")
    screen.check("and everybody lives on", screen.program.poll() is None)
    guard.write_text(good)
    screen.until("the report goes when it is back", lambda it: it.share(near(REPORT), report) < 0.005)

    screen.key("F1")
    screen.until("F1 shows the help", lambda it: it.light(middle) < before.light(middle) * 0.7)
    screen.shot("7-help")
    screen.key("Escape")
    screen.key("Escape")
    screen.until("Escape closes help and panel", lambda it: it.share(dark, top) < 0.5)
    screen.key("space")
    time.sleep(1)
    still = screen.shot()
    time.sleep(1)
    screen.check("Space stops the world", screen.shot().differs(still, middle) < 0.001)
    screen.key("period")
    screen.key("space")
    screen.key("plus", wait=4.0)
    screen.until("+ begins a larger world", lambda it: it.differs(still, middle) > 0.02)
    for _ in range(12):
        screen.click(w * 0.4, h * 0.4, button=5, wait=0.1)
    screen.shot("8-far")
    window = subprocess.run(["xdotool", "search", "--name", "pleach"], env=screen.environment, check=False,
                            stdout=subprocess.PIPE).stdout.split()
    # Also in the middle of a drag of the camera.
    screen.do("mousemove", w * 0.4, h * 0.4, "mousedown", 1, wait=0.3)
    for side in [(1, 1), (300, 150), (640, 360), (w, h)]:
        if window:
            screen.do("windowsize", window[0].decode(), *side, wait=0.8)
            screen.do("mousemove", side[0] * 0.6, side[1] * 0.6, wait=0.3)
    screen.do("mouseup", 1)
    screen.check("it lives when it is resized in a drag, to 1x1 too", bool(window) and screen.program.poll() is None)
    return screen.end()


def look(program, size, shots):
    """What has to be on the screen, at any size."""
    screen = Screen(program, size, shots, "--agents", "200", "--skip", "25", "--paused")
    w, h = screen.w, screen.h
    panel, left, track = places(w, h)
    world = screen.shot("1-world")
    screen.check("the world is drawn", world.colours() > 200)
    screen.check("the status stands at the left", world.share(lambda it: sum(it) < 160, (12, 12, left - 12, 120)) > 0.4)
    dark = lambda it: sum(it) < 170
    screen.key("Tab")
    chosen = screen.until("Tab opens the panel", lambda it: it.share(dark, (*panel[:3], h * 0.3)) > 0.6)
    screen.shot("2-panel")
    screen.check("the time line is there", chosen.share(dark, track) > 0.5)
    screen.key("3")
    screen.check("3 looks into a veteran, with scores", "\nscores\n" in screen.panel())
    screen.shot("10-veteran")
    before, middle = screen.shot(), (left + 10, 60, panel[0] - 20, h * 0.6)
    screen.key("F1")
    screen.until("F1 shows the help", lambda it: it.light(middle) < before.light(middle) * 0.7)
    screen.shot("7-help")
    return screen.end()


def places(w, h):
    """Where the panel can be, where the status ends, and where the time line is."""
    text = 16 if h >= 1000 else 13
    panel = (w - text * 39 - 10, 12, w - 12, h - 12)
    return panel, text * 19 + 20, (12, h - 160, panel[0] - 20, h - 12)


def key_of(panel, name):
    """The value of a key of the blackboard, in the text of a panel."""
    lines = panel.split("\nblackboard", 1)[-1].splitlines()
    found = [it.split()[1] for it in lines if it.split()[:1] == [name] and len(it.split()) > 1]
    return found[0] if found else ""


def hit(screen, box):
    """Hurts the chosen agent: the middle of its yellow ring."""
    ring = near((0xFF, 0xD1, 0x66), 4)
    picture = screen.shot()
    found = [(x, y) for y in range(int(box[1]), int(box[3])) for x in range(int(box[0]), int(box[2]))
             if ring(picture.pixel(x, y))]
    # The dots of its route are yellow too, but most are in the ring.
    cells = collections.Counter((x // 24, y // 24) for x, y in found)
    if not cells:
        return False
    (cx, cy), _ = cells.most_common(1)[0]
    around = [(x, y) for x, y in found if abs(x - cx * 24 - 12) < 36 and abs(y - cy * 24 - 12) < 36]
    x, y = (sum(it[axis] for it in around) / len(around) for axis in (0, 1))
    screen.click(x, y, button=3)
    return True


def managed(program, size, shots):
    """With a window manager: full screen, and closing by Alt-F4, which sends WM_DELETE_WINDOW."""
    faults = []
    for when in ["it is paused, with a panel", "it is full screen"]:
        screen = Screen(program, size, shots, "--agents", "200", manager="openbox", around=120)
        full = (screen.w + 120, screen.h + 120)
        if when == "it is paused, with a panel":
            screen.key("Tab")
            screen.key("space")
        if when == "it is full screen":
            screen.key("F11", wait=2.0)
            found = screen.window()
            screen.check(f"F11 fills the screen: {found}", bool(found) and found[1:] == full)
            screen.shot("13-full")
            screen.key("F11", wait=2.0)
            found = screen.window()
            screen.check(f"F11 comes back: {found}", bool(found) and found[1:] != full and found[1] >= 640)
            screen.key("F11", wait=2.0)
        screen.key("alt+F4", wait=0.1)
        try:
            code = screen.program.wait(10)
        except subprocess.TimeoutExpired:
            screen.program.kill()
            code = "killed"
        screen.errors.seek(0)
        said = screen.errors.read().decode().strip()
        screen.check(f"closing it while {when} ends it with 0 ({code}) {said[:80]}", code == 0 and not said)
        faults += screen.close()
    return faults


def studio_ends(program, size, shots):
    """However the window is closed, the studio that F5 has opened ends. Here it is a script beside the program."""
    faults = []
    for how in ["SIGTERM", "closing the window", "Escape"]:
        with tempfile.TemporaryDirectory() as folder:
            pid = Path(folder) / "pid"
            own, studio = Path(folder) / "arena", Path(folder) / "pleach"
            shutil.copy(program, own)
            studio.write_text(f"#!/bin/sh\necho $$ > {pid}\nexec sleep 600\n")
            studio.chmod(0o755)
            screen = Screen(own, size, shots, "--agents", "200", "--trees", str(ROOT / "trees"), manager="openbox")
            screen.key("F5", wait=2.0)
            running = Path("/proc") / pid.read_text().strip() if pid.exists() else None
            screen.check("F5 opens the studio", bool(running) and running.exists())
            if how == "SIGTERM":
                screen.program.terminate()
            elif how == "closing the window":
                screen.key("alt+F4", wait=0.1)
            else:
                screen.key("Escape", "Escape", wait=0.1)
            try:
                code = screen.program.wait(10)
            except subprocess.TimeoutExpired:
                screen.program.kill()
                code = "killed"
            screen.check(f"{how} ends it with 0 ({code}), and the studio", code == 0 and running and not running.exists())
            faults += screen.close()
    return faults


def night(program, size, shots):
    screen = Screen(program, size, shots, "--agents", "200", "--skip", "262", "--paused")
    picture = screen.shot("9-night")
    box = (300, 60, screen.w - 40, screen.h - 60)
    screen.check("at night it is dark", picture.light(box) < 70)
    return screen.end()


def dense(program, size, shots):
    """A display with twice as many dots to an inch: the window is twice as large, and so is all in it."""
    w, h = (int(it) for it in size.split("x"))
    screen = Screen(program, size, shots, "--agents", "50", "--paused", dpi=192, around=max(w, h))
    _, *found = screen.window()
    screen.check(f"a window of {size} is twice as large ({found})", found == [2 * w, 2 * h])
    right = (2 * w - 300, 40, 2 * w - 40, 200)
    without = screen.shot()
    screen.key("1")
    screen.check("1 looks into a guard", screen.panel().startswith("guard "))
    screen.check("the panel is at the edge of the window", screen.shot("10-dense").differs(without, right) > 0.3)
    return screen.end()


def display(screen, *more):
    """A virtual display: its process, and its name."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{screen}x24", "-nolisten", "tcp", *more],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # Nothing stays behind, in any case.
    atexit.register(server.kill)
    os.close(write)
    with os.fdopen(read) as pipe:
        return server, ":" + pipe.readline().strip()


def failures(program):
    faults = []
    server, without = display("1280x720", "-extension", "GLX")
    bare = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    for what, environment, options, code in [
        ("no display", bare, [], 1),
        ("a display that is not there", {**bare, "DISPLAY": ":4711"}, ["--agents", "10"], 1),
        ("no OpenGL", {**bare, "DISPLAY": without, "__EGL_VENDOR_LIBRARY_DIRS": "/nowhere"}, ["--agents", "10"], 1),
        ("no trees", {**bare, "DISPLAY": ":4711"}, ["--trees", "/nowhere"], 1),
        ("a wrong option", bare, ["--colour"], 2),
        ("help", bare, ["--help"], 0),
    ]:
        ended = subprocess.run([program, *options], env=environment, capture_output=True, text=True, timeout=60)
        said = (ended.stdout + ended.stderr).strip()
        holds = ended.returncode == code and said and "panicked" not in said and "unwrap" not in said
        print(f"  {'ok  ' if holds else 'FAIL'} {what}: {ended.returncode} {said.splitlines()[0][:110] if said else ''}")
        if not holds:
            faults.append(what)
    server.terminate()
    server.wait()
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "target/debug/examples/arena"))
    parser.add_argument("--shots", type=Path, help="where to put the screenshots")
    parser.add_argument("--play", nargs="*", default=["1280x720"], metavar="SIZE", help="where it is played")
    parser.add_argument("--look", nargs="*", default=["1920x1080"], metavar="SIZE", help="where it is only looked at")
    args = parser.parse_args()
    install()
    if not Path(args.program).exists():
        sys.exit(f"{args.program} is not there: cargo build -p pleach-example-arena --example arena")
    faults = failures(args.program)
    with tempfile.TemporaryDirectory() as folder:
        shots = args.shots or Path(folder) / "shots"
        shots.mkdir(parents=True, exist_ok=True)
        parts = []
        for size in args.play:
            trees = Path(folder) / f"trees-{size}"
            shutil.copytree(ROOT / "trees", trees, ignore=shutil.ignore_patterns("conformance"))
            parts.append([lambda size=size, trees=trees: play(args.program, size, shots, trees)])
            parts.append([lambda size=size, part=part: part(args.program, size, shots)
                          for part in (night, managed, studio_ends, dense)])
        for size in args.look:
            parts.append([lambda size=size: look(args.program, size, shots)])
        # They mostly wait, so two are played at a time.
        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda part: [fault for it in part for fault in it()], parts):
                faults += found
    print("all is as it should be" if not faults else f"{len(faults)} faults: {', '.join(faults)}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
