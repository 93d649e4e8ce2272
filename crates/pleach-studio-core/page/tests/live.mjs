// The page on a running game: `npm run test:real`. The game is `pleach run --listen`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { trees } from "./editor.mjs";
import { frameOf, launch, open, ready, text, typeIn, until } from "./browser.mjs";
import { program, root, start } from "./program.mjs";

const directory = mkdtempSync(join(tmpdir(), "pleach-live-"));
const games = join(directory, "games");
const breaks = join(directory, "guards.breaks");
const env = { ...process.env, PLEACH_GAMES: games };

let browser;
let game;
let studio;
let address;

const play = async () => (game = (await start(["run", "trees/guard.ron", "--agents", "20", "--seconds", "600", "--seed", "4", "--listen=guards"], env, "stderr", /listens as `guards`/)).it);

before(async () => {
  browser = await launch();
  await play();
  ({ it: studio, found: address } = await start(["studio", "--no-open", "--breaks", breaks, "--trees", trees()], env, "stdout", /http:\/\/\S+/));
});
after(async () => {
  studio?.kill();
  game?.kill();
  await browser?.close();
});

async function watched(use) {
  const page = await open(browser, address, { own: true });
  await ready(page);
  await until(page, () => /live|stopped/.test(document.querySelector(".follow")?.textContent ?? ""));
  await use(page);
  await page.close();
}

const word = (page) => text(page, ".follow");
const says = (page, want) => until(page, (want) => document.querySelector(".follow")?.textContent?.endsWith(want), want);

test("the clock of the game takes the speed that is chosen", () =>
  watched(async (page) => {
    const select = "select[aria-label='Speed of the game']";
    const now = () => page.$eval("#time-field", (it) => Number(it.value));
    // It takes a moment until this reaches the game.
    const pace = async (is) => {
      for (let tries = 0; tries < 10; tries += 1) {
        const before = await now();
        await new Promise((done) => setTimeout(done, 500));
        if (is((await now()) - before)) return;
      }
      throw new Error("the game has another pace");
    };
    await page.keyboard.press("l");
    await page.select(select, "0.1");
    await pace((seconds) => seconds > 0 && seconds < 0.15);
    await page.select(select, "1");
    await pace((seconds) => seconds > 0.2);
    assert.equal(await page.$eval(select, (it) => it.value), "1");
    assert.deepEqual(page.wrong, []);
  }));

test("the page follows the game, and stays in the past when one looks there", () =>
  watched(async (page) => {
    assert.equal(await word(page), "● live");
    const first = await frameOf(page);
    await until(page, (first) => Number(document.querySelector("#time-line").ariaValueNow) > first + 30, first);
    await page.keyboard.press("Home");
    const there = await frameOf(page);
    await new Promise((done) => setTimeout(done, 300));
    assert.equal(await frameOf(page), there);
    assert.equal(await page.$eval(".follow", (it) => it.ariaPressed), "false");
    await page.keyboard.press("l");
    await until(page, (there) => Number(document.querySelector("#time-line").ariaValueNow) > there + 30, there);
    assert.deepEqual(page.wrong, []);
  }));

test("the game stops, plays one frame, and goes on", () =>
  watched(async (page) => {
    await page.keyboard.press("F8");
    await says(page, "stopped");
    await new Promise((done) => setTimeout(done, 200));
    const stands = await frameOf(page);
    await page.keyboard.press("F10");
    await until(page, (stands) => Number(document.querySelector("#time-line").ariaValueNow) === stands + 1, stands);
    await new Promise((done) => setTimeout(done, 200));
    assert.equal(await frameOf(page), stands + 1);
    await page.keyboard.press("F8");
    await says(page, "live");
    await until(page, (stands) => Number(document.querySelector("#time-line").ariaValueNow) > stands + 10, stands);
  }));

test("a key is set, and what is wrong is told", () =>
  watched(async (page) => {
    await page.keyboard.press("F8");
    await says(page, "stopped");
    const set = async (name, value) => {
      await page.click(`[aria-label^="Set ${name}, now"]`);
      const field = `[aria-label="Value of ${name}"]`;
      await page.waitForSelector(field);
      await page.$eval(field, (it) => it.select());
      await page.keyboard.type(value);
      await page.keyboard.press("Enter");
    };
    await set("suspect", "vec2(3, 4) +");
    await until(page, () => /expected a value/.test(document.querySelector(".keys [role=alert]")?.textContent ?? ""));
    assert.equal(await page.$(".notes [role=alert]"), null);
    await page.keyboard.press("Escape");
    await set("suspect", "vec2(3, 4)");
    const pends = (want) => until(page, (want) => (document.querySelector(".keys .value [role=status]")?.textContent ?? "") === want, want);
    await pends("vec2(3, 4) from the next frame on");
    assert.equal(await page.$(".keys [role=alert]"), null);
    await page.keyboard.press("F10");
    await until(page, () => document.querySelector('[aria-label^="Set suspect, now"]')?.textContent === "(3, 4)");
    await pends("");
    // While it plays the frame, the game is not stopped, and F8 would stop it.
    await new Promise((done) => setTimeout(done, 200));
    await says(page, "stopped");
    await page.keyboard.press("F8");
    await says(page, "live");
  }));

