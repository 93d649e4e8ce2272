// The main stories at two sizes: no box stands on another, and nothing is cut that has to be read.
// `PLEACH_SHOTS=folder node --test tests/shots.mjs` also writes a picture of each.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atFrame, ready, typeIn, until } from "./browser.mjs";
import { choose, openFile, press, studio, trees } from "./editor.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { program, root } from "./program.mjs";

const folder = process.env.PLEACH_SHOTS;
const directory = mkdtempSync(join(tmpdir(), "pleach-shots-"));
// Where games say that they listen: only the one of this test.
process.env.PLEACH_GAMES = join(directory, "games");
const [guards, veterans] = ["guard", "veteran"].map((it) => join(directory, `${it}.rec`));
const report = join(directory, "agent10.html");
const edited = trees();
let game;

before(async () => {
  const pleach = (...args) => execFileSync(program, args, { cwd: root });
  // As the chapter of the book does it.
  pleach("run", "trees/guard.ron", "--agents", "50", "--seed", "4", "--seconds", "30", "--set", "health=0.2 at 12 until 16 for 10%", "--record", guards);
  pleach("run", "trees/veteran.ron", "--agents", "10", "--seconds", "20", "--record", veterans);
  pleach("replay", guards, "--agent", "10", "--report", report);
  if (folder) mkdirSync(folder, { recursive: true });
  game = spawn(program, ["run", "trees/guard.ron", "--agents", "20", "--seconds", "600", "--listen=guards"], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise((done) => game.stderr.on("data", (it) => String(it).includes("listens") && done()));
});
after(() => game?.kill());

/** Goes to an agent and a moment, and waits for what is shown of them. */
async function look(page, agent, frame, node) {
  await ready(page);
  const to = `agent=${agent}&frame=${frame}${node === undefined ? "" : `&node=${node}`}`;
  // A page that has just opened may still write its own address over this one.
  for (let tries = 0; ; tries += 1) {
    await page.evaluate((to) => (location.hash = to), to);
    const there = page.waitForFunction((want) => document.querySelector(".who b")?.textContent === `#${want}`, { timeout: 5_000, polling: 20 }, agent);
    if (await there.then(() => true, () => false)) break;
    assert.ok(tries < 10, `the page does not go to ${to}`);
  }
  await atFrame(page, frame);
  if (node !== undefined) await until(page, () => document.querySelector(".chosen .name"));
}

const heated = (page) => until(page, () => /^Counts of [^:]*$/.test(document.querySelector(".tree .hint")?.textContent ?? ""));

/** Each story: what the studio opens, and what is done there. */
const STORIES = {
  "why-not": [[guards], async (page) => {
    await look(page, 10, 740, 16);
    await until(page, () => document.querySelector(".because"));
  }],
  found: [[guards], async (page) => {
    await look(page, 10, 1200);
    await typeIn(page, "s", "#find-node", "flee");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".agents .hint")?.textContent === "5 times, 5 agents");
    await page.click("[role=option]:nth-child(2)");
    await until(page, () => document.querySelector(".chosen .name")?.textContent === "flee");
  }],
  "found-nothing": [[guards], async (page) => {
    await look(page, 17, 1200);
    await typeIn(page, "s", "#find-node", "flee");
    await page.click(".finder .check input");
    await page.focus("#find-node");
    await page.keyboard.press("Enter");
    await until(page, () => /^Not found\. It was entered once, and never/.test(document.querySelector(".agents .hint")?.textContent ?? ""));
  }],
  "crowd-over-time": [[guards], async (page) => {
    await look(page, 10, 900);
    const high = await page.$eval("#time-line canvas", (it) => it.clientHeight);
    await page.keyboard.press("a");
    await until(page, (was) => document.querySelector("#time-line canvas").clientHeight > was, high);
  }],
  heat: [[guards], async (page) => {
    await look(page, 10, 900);
    await page.keyboard.press("h");
    await heated(page);
  }],
  "heat-boxes": [[veterans], async (page) => {
    await look(page, 3, 600);
    await page.click("button[aria-label=Boxes]");
    await page.keyboard.press("h");
    await heated(page);
  }],
  boxes: [[veterans], async (page) => {
    await look(page, 3, 600);
    await page.click("button[aria-label=Boxes]");
  }],
  help: [[guards], async (page) => {
    await ready(page);
    await page.keyboard.press("?");
    await until(page, () => document.querySelector("dialog[open]"));
  }],
  edit: [[edited], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "Flee");
    await press(page, "F9");
    await until(page, () => /passed/.test(document.querySelector(".tests [role=status]")?.textContent ?? ""));
  }],
  changes: [[edited], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    await press(page, "Alt", "ArrowDown");
    await choose(page, "Flee");
    await press(page, "Control", "g");
    await until(page, () => document.querySelectorAll("#palette-list [role=option]").length > 0);
    await page.keyboard.type("Cooldown");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".here .name")?.textContent === "Cooldown");
    await page.click("#difference");
    await until(page, () => document.querySelectorAll("#panel-diff .change").length > 1);
  }],
  "what-if": [[guards, "--trees", edited], async (page) => {
    await look(page, 10, 800);
    await press(page, "F4");
    await until(page, () => document.querySelector("#panel-files, #save"));
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    await press(page, "Control", "/");
    await press(page, "Shift", "F4");
    await until(page, () => /decided differently/.test(document.querySelector(".what-if")?.textContent ?? ""));
  }],
  live: [[], async (page) => {
    await ready(page);
    await until(page, () => Number(document.querySelector("#time-line").ariaValueNow) > 60);
    await press(page, "F8");
    await until(page, () => document.querySelector(".follow")?.textContent === "● stopped");
  }],
};

const SIZES = [
  { width: 1280, height: 720, theme: "light" },
  { width: 1920, height: 1080, theme: "dark" },
];

for (const [story, [opens, act]] of Object.entries(STORIES)) {
  test(`${story}: what stands there is whole at both sizes`, () =>
    studio(opens, async (page) => {
      await act(page);
      for (const { width, height, theme } of SIZES) {
        await page.setViewport({ width, height });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
        // What moves has come to rest, and is drawn.
        await new Promise((done) => setTimeout(done, 400));
        if (folder) await page.screenshot({ path: join(folder, `${story}-${width}.png`) });
        assert.deepEqual(await page.evaluate(overlaps), [], `overlap at ${width}`);
        assert.deepEqual(await page.evaluate(cuts), [], `cut at ${width}`);
        const across = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(across <= 0, `${across} pixels stand out at ${width}`);
      }
      if (folder && story === "why-not") {
        // The picture of the README and the book, which show it 850 pixels wide.
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
        await page.setViewport({ width: 1120, height: 680, deviceScaleFactor: 1.5 });
        await new Promise((done) => setTimeout(done, 400));
        await page.screenshot({ path: join(folder, "studio.png") });
      }
    }));
}
