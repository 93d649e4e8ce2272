// What all agents did: counts in the nodes of the tree, and shares over time.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { boxesDrawn, changed, launch, open, picture, ready, text, until } from "./browser.mjs";
import { serve } from "./server.mjs";

let browser;
let server;
const asked = [];
/** Whether the agents entered each node at most once. */
let calm = false;
before(async () => {
  browser = await launch();
  const changed = (it, { ask }) => (ask === "heat" && calm ? { ...it, nodes: it.nodes.map(([started]) => [Math.min(started, 1), 0, 0, 0]) } : it);
  server = await serve({ agents: 50, changed, asked: (it) => asked.push(it) });
});
after(async () => {
  await browser.close();
  server.close();
});

async function opened(use, lens = "&frame=480", how) {
  const page = await open(browser, `${server.opened}${lens}`, how);
  await ready(page);
  await use(page);
  assert.deepEqual(page.wrong, []);
  await page.close();
}

const counted = (page) => until(page, () => document.querySelector(".tree .hint")?.textContent === "Counts of 50 agents up to frame 1\u202f800");

test("H shows what all agents did, and again what this one did", () =>
  opened(async (page) => {
    const of = (node) => page.$eval(`[data-node="${node}"] .runs`, (it) => ({ text: it.textContent, title: it.title, wide: it.querySelector(".bar span")?.style.width }));
    const mine = await of(16);
    assert.deepEqual([mine.text, mine.title, mine.wide], ["3×", "entered 3 times in this stretch", undefined]);
    await page.keyboard.press("h");
    await counted(page);
    const [root, most, never] = [await of(0), await of(26), await of(27)];
    assert.equal(most.title, "all agents: entered 260, succeeded 156, failed 78, aborted 26 times");
    // The maximum is that of all nodes: each agent enters the root once.
    assert.equal(most.wide, "100%");
    assert.ok(parseFloat(root.wide) < 75 && parseFloat((await of(1)).wide) < parseFloat(root.wide), root.wide);
    assert.deepEqual([never.text, never.title], ["", "all agents: never entered"]);
    assert.match(await page.$eval("[data-node='27']", (it) => it.className), /is-never/);
    assert.equal(await page.$eval("button[aria-label='Counts of this agent']", (it) => it.ariaPressed), "true");
    await page.keyboard.press("h");
    await until(page, () => document.querySelector("[data-node='16'] .runs").textContent === "3×");
    assert.equal(await page.$(".tree .hint"), null);
  }, "&frame=480", { width: 1920, height: 1080 }));

test("while the agents are counted, the page says how far", async () => {
  let [times, go] = [0, () => {}];
  const held = ({ ask }) => new Promise((done) => (ask === "heat" ? (go = done) : done()));
  const changed = (it, { ask }) => (ask === "heat" ? { ...it, last: Math.min(1800, (times += 1) * 600) } : it);
  const slow = await serve({ agents: 50, held, changed });
  const page = await open(browser, slow.opened);
  await ready(page);
  const says = async (want) => {
    await until(page, (want) => document.querySelector(".tree .hint")?.textContent === want, want);
    await new Promise((done) => setTimeout(done, 100));
    go();
  };
  await page.keyboard.press("h");
  await says("Counting what all agents did …");
  await says("Counts of 50 agents up to frame 600 of 1\u202f800: counting, 33 %");
  await says("Counts of 50 agents up to frame 1\u202f200 of 1\u202f800: counting, 66 %");
  await counted(page);
  await page.close();
  slow.close();
});

/** The boxes, when nothing moves any more. */
async function still(page) {
  await new Promise((done) => setTimeout(done, 250));
  return picture(page, "canvas.boxes");
}

for (const size of ["legible", "small"]) {
  test(`boxes that are ${size} show what all agents did`, () =>
    opened(async (page) => {
      await page.keyboard.press("o");
      await boxesDrawn(page);
      await page.focus("canvas.boxes");
      for (let times = 0; size === "small" && times < 8; times += 1) await page.keyboard.press("-");
      const mine = await still(page);
      await page.keyboard.press("h");
      await counted(page);
      const all = await still(page);
      await page.keyboard.press("h");
      await changed(page, "canvas.boxes", all);
      assert.equal(await still(page), mine);
      // The line above the picture makes it smaller, so two pictures with that line are compared.
      calm = true;
      await page.keyboard.press("h");
      await counted(page);
      assert.notEqual(await still(page), all);
      calm = false;
    }));
}

test("the search field keeps its width with the counts of all agents", () =>
  opened(async (page) => {
    const wide = () => page.$eval("#tree-search", (it) => it.clientWidth);
    const before = await wide();
    await page.keyboard.press("h");
    await counted(page);
    assert.equal(await wide(), before);
    assert.ok(before >= 110, `${before} pixels`);
    assert.equal(await text(page, "#panel-tree .count"), " · 28 nodes");
  }));

test("behaviours that have no line of their own have a share together", async () => {
  const crowd = Array.from({ length: 14 }, (_, at) => ({ behaviour: `does ${at}`, count: at < 12 ? 3 : 7 }));
  const other = await serve({ agents: 50, changed: (it, { ask }) => (ask === "agents" ? { ...it, crowd } : it) });
  const page = await open(browser, other.opened);
  await ready(page);
  await until(page, () => document.querySelector(".crowd .hint")?.textContent === "and 2 other behaviours, 28 %");
  await page.close();
  other.close();
});

test("A shows what all agents did over time, in one answer", () =>
  opened(async (page) => {
    const high = () => page.$eval("#time-line canvas", (it) => it.clientHeight);
    const before = await high();
    await page.keyboard.press("a");
    await until(page, (was) => document.querySelector("#time-line canvas").clientHeight === was + 4 * 26, before);
    await until(page, () => document.querySelector(".crowd .jump")?.ariaPressed === "true");
    const { x, y, width, height } = await (await page.$("#time-line canvas")).boundingBox();
    const tip = async (part, up, want) => {
      // What is below the pointer may be drawn later than its line is there.
      const told = () => page.evaluate(() => document.querySelector(".tip")?.textContent);
      for (let tries = 0; tries < 100 && (await told()) !== want; tries += 1) {
        await page.mouse.move(x + width * part, y + height - 6 - up + (tries % 2));
        await new Promise((done) => setTimeout(done, 50));
      }
      assert.equal(await told(), want);
    };
    await tip(0.5, 2, "patrol by day: 28 of 50 agents, 56 %");
    await tip(0.5, 70, "others: 14 of 50 agents, 28 %");
    // It moves with the time line.
    await page.focus("#time-line");
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    assert.equal(asked.filter((it) => it.ask === "crowd").length, 1);
    await page.click(".crowd .jump");
    await until(page, (was) => document.querySelector("#time-line canvas").clientHeight === was, before);
  }));