test("a report about what is shown is saved, and the recording of the game", () =>
  watched(async (page) => {
    const folder = mkdtempSync(join(tmpdir(), "pleach-saved-"));
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    const save = async (text, name) => {
      await page.$$eval(".time .jump", (all, text) => all.find((it) => it.textContent === text).click(), text);
      for (let tries = 0; !existsSync(join(folder, name)); tries += 1) {
        assert.ok(tries < 200, `${name} is saved`);
        await new Promise((done) => setTimeout(done, 50));
      }
      return join(folder, name);
    };
    const report = await save("Save report", "agent0.html");
    assert.match(readFileSync(report, "utf8"), /^<!doctype html>[^]*<title>guards: agent 0<\/title>/);
    const other = await open(browser, `file://${report}`);
    await ready(other);
    assert.equal(await text(other, ".who b"), "#0");
    assert.deepEqual(other.wrong, []);
    await other.close();
    const recording = await save("Save recording", "guards.rec");
    assert.match(execFileSync(program, ["replay", recording, "--agent", "0"], { cwd: root, encoding: "utf8" }), /agent 0/);
    assert.deepEqual(page.wrong, []);
  }));

test("the result of a leaf is forced for a time, and the leaf is let go", () =>
  watched(async (page) => {
    const leaf = await page.$$eval(".line.action", (all) => all.find((it) => /Attack|MoveTo/.test(it.textContent)).dataset.node);
    const line = `.line[data-node="${leaf}"]`;
    await page.click(line);
    await page.select('[aria-label="Result"]', "failure");
    await page.$eval('[aria-label="Seconds"]', (it) => it.select());
    await page.keyboard.type("600");
    await page.keyboard.press("Enter");
    await until(page, (line) => /forced failure/.test(document.querySelector(line)?.textContent ?? ""), line);
    assert.equal(await text(page, ".chosen .send .hint"), "forced: failure");
    await page.click(".chosen .send .jump");
    await until(page, (line) => !/forced/.test(document.querySelector(line)?.textContent ?? ""), line);
    await page.$eval('.line.composite', (it) => it.dispatchEvent(new MouseEvent("mousedown", { bubbles: true })));
    assert.equal(await page.$('[aria-label="Result"]'), null);
    assert.deepEqual(page.wrong, []);
  }));

