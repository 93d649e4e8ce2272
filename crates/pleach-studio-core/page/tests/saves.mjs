// A game that is steered and edited while it runs: `npm run test:real`.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { barriers, frameOf, launch, open, ready, text, typeIn, until } from "./browser.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { choose, press, saved, trees } from "./editor.mjs";
import { start } from "./program.mjs";

const directory = trees();
const env = { ...process.env, PLEACH_GAMES: join(mkdtempSync(join(tmpdir(), "pleach-saves-")), "games") };
const children = [];

/** A program that runs until the tests end. Returns what it prints. */
async function runs(args, stream, wanted) {
  const { it, found } = await start(args, env, stream, wanted);
  children.push(it);
  return found;
}

let browser;
let address;
before(async () => {
  browser = await launch();
  await runs(["run", join(directory, "guard.ron"), "--agents", "20", "--seconds", "600", "--seed", "4", "--reload", "--listen=guards"], "stderr", /listens as `guards`/);
  address = await runs(["studio", "--no-open", "--trees", directory], "stdout", /http:\/\/\S+/);
});
after(async () => {
  for (const it of children) it.kill();
  await browser?.close();
});

async function watched(use) {
  const page = await open(browser, address, { own: true });
  await ready(page);
  await until(page, () => /live|stopped/.test(document.querySelector(".follow")?.textContent ?? ""));
  await use(page);
  assert.deepEqual(page.wrong, []);
  await page.close();
}

const says = (page, want) => until(page, (want) => document.querySelector(".follow")?.textContent?.endsWith(want), want);
/** Sets a key, or a slot. */
async function set(page, name, value) {
  const field = `[aria-label="Value of ${name}"]`;
  await (await page.waitForSelector(`[aria-label^="Set ${name}, now"]`)).click();
  await page.waitForSelector(field);
  await page.$eval(field, (it) => it.select());
  await page.keyboard.type(value);
  await page.keyboard.press("Enter");
  await until(page, (field) => !document.querySelector(field), field);
}

const blur = (page) => page.evaluate(() => document.activeElement.blur());

test("the time line of a game that has just begun grows with it", () =>
  watched(async (page) => {
    const first = await page.$eval("#time-line", (it) => Number(it.ariaValueMin));
    const last = await frameOf(page);
    assert.ok(last - first < 1000, "the game has just begun");
    await until(page, (last) => document.querySelector("#time-line").ariaValueNow > last + 120, last);
    assert.ok(await page.$$eval("#panel-time .tools button", (all) => all.at(-1).disabled), "the whole time is in sight");
  }));

test("saving reloads the game, and the page says what went on and what restarted", () =>
  watched(async (page) => {
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#panel-tree .about")?.textContent.includes("guard.ron"));
    await choose(page, "flee");
    await press(page, "Control", "d");
    await until(page, () => document.querySelector("#save")?.disabled === false);
    await press(page, "Control", "s");
    await saved(page);
    await page.waitForSelector("#reloaded");
    assert.match(await text(page, "#reloaded"), /^Reloaded in frame [\d\s]+: guard: (20 agents kept running, 0|\d+ agents? kept running, \d+) restarted; \d+ nodes kept\./u);
    assert.deepEqual(await barriers(page), []);
    await page.click("#reloaded button");
    await until(page, () => !document.querySelector("#reloaded"));
    await page.keyboard.press("F4");
    // The tree that is shown has the copy.
    await until(page, () => [...document.querySelectorAll(".line .name")].filter((it) => it.textContent === "flee").length > 1);
  }));

