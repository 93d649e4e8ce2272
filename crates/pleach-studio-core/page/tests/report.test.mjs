// What a reader does with a report: on made-up data, so each answer is known.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atFrame, boxesDrawn, changed, file, frameOf, launch, open, picture, ready, script, style, text, typeIn, until, written } from "./browser.mjs";
import { guardReport, html, reportOf, treeOf, veteranReport } from "./sample.mjs";

let browser;
let address;
before(async () => {
  browser = await launch();
  address = written(guardReport());
});
after(() => browser.close());

/** Opens the report at a lens, as `frame=555&node=9`, and lets the test use it. */
async function at(lens, use, how) {
  const page = await open(browser, `${address}#${lens}`, how);
  await ready(page);
  await use(page);
  assert.deepEqual(page.wrong, []);
  await page.close();
}

const says = (page, selector, part) =>
  until(page, (css, want) => document.querySelector(css)?.textContent?.includes(want), selector, part);
const focusOn = (page, selector) => page.$eval(selector, (it) => it.focus());
const statusOf = (page, node) => page.$eval(`[data-node="${node}"]`, (it) => it.className);

test("it opens on its first frame, and says what the agent does and what to do", () =>
  at("", async (page) => {
    assert.equal(await frameOf(page), 0);
    assert.equal(await text(page, ".doing"), "● patrol › patrol by day since this frame");
    assert.match(await text(page, ".chosen"), /No node selected.*Click a node in the tree/);
    assert.equal(await page.title(), "guard.rec · pleach studio");
  }));

test("a link leads to a moment and a node", () =>
  at("frame=480&node=16", async (page) => {
    assert.equal(await frameOf(page), 480);
    assert.equal(await text(page, ".chosen .name"), "Attack");
    assert.match(await text(page, ".doing"), /fight › Attack for 0\.50 s/);
  }));

test("the address follows the lens", () =>
  at("frame=480", async (page) => {
    await page.keyboard.press("ArrowRight");
    await until(page, () => location.hash === "#frame=481");
  }));

test("keys step, jump to changes and aborts, and stay within the report", () =>
  at("frame=0", async (page) => {
    const keys = [
      ["ArrowRight", 1], ["ArrowLeft", 0], ["ArrowLeft", 0], ["n", 141], ["n", 246], ["p", 141], ["]", 324], ["]", 555],
      ["[", 324], ["End", 1800], ["ArrowRight", 1800], ["Home", 0],
    ];
    for (const [key, frame] of keys) {
      await page.keyboard.press(key);
      await atFrame(page, frame);
    }
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await atFrame(page, 10);
  }));

test("a drag over the time line scrubs", () =>
  at("frame=0", async (page) => {
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    await page.mouse.move(x + width / 4, y + 10);
    await page.mouse.down();
    await atFrame(page, 450);
    await page.mouse.move(x + width / 2, y + 90, { steps: 4 });
    await atFrame(page, 900);
    await page.mouse.up();
    await page.mouse.move(x + width / 3, y + 10);
    assert.equal(await frameOf(page), 900);
    await says(page, ".doing", "help › MoveTo");
  }));

test("a click on a span selects its node, on a mark goes to its frame", () =>
  at("frame=0", async (page) => {
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    await page.mouse.click(x + width * 0.75, y + 26 + 20 + 26 + 12);
    await says(page, ".chosen .name", "Flee");
    await page.mouse.click(x + width * (555 / 1800) + 3, y + 36);
    await atFrame(page, 555);
  }));

test("the wheel and keys zoom the time line around a place", () =>
  at("frame=900", async (page) => {
    await focusOn(page, "#time-line");
    const whole = "button[aria-label='Whole time']";
    assert.equal(await page.$eval(whole, (it) => it.disabled), true);
    await page.keyboard.press("+");
    await until(page, (css) => !document.querySelector(css).disabled, whole);
    await page.keyboard.press("0");
    await until(page, (css) => document.querySelector(css).disabled, whole);
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    await page.mouse.move(x + width / 4, y + 60);
    await page.mouse.wheel({ deltaY: -500 });
    await until(page, (css) => !document.querySelector(css).disabled, whole);
    // The frame under the pointer stays under it.
    await page.mouse.click(x + width / 4, y + 10);
    assert.ok(Math.abs((await frameOf(page)) - 450) <= 2);
  }));