test("an event is sent, and the game stops where a breakpoint says", () =>
  watched(async (page) => {
    await typeIn(page, "s", "#find-node", "investigate");
    await page.$$eval(".finder button", (all) => all.at(-1).click());
    await until(page, () => document.querySelectorAll(".breaks li").length === 1);
    assert.deepEqual(JSON.parse(readFileSync(breaks, "utf8")), [{ find: { node: "investigate" }, nth: 1 }]);
    await page.select(".send select", "noise");
    await page.type(".send input", "vec2(1, 1)");
    // A guard that fights or flees does not look after a noise.
    await until(page, () => {
      if (document.querySelector(".follow").textContent.endsWith("stopped")) return true;
      const sent = Number(document.body.dataset.sent ?? 0);
      if (performance.now() > sent + 500) {
        document.body.dataset.sent = performance.now();
        document.querySelector(".send button").click();
      }
      return false;
    });
    await until(page, () => document.querySelector(".breaks .link"));
    assert.match(await text(page, ".breaks .link"), /^\d+ times?, last #\d+ at/);
    assert.equal(await text(page, ".chosen .name"), "investigate");
    await page.click(".breaks .jump");
    await until(page, () => !document.querySelector(".breaks"));
    assert.deepEqual(JSON.parse(readFileSync(breaks, "utf8")), []);
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("F8");
    await says(page, "live");
  }));

test("b on a node sets and removes a breakpoint", () =>
  watched(async (page) => {
    await page.keyboard.press("r");
    await until(page, () => document.querySelector(".chosen .name"));
    await page.keyboard.press("b");
    await typeIn(page, "s", "#find-node", "");
    await page.evaluate(() => document.activeElement.blur());
    await until(page, () => document.querySelectorAll(".breaks li").length === 1);
    await page.keyboard.press("b");
    await until(page, () => document.querySelectorAll(".breaks li").length === 0);
    if ((await word(page)) !== "● live") await page.keyboard.press("F8");
  }));

test("two pages watch one game, and names stand apart at all sizes", () =>
  watched(async (page) =>
    watched(async (other) => {
      await page.keyboard.press("F8");
      await says(other, "stopped");
      for (const [width, height] of [[1280, 720], [1920, 1080], [640, 360]]) {
        await other.setViewport({ width, height });
        const boxes = await other.$$eval(".banner > *", (all) => all.map((it) => it.getBoundingClientRect()).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
        for (const [at, a] of boxes.entries()) {
          for (const b of boxes.slice(at + 1)) {
            const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
            assert.ok(apart, `${width} x ${height}: ${JSON.stringify([a, b])}`);
          }
        }
      }
      await other.keyboard.press("F8");
      await says(page, "live");
    }),
  ));

test("a game that ends is said to be gone, and one that begins again is shown", () =>
  watched(async (page) => {
    const ended = new Promise((done) => game.on("exit", done));
    game.kill("SIGINT");
    await ended;
    await says(page, "gone");
    assert.match(await text(page, ".notes [role=alert]"), /^Nothing more comes from the game/);
    await play();
    await until(page, () => document.querySelector(".follow")?.textContent === "● live");
    assert.ok(existsSync(games));
  }));

test("edits that are not saved stay while the game begins again", () =>
  watched(async (page) => {
    const names = () => page.$$eval(".outline .name", (all) => all.map((it) => it.textContent).join());
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector(".editing #save")?.disabled);
    await page.click('.line[data-node="3"]');
    await page.keyboard.press("Delete");
    await until(page, () => document.querySelector("#save")?.disabled === false);
    const edited = await names();
    const ended = new Promise((done) => game.on("exit", done));
    game.kill("SIGINT");
    await ended;
    await says(page, "gone");
    await play();
    await says(page, "live");
    const first = await frameOf(page);
    await until(page, (first) => Number(document.querySelector("#time-line").ariaValueNow) > first, first);
    assert.equal(await names(), edited);
    assert.equal(await page.$eval("#save", (it) => it.disabled), false);
    await page.keyboard.press("F4");
    await ready(page);
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector(".editing #save")?.disabled === false);
    // A page that is opened later can edit, too.
    await watched(async (other) => {
      await other.keyboard.press("F4");
      await until(other, () => document.querySelector(".editing #save")?.disabled === false);
    });
    assert.deepEqual(page.wrong, []);
  }));

test("a tree that the game rejects is shown, and one that waits for its next frame", async () => {
  const directory = trees();
  const file = join(directory, "guard.ron");
  const text = readFileSync(file, "utf8");
  const own = { ...process.env, PLEACH_GAMES: mkdtempSync(join(tmpdir(), "pleach-reloads-")) };
  chmodSync(own.PLEACH_GAMES, 0o700);
  const { it: running } = await start(["run", file, "--agents", "5", "--seconds", "600", "--reload", "--listen=reloads"], own, "stderr", /listens as `reloads`/);
  const { it: seen, found } = await start(["studio", "--no-open", "--trees", directory], own, "stdout", /http:\/\/\S+/);
  const page = await open(browser, found, { own: true });
  await ready(page);
  const reads = (want) => until(page, (want) => document.querySelector("#says")?.textContent.includes(want), want);
  writeFileSync(file, text.replace("Selector", "Sellector"));
  await reads("rejected; the old tree keeps running");
  await reads("Sellector");
  await page.keyboard.press("F8");
  await says(page, "stopped");
  writeFileSync(file, text.replace("0.3", "0.35"));
  await reads("The agents go on with it in the next frame.");
  assert.equal(await page.$("#reloaded"), null);
  await page.keyboard.press("F10");
  await until(page, () => document.querySelector("#reloaded") && !document.querySelector("#says"));
  assert.deepEqual(page.wrong, []);
  await page.close();
  seen.kill();
  running.kill();
});

test("a page without the token gets no answer", async () => {
  const page = await browser.newPage();
  await page.goto(new URL("/", address).href);
  await until(page, () => document.querySelector(".alone"));
  assert.match(await text(page, ".alone"), /the token is missing or wrong/);
  await page.close();
  chmodSync(games, 0o700);
});