test("a breakpoint stops the game from the hit on that is written", () =>
  watched(async (page) => {
    await page.keyboard.press("s");
    await page.waitForSelector("#find-nth");
    const field = await page.evaluateHandle(() => [...document.querySelectorAll(".finder label")].find((it) => it.textContent.trim() === "where").querySelector("input"));
    await field.type("suspect == vec2(7, 7)");
    await page.$eval("#find-nth", (it) => it.select());
    await page.type("#find-nth", "2");
    assert.deepEqual(await barriers(page), []);
    await page.$$eval(".finder button", (all) => all.at(-1).click());
    await until(page, () => /suspect.*from the 2nd hit on/.test(document.querySelector(".breaks li")?.textContent ?? ""));
    assert.deepEqual(JSON.parse(readFileSync(join(directory, "studio.breaks"), "utf8")), [{ find: { where: "suspect == vec2(7, 7)" }, nth: 2 }]);
    await set(page, "suspect", "vec2(7, 7)");
    await until(page, () => /^1 time/.test(document.querySelector(".breaks .link")?.textContent ?? ""));
    assert.equal(await text(page, ".follow"), "● live");
    await set(page, "suspect", "vec2(8, 7)");
    await until(page, () => document.querySelector('[aria-label^="Set suspect, now"]')?.textContent === "(8, 7)");
    await set(page, "suspect", "vec2(7, 7)");
    await says(page, "stopped");
    assert.match(await text(page, ".breaks .link"), /^2 times/);
    await page.click(".breaks .jump");
    await until(page, () => !document.querySelector(".breaks"));
    await blur(page);
    await page.keyboard.press("F8");
    await says(page, "live");
  }));

test("a slot is filled", () =>
  watched(async (page) => {
    await page.keyboard.press("F8");
    await says(page, "stopped");
    await set(page, "slot:patrol", "patrol_by_night");
    await page.keyboard.press("F10");
    await until(page, () => document.querySelector('[aria-label^="Set slot:patrol, now"]')?.textContent === "patrol_by_night");
    await page.keyboard.press("F8");
    await says(page, "live");
  }));

test("Alt and arrows step through the events of a frame", () =>
  watched(async (page) => {
    // Something happens to the guard.
    await page.select(".send select", "noise");
    await page.type(".send input", "vec2(1, 1)");
    await page.click(".send button");
    await until(page, () => /investigate/.test(document.querySelector(".does")?.textContent ?? ""));
    await blur(page);
    await page.keyboard.press("F8");
    await says(page, "stopped");
    // In the first frame the tree starts.
    await page.keyboard.press("Home");
    const first = await frameOf(page);
    const step = (want) => until(page, (want) => document.querySelector("#step").textContent.startsWith(want), want);
    await press(page, "Alt", "ArrowRight");
    await step("1 of");
    const [, count] = /^1 of (\d+) in this frame: start n0 /.exec(await text(page, "#step"));
    assert.equal(await frameOf(page), first);
    // The tree shows what is active after the event.
    assert.deepEqual(await page.$$eval(".line .status.top", (all) => all.map((it) => it.closest(".line").dataset.node)), ["0"]);
    assert.deepEqual(await barriers(page), []);
    for (let at = 2; at <= count; at += 1) {
      await press(page, "Alt", "ArrowRight");
      await step(`${at} of`);
    }
    // After the last event comes the first one of a later frame.
    await press(page, "Alt", "ArrowRight");
    await until(page, (first) => document.querySelector("#time-line").ariaValueNow > first, first);
    await step("1 of");
    await press(page, "Alt", "ArrowLeft");
    await step(`${count} of`);
    assert.equal(await frameOf(page), first);
    // In another frame no event is selected.
    await page.keyboard.press("End");
    await until(page, () => document.querySelector("#step").textContent === "");
    await page.keyboard.press("F8");
    await says(page, "live");
  }));

const SIZES = [[1280, 720], [1920, 1080], [640, 360], [960, 540]];

test("nothing of a game stands on anything else, and all of it can be read", () =>
  watched(async (page) => {
    await page.keyboard.press("F8");
    await says(page, "stopped");
    await page.keyboard.press("r");
    await page.keyboard.press("b");
    await page.keyboard.press("s");
    await page.waitForSelector(".breaks li");
    await blur(page);
    for (const [width, height] of SIZES) {
      await page.setViewport({ width, height });
      assert.deepEqual(await page.evaluate(overlaps), [], `overlap at ${width} x ${height}`);
      assert.deepEqual(await page.evaluate(cuts), [], `cut at ${width} x ${height}`);
      assert.deepEqual(await barriers(page), [], `${width} x ${height}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${width} x ${height}`);
    }
    await page.keyboard.press("b");
    await until(page, () => !document.querySelector(".breaks li"));
    await page.keyboard.press("F8");
    await says(page, "live");
  }));