test("it plays in the time of the game, and pauses", () =>
  at("frame=100", async (page) => {
    await page.keyboard.press(" ");
    await until(page, () => document.querySelector("button[aria-label=Pause]"));
    await until(page, () => Number(document.querySelector("#time-line").getAttribute("aria-valuenow")) > 115);
    await page.keyboard.press(" ");
    await until(page, () => document.querySelector("button[aria-label=Play]"));
    const frame = await frameOf(page);
    await new Promise((done) => setTimeout(done, 100));
    assert.equal(await frameOf(page), frame);
  }));

test("the clock takes seconds and frames", async () => {
  const report = guardReport();
  // Times are written to a millionth of a second: frame 762 is a little after 12.7 s here.
  report.overview.times = [[0, 0], [1, 0.016667], [1800, 30.000001]];
  const page = await open(browser, written(report));
  await ready(page);
  const typed = [["12.5", 750], ["f99", 99], ["nonsense", 99], ["3 s", 180], ["", 180], [" s", 180], ["12.7", 762]];
  for (const [what, frame] of typed) {
    await page.keyboard.press("g");
    await until(page, () => document.activeElement?.id === "time-field");
    await page.keyboard.press("Backspace");
    await page.keyboard.type(what);
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.id !== "time-field");
    assert.equal(await frameOf(page), frame, what);
  }
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("a second press of play within a frame starts no second loop", () =>
  at("frame=100", async (page) => {
    const loops = await page.evaluate(() => {
      const asked = new Set();
      let next = 0;
      window.requestAnimationFrame = () => (asked.add((next += 1)), next);
      window.cancelAnimationFrame = (id) => asked.delete(id);
      for (let press = 0; press < 3; press += 1) document.querySelector(".transport .main").click();
      return asked.size;
    });
    assert.equal(loops, 1);
  }));

test("a pointer that the system takes away ends a drag and selects nothing", () =>
  at("frame=0", async (page) => {
    const cancelled = async (selector, x, y, by) => {
      const box = await (await page.$(selector)).boundingBox();
      await page.mouse.move(box.x + box.width * x, box.y + y);
      await page.mouse.down();
      await page.$eval(selector, (it) => it.dispatchEvent(new PointerEvent("pointercancel", { pointerId: 1 })));
      const frame = await frameOf(page);
      await page.mouse.move(box.x + box.width * x + by, box.y + y);
      await page.mouse.up();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      assert.equal(await frameOf(page), frame);
      assert.match(await text(page, ".chosen"), /No node selected/);
    };
    await cancelled("#time-line canvas", 0.75, 26 + 20 + 26 + 12, 80);
    await cancelled("#time-line canvas", 0.75, 26 + 20 + 26 + 12, 0);
    await page.keyboard.press("o");
    await boxesDrawn(page);
    // Somewhere in a row of the picture there is a box.
    for (let place = 0.1; place < 0.9; place += 0.1) await cancelled("canvas.boxes", place, 200, 0);
  }));

test("an address that is edited moves the lens", () =>
  at("frame=100", async (page) => {
    await page.evaluate(() => (location.hash = "frame=480&node=16"));
    await atFrame(page, 480);
    await says(page, ".chosen .name", "Attack");
    await page.evaluate(() => (location.hash = "frame=nowhere"));
    await page.evaluate(() => (location.hash = "frame=481"));
    await atFrame(page, 481);
    assert.equal(await text(page, ".chosen .name"), "Attack");
  }));

/** The guard is reloaded at a frame: one branch is new, one is gone. */
function reloaded(frame) {
  const report = guardReport();
  const [tree] = report.overview.trees;
  // n1 to n3 are gone, so the numbers of all later nodes are lower by three.
  const kept = tree.nodes.filter((it) => it.id === 0 || it.id > 3);
  const id = (old) => kept.findIndex((it) => it.id === old);
  const nodes = kept.map((it, at) => ({ ...it, id: at, ...(it.parent != null && { parent: id(it.parent) }), conditionals: [] }));
  report.overview.trees.push({ ...tree, version: 2, nodes });
  const there = (all) => all.map(id).filter((it) => it >= 0);
  for (const it of report.moments) {
    if (it.frame < frame) continue;
    const conditions = it.conditions.filter((held) => id(held.node) >= 0).map((held) => ({ ...held, node: id(held.node) }));
    Object.assign(it, { tree: 1, running: there(it.running), active: there(it.active), conditions, nodes: [], explain: [], last_abort: null });
  }
  report.why_not.push([]);
  return written(report);
}

test("a tree that is reloaded keeps what is selected and folded by name", async () => {
  const page = await open(browser, `${reloaded(600)}#frame=480&node=16`);
  await ready(page);
  await says(page, ".chosen .name", "Attack");
  await page.click('[data-node="17"] .twist');
  await until(page, () => document.querySelector('[data-node="17"]').getAttribute("aria-expanded") === "false");
  const to = async (frame, chosen) => {
    await page.evaluate((it) => (location.hash = `frame=${it}`), frame);
    await atFrame(page, frame);
    await says(page, ".chosen", chosen);
  };
  await to(700, "Attackn13");
  assert.match(await text(page, ".tree .about"), /version 2/);
  assert.equal(await page.$eval('[data-node="14"]', (it) => it.getAttribute("aria-expanded")), "false");
  await to(480, "Attackn16");
  // A node that no longer exists is not selected.
  await page.evaluate(() => (location.hash = "frame=480&node=3"));
  await says(page, ".chosen .name", "Dead");
  await to(700, "No node selected");
  // A node in an address is one of the tree at its frame.
  await page.evaluate(() => (location.hash = "frame=480&node=13"));
  await says(page, ".chosen", "Repeatn13");
  await page.evaluate(() => (location.hash = "frame=700&node=13"));
  await says(page, ".chosen", "Attackn13");
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("a span that a reload cuts says so, and not that the game ended it", async () => {
  const report = guardReport();
  report.overview.trees.push({ ...report.overview.trees[0], version: 2 });
  const { track } = report;
  track.trees.push({ from: 600, tree: 1 });
  // One span ends there because of the game: its tree is the new one already.
  track.spans = track.spans.flatMap((it) => {
    if (it.to < 600) return [it];
    return it.from >= 600 ? [{ ...it, tree: 1 }] : [{ ...it, to: 600, how: "outside" }, { ...it, from: 600, tree: 1, how: "outside" }];
  });
  track.spans.sort((a, b) => a.from - b.from);
  const page = await open(browser, written(report));
  await ready(page);
  const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
  const tip = async (frame, want) => {
    await page.mouse.move(x + width * (frame / 1800), y + 26 + 20 + 12);
    await until(page, (want) => document.querySelector(".tip")?.textContent.endsWith(want), want);
  };
  await tip(580, "patrol: 9.250 s to 10.000 s, 0.750 s, reloaded");
  await tip(700, ", ended by the game");
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("a line says how often it was entered, and answers in one pair of words", () =>
  at("frame=480", async (page) => {
    const title = (node, part) => page.$eval(`[data-node="${node}"] ${part}`, (it) => it.title);
    assert.equal(await title(16, ".runs"), "entered 3 times in this stretch");
    assert.equal(await title(19, ".runs"), "entered once in this stretch");
    assert.equal(await title(9, ".watch"), "watched: was success, is success");
    assert.equal(await title(5, ".watch"), "watched: was failure, is failure");
  }, { width: 1920, height: 1080 }));

test("an action that ran before does not look like one that runs", () =>
  at("frame=480", async (page) => {
    const colour = (selector) => page.$eval(selector, (it) => getComputedStyle(it).color);
    assert.notEqual(await colour('[data-node="15"] .kind'), await colour('[data-node="16"] .status'));
  }));

test("the tree scrolls only to a line that is out of sight, and then shows the root where it fits", async () => {
  // The outline shows 18 of the 28 lines here.
  const page = await open(browser, `${written(guardReport())}#frame=480`);
  await ready(page);
  const top = () => page.$eval(".outline", (it) => it.scrollTop);
  const scroll = async (to, node) => {
    await page.$eval(".outline", (it, to) => (it.scrollTop = to), to);
    await until(page, (node) => document.querySelector(`[data-node="${node}"]`), node);
  };
  const chosen = (node) => until(page, (node) => document.querySelector(`[data-node="${node}"]`)?.ariaSelected === "true", node);
  await scroll(150, 22);
  for (const node of [6, 12, 16, 22]) {
    await page.click(`[data-node="${node}"] .name`);
    await chosen(node);
    assert.equal(await top(), 150, `n${node} is in sight`);
  }
  // n16 runs, and is in sight.
  await page.keyboard.press("r");
  await chosen(16);
  assert.equal(await top(), 150);
  // A line that is cut at the edge comes into sight, and no more than that.
  const { x, y } = await (await page.$(".outline")).boundingBox();
  await page.mouse.click(x + 200, y + 3);
  await chosen(5);
  assert.equal(await top(), 130);
  await scroll(200, 22);
  await page.evaluate(() => (location.hash = "frame=480&node=2"));
  // The lines are drawn in the next frame, when the page gets the scroll event.
  await until(page, () => document.querySelector(".outline").scrollTop === 0 && document.querySelector('[data-node="0"]'));
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("lines of the tree say how each node stands", () =>
  at("frame=480", async (page) => {
    assert.match(await statusOf(page, 16), /is-top/);
    assert.match(await statusOf(page, 8), /is-live/);
    assert.match(await statusOf(page, 15), /is-success/);
    assert.match(await statusOf(page, 26), /is-aborted/);
    const label = (node) => page.$eval(`[data-node="${node}"]`, (it) => it.getAttribute("aria-label"));
    assert.match(await label(16), /^Attack target: "enemy".*, running$/);
    assert.match(await label(11), /Cooldown 10 s, .*, 7\.40 s left$/);
    await page.keyboard.press("Home");
    await until(page, () => document.querySelector('[data-node="3"]')?.className.includes("is-never"));
    assert.match(await label(3), /never entered/);
  }, { width: 1920, height: 1080 }));

test("the selected node says why it does not run", () =>
  at("frame=480&node=6", async (page) => {
    await says(page, ".because", "Why it does not run");
    const because = await text(page, ".because");
    assert.match(because, /passed.*n0 Selector runs n16 Attack; a change of n5 Check brings it back/);
    assert.match(because, /requires.*n5 Check\(health <= 0\.3\): is failure/);
    const links = await page.$$eval(".because .link", (all) => all.map((it) => it.textContent));
    assert.deepEqual(links, ["n0", "n16", "n5", "n5"]);
    await page.click(".because .link:last-child");
    await says(page, ".chosen .name", "Check");
    // A condition requires nothing else than itself.
    await says(page, ".because", "itselfdoes not hold now (health = 1, written by the game)");
    assert.doesNotMatch(await text(page, ".because"), /requires/);
    // An active node has no reasons.
    await page.keyboard.press("r");
    await says(page, ".chosen .name", "Attack");
    assert.equal(await page.$(".because"), null);
  }));

test("the last abort is named, with a way to its moment", () =>
  at("frame=700", async (page) => {
    assert.match(await text(page, ".last-abort"), /Last abort.*n9 Check\(sees_enemy\): was success, is failure/);
    await page.click(".last-abort .jump");
    await atFrame(page, 555);
    await says(page, ".last-abort .jump", "this frame");
  }));

test("runs of a node are counted, with ways to the one before and after", () =>
  at("frame=700&node=16", async (page) => {
    await says(page, ".chosen", "entered3 times✗1");
    await page.click(".ways .jump:first-child");
    await atFrame(page, 450);
    await page.click(".ways .jump:last-child");
    await atFrame(page, 1098);
  }));

test("many activations within frames count, but take no lane", () =>
  at("frame=100&node=1", async (page) => {
    await says(page, ".chosen", "entered131 times✗131");
    assert.match(await text(page, ".chosen"), /failed at 1\.67 s/);
    assert.equal(await text(page, '[data-node="1"] .runs'), "131×");
    const { height } = await (await page.$("#time-line canvas")).boundingBox();
    assert.equal(height, 26 + 20 + 2 * 26 + 4);
  }));

test("keys have values and plots", () =>
  at("frame=1230", async (page) => {
    const rows = await page.$$eval(".keys tr", (all) => all.map((it) => it.innerText.split("\t")));
    assert.deepEqual(rows[0].slice(0, 2), ["health", "0.30"]);
    assert.deepEqual(rows[1].slice(0, 2), ["sees_player", "true"]);
    const plots = await page.$$eval(".keys svg path:first-child", (all) => all.map((it) => it.getAttribute("class")));
    assert.deepEqual(plots, ["steps", "steps", "ticks"]);
  }));

test("changes of keys that expressions read are marked", () =>
  at("frame=0", async (page) => {
    assert.match(await text(page, ".legend"), /key changed/);
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    // Between two aborts health falls, twice a second.
    const place = x + width * (1170 / 1800);
    await page.mouse.move(place + 1, y + 26 + 17);
    await says(page, ".tip", "19.500 s: health = 0.462");
    await page.mouse.click(place + 1, y + 26 + 17);
    await atFrame(page, 1170);
    // Where there is another mark, that one is shown.
    await page.mouse.move(x + width * (555 / 1800), y + 36);
    await says(page, ".tip", "9.250 s: n9 Check(sees_enemy): was success");
  }));

test("the search counts and walks, and unfolds what it finds", () =>
  at("frame=480", async (page) => {
    await page.keyboard.press("f");
    await until(page, () => document.querySelectorAll("[role=treeitem]").length === 5);
    await page.keyboard.down("Control");
    await page.keyboard.press("f");
    await page.keyboard.up("Control");
    await page.keyboard.type("MOVETO");
    await says(page, "output", "2 found");
    await page.keyboard.press("Enter");
    await says(page, "output", "1 of 2");
    await until(page, () => document.querySelector('[data-node="19"][aria-selected=true]'));
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector('[data-node="23"][aria-selected=true]'));
    await page.keyboard.press("Enter");
    await says(page, "output", "1 of 2");
    assert.equal(await text(page, '[data-node="19"] mark'), "MoveTo");
    await page.keyboard.press("Escape");
    await page.keyboard.down("Control");
    await page.keyboard.press("f");
    await page.keyboard.up("Control");
    await page.keyboard.type("no such node");
    await says(page, "output", "not found");
  }));

test("folding keeps the live path, also when another runs", () =>
  at("frame=480", async (page) => {
    const shown = () => page.$$eval("[role=treeitem]", (all) => all.map((it) => Number(it.dataset.node)).sort((a, b) => a - b));
    await page.click("button[aria-label='Fold all but what runs']");
    await until(page, () => document.querySelectorAll("[role=treeitem]").length < 10);
    assert.deepEqual(await shown(), [0, 8, 13, 14, 16]);
    await page.keyboard.press("]");
    await atFrame(page, 555);
    await until(page, () => document.querySelector('[data-node="26"]'));
    assert.deepEqual(await shown(), [0, 25, 26]);
    assert.equal(await text(page, '[data-node="0"] .hidden'), "+25");
    await page.click("button[aria-label='Unfold all']");
    await until(page, () => document.querySelectorAll("[role=treeitem]").length > 10);
  }));

test("the tree is walked by keys, with one line that Tab reaches", () =>
  at("frame=480", async (page) => {
    await page.keyboard.press("1");
    const here = () => page.evaluate(() => document.activeElement?.getAttribute("data-node"));
    const walk = async (key, node) => {
      await page.keyboard.press(key);
      await until(page, (want) => {
        const reached = [...document.querySelectorAll("[role=treeitem][tabindex='0']")].map((it) => it.dataset.node);
        return document.activeElement?.getAttribute("data-node") === want && reached.join() === want;
      }, String(node));
    };
    await walk("Home", 0);
    await walk("ArrowDown", 1);
    await walk("ArrowRight", 2);
    await walk("ArrowLeft", 1);
    await page.keyboard.press("ArrowLeft");
    await until(page, () => document.querySelector('[data-node="1"]').getAttribute("aria-expanded") === "false");
    await walk("ArrowDown", 4);
    await walk("ArrowUp", 1);
    await walk("End", 27);
    await walk("Home", 0);
    assert.equal(await here(), "0");
    assert.equal(await frameOf(page), 480);
    const levels = await page.$$eval("[role=treeitem]", (all) => all.map((it) => it.getAttribute("aria-level")));
    assert.ok(levels.every((it) => Number(it) >= 1));
  }));

test("the selected line keeps the keyboard while it is scrolled out of sight", () =>
  at("frame=480", async (page) => {
    await page.keyboard.press("1");
    await page.keyboard.press("Home");
    await until(page, () => document.activeElement?.getAttribute("data-node") === "0");
    await page.$eval(".outline", (it) => (it.scrollTop = 9999));
    await until(page, () => document.querySelector('[data-node="27"]'));
    await page.keyboard.press("ArrowDown");
    await until(page, () => document.activeElement?.getAttribute("data-node") === "1" && document.querySelector(".outline").scrollTop < 40);
  }, { height: 500 }));

test("the boxes are another layout of the same lens", () =>
  at("frame=480&node=16", async (page) => {
    await page.keyboard.press("o");
    await until(page, () => document.querySelector("canvas.boxes")?.getAttribute("aria-label")?.includes("n16 Attack"));
    await boxesDrawn(page);
    await focusOn(page, "canvas.boxes");
    for (const [key, name] of [["ArrowLeft", "Approach"], ["ArrowUp", "Sequence"], ["ArrowUp", "Repeat"], ["ArrowDown", "Sequence"]]) {
      await page.keyboard.press(key);
      await says(page, ".chosen .name", name);
    }
    assert.equal(await frameOf(page), 480);
    // The selected box is visible, and a click beside it selects nothing.
    const { x, y } = await (await page.$("canvas.boxes")).boundingBox();
    await page.mouse.click(x + 4, y + 4);
    await says(page, ".chosen", "No node selected");
  }));

/** Zooms to the whole tree. Returns where on the page a point of the tree is, as `fitted` in boxes-draw.ts places it. */
async function wholeTree(page, { width, height }) {
  await page.keyboard.press("o");
  await boxesDrawn(page);
  await focusOn(page, "canvas.boxes");
  await page.keyboard.press("0");
  const box = await (await page.$("canvas.boxes")).boundingBox();
  const scale = Math.min(1, box.width / (width + 48), box.height / (height + 48));
  const [left, top] = [(box.width / scale - width - 48) / 2, Math.max(0, (box.height / scale - height - 48) / 2)];
  return { x: (at) => (at + 24 + left) * scale, y: (at) => (at + 24 + top) * scale, scale };
}

/** How opaque the boxes are at points: from 0 to 255. */
const opaque = (page, points) =>
  page.$eval("canvas.boxes", (it, points) => points.map(([x, y]) => it.getContext("2d").getImageData(x, y, 1, 1).data[3]), points);

test("boxes are drawn for all nodes, with a frame around each part", async () => {
  const report = guardReport();
  const [tree] = report.overview.trees;
  const page = await open(browser, `${written(report)}#frame=480`, { width: 1920, height: 1080 });
  await ready(page);
  const at = await wholeTree(page, tree);
  const middles = tree.nodes.map((it) => [at.x(it.x + it.w / 2), at.y(it.y + it.h / 2)]);
  let seen = [];
  // The boxes move to their places, which takes longer on a busy machine.
  for (let times = 0; times < 100 && !(seen.length > 0 && seen.every((it) => it > 60)); times += 1) {
    await new Promise((done) => setTimeout(done, 100));
    seen = await opaque(page, middles);
  }
  assert.ok(seen.every((it) => it > 60), seen.join());
  await new Promise((done) => setTimeout(done, 200));
  const parts = tree.nodes.filter((it) => it.part && tree.nodes[it.id + 1]?.parent === it.id);
  assert.ok(parts.length >= 3);
  // Left and right of and below the first box of a part: inside its frame, but beside all boxes.
  const within = parts.map((it) => {
    const below = tree.nodes.filter((node) => node.id >= it.id && (node.id === it.id || node.parent >= it.id) && node.id < (tree.nodes.find((next) => next.id > it.id && next.depth <= it.depth)?.id ?? tree.nodes.length));
    const left = Math.min(...below.map((node) => node.x));
    return [at.x(left - 4), at.y(it.y + it.h + 40)];
  });
  const beside = await opaque(page, within);
  assert.ok(beside.every((it) => it > 0 && it < 60), beside.join());
  assert.deepEqual(await opaque(page, [[at.x(0), at.y(2)]]), [0]);
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("boxes that are too wide for the panel begin at its upper edge, with the root in sight", async () => {
  const lines = [[0, "Selector", "composite", { name: "wide" }], ...Array.from({ length: 12 }, () => [1, "Wait", "action", { detail: ["3 s"] }])];
  const page = await open(browser, `${written(reportOf(treeOf(lines, "wide"), [[6, 0, 9, "running"]], [], 9))}#frame=60`);
  await ready(page);
  await page.keyboard.press("o");
  await boxesDrawn(page);
  await new Promise((done) => setTimeout(done, 250));
  const first = await page.$eval("canvas.boxes", (it) => {
    const { data, width } = it.getContext("2d").getImageData(0, 0, it.width, it.height);
    return Math.floor(data.findIndex((value, at) => at % 4 === 3 && value === 255) / 4 / width);
  });
  // 0.7 pixels a unit, and the sign of the running node is on the edge.
  assert.ok(first > 0 && first <= 0.7 * (24 + 28) + 2, `${first} pixels`);
  await page.close();
});

test("a click on the map goes there", () =>
  at("frame=480", async (page) => {
    await page.keyboard.press("o");
    await boxesDrawn(page);
    await focusOn(page, "canvas.boxes");
    for (let times = 0; times < 8; times += 1) await page.keyboard.press("+");
    await new Promise((done) => setTimeout(done, 200));
    const before = await picture(page, "canvas.boxes");
    const { x, y, width, height } = await (await page.$("canvas.boxes")).boundingBox();
    await page.mouse.click(x + width - 150, y + height - 30);
    await changed(page, "canvas.boxes", before);
    await new Promise((done) => setTimeout(done, 200));
    const left = await picture(page, "canvas.boxes");
    // It selects nothing, and a drag over the map continues.
    assert.match(await text(page, ".chosen"), /No node selected/);
    await page.mouse.move(x + width - 150, y + height - 30);
    await page.mouse.down();
    await page.mouse.move(x + width - 30, y + height - 30, { steps: 3 });
    await page.mouse.up();
    await changed(page, "canvas.boxes", left);
  }));

test("scores are bars, and edges and counters stand with their nodes", async () => {
  const page = await open(browser, `${written(veteranReport())}#frame=500`, { width: 1920, height: 1080 });
  await ready(page);
  await page.keyboard.press("o");
  await until(page, () => document.querySelector("[data-node='10']"));
  const bars = await page.$$eval(".holds .bar span", (all) => all.map((it) => it.style.width));
  assert.deepEqual(bars, ["100%", "62.5%", "37.5%"]);
  const held = await page.$$eval(".holds", (all) => all.map((it) => it.textContent));
  assert.deepEqual(held, ["order: charge, retreat, patrol", "0.800", "0.500", "2 left", "0.300"]);
  const edges = await page.$$eval(".line .edge", (all) => all.map((it) => it.textContent));
  assert.deepEqual(edges.slice(2), ["case afraid", "default", "weight 3", "weight 1", "score 0.3"]);
  assert.ok(edges[0].startsWith("score if(target == none"));
  assert.equal(await text(page, "[data-node='0'] .detail"), "reevaluate");
  await page.click("[data-node='4']");
  await says(page, ".chosen", "score0.500");
  await says(page, ".chosen", "edgescore 1.3 * (1.0 - health)");
  await page.close();
});

test("all keys are listed, and the list closes", () =>
  at("", async (page) => {
    await page.keyboard.press("?");
    await until(page, () => document.querySelector("dialog").open);
    const listed = await text(page, "dialog");
    for (const part of ["ten frames", "abort before, after", "find a node", "light or dark"]) assert.ok(listed.includes(part), part);
    await page.keyboard.press("Escape");
    await until(page, () => !document.querySelector("dialog").open);
  }));

test("the moment is spoken once it stands still", () =>
  at("frame=0", async (page) => {
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    await says(page, "#headline[aria-live=polite]", "5.400 s: fight › Approach");
  }));

test("what a moment takes away is not shown any more", async () => {
  const report = guardReport();
  const last = report.moments.at(-1);
  report.moments[0].label = "Sir Robin";
  Object.assign(last, { label: null, last_abort: null });
  const page = await open(browser, `${written(report)}#frame=${last.frame - 1}`);
  await ready(page);
  assert.match(await text(page, ".who"), /Sir Robin/);
  assert.ok(await page.$(".last-abort"));
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector(".last-abort") === null);
  assert.doesNotMatch(await text(page, ".who"), /Sir Robin/);
  await page.close();
});

test("a report without reasons says so", async () => {
  const report = guardReport();
  report.why_not = [[]];
  const page = await open(browser, `${written(report)}#node=16`);
  await says(page, ".because", "This report does not say why.");
  await page.close();
});

test("a damaged report says so", async () => {
  const whole = html(guardReport(), "SCRIPT", style);
  const damaged = {
    "has version 2": html({ ...guardReport(), version: 2 }, "SCRIPT", style),
    "is damaged": whole.replace('id="pleach-report">', 'id="pleach-report">A'),
    "is damaged.": html({ version: 1 }, "SCRIPT", style),
    "This report is damaged": html(null, "SCRIPT", style),
    "damaged. Write it again": html({ ...guardReport(), track: {} }, "SCRIPT", style),
  };
  for (const [part, text] of Object.entries(damaged)) {
    const page = await open(browser, file(text.replace("SCRIPT", () => script)));
    await says(page, "[role=alert]", part);
    await page.close();
  }
});
