// Nothing overlaps, nothing is cut that has to be read, and all of it can be read.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, ready, until, written } from "./browser.mjs";
import { guardReport, largeReport } from "./sample.mjs";
import { serve } from "./server.mjs";

let browser;
let report;
let server;
before(async () => {
  browser = await launch();
  report = written(guardReport());
  server = await serve({ agents: 500 });
});
after(async () => {
  await browser.close();
  server.close();
});

const SIZES = [
  { width: 1280, height: 720, theme: "light" },
  { width: 1920, height: 1080, theme: "dark" },
  // The same windows, enlarged to 200 %.
  { width: 640, height: 360, theme: "dark" },
  { width: 960, height: 540, theme: "light" },
];

for (const size of SIZES) {
  for (const kind of ["report", "recording"]) {
    test(`${kind} at ${size.width} x ${size.height}, ${size.theme}`, async () => {
      const address = kind === "report" ? `${report}#frame=700&node=6` : `${server.opened}&frame=700&node=6`;
      const page = await open(browser, address, size);
      await ready(page);
      await until(page, () => document.querySelector(".because"));
      assert.deepEqual(await page.evaluate(overlaps), [], "overlap");
      assert.deepEqual(await page.evaluate(cuts), [], "cut");
      assert.deepEqual(await page.evaluate(pale), [], "too pale");
      assert.deepEqual(await page.evaluate(nameless), [], "without a name");
      const across = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(across <= 0, `${across} pixels stand out`);
      assert.deepEqual(page.wrong, []);
      await page.close();
    });
  }
}

test("the theme follows the system until the reader chooses", async () => {
  const page = await open(browser, report, { theme: "dark" });
  await ready(page);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.keyboard.press("t");
  assert.equal(await theme(), "light");
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.keyboard.press("t");
  assert.equal(await theme(), "dark");
  await page.close();
});

test("with little motion wanted nothing moves by itself", async () => {
  const page = await open(browser, report, { calm: true });
  await ready(page);
  const moving = await page.$$eval("*", (all) => all.filter((it) => parseFloat(getComputedStyle(it).transitionDuration) > 0).length);
  assert.equal(moving, 0);
  await page.close();
});

test("a large tree has few lines in the document, and its names stay in sight", async () => {
  const page = await open(browser, written(largeReport(10_000, 6)));
  await ready(page);
  await until(page, () => document.querySelectorAll("[role=treeitem]").length > 10);
  assert.ok((await page.$$("[role=treeitem]")).length < 80);
  await page.keyboard.press("1");
  await page.keyboard.press("End");
  await until(page, () => document.activeElement?.getAttribute("data-node") === "9999");
  assert.deepEqual(await page.evaluate(cuts), []);
  await page.close();
});

/** Panels, and parts of a bar or a line, that stand on each other. */
function overlaps() {
  const wrong = [];
  const groups = [[...document.querySelectorAll(".panel, .banner")]];
  for (const it of document.querySelectorAll(".banner, .head, .transport, .clock, .doing, .lines-of > div, .keys tr")) groups.push([...it.children]);
  for (const it of document.querySelectorAll(".line, .row, .crowd li")) groups.push([...it.children]);
  for (const group of groups) {
    const boxes = group.map((it) => ({ it, box: it.getBoundingClientRect() })).filter((one) => one.box.width > 0 && one.box.height > 0);
    boxes.forEach((a, at) => {
      for (const b of boxes.slice(at + 1)) {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        const inText = getComputedStyle(a.it).display === "inline" || getComputedStyle(b.it).display === "inline";
        const sticky = [a, b].some((one) => getComputedStyle(one.it).position === "sticky") && scrollY > 0;
        if (across > 1 && down > 1 && !inText && !sticky) wrong.push(`${a.it.className || a.it.tagName} on ${b.it.className || b.it.tagName}`);
      }
    });
  }
  return wrong;
}

/** What has to be read whole, and is not. */
function cuts() {
  const whole = ".banner b, .clock input, .frame, .tab, h2, h3, .crowd .count, .line .name, .line .runs, .row .number, .jump, .doing, .lines-of dt, .keys th, .legend li, .go";
  return [...document.querySelectorAll(whole)]
    .filter((it) => it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1)
    .map((it) => `${it.className || it.tagName}: ${it.textContent || it.value}`);
}

/** Texts with less contrast than 4.5 to what is behind them. */
function pale() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour, under = [255, 255, 255]) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = `rgb(${under.join()})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (of) => {
    const [r, g, b] = of.map((it) => it / 255).map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (it) => (it ? rgb(getComputedStyle(it).backgroundColor, behind(it.parentElement)) : [255, 255, 255]);
  const wrong = new Set();
  for (const it of document.querySelectorAll("body *")) {
    const own = [...it.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const box = it.getBoundingClientRect();
    if (!own || box.width === 0 || it.closest("script, noscript, :disabled, .spoken, dialog:not([open])")) continue;
    const under = behind(it);
    const [a, b] = [light(rgb(getComputedStyle(it).color, under)), light(under)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) wrong.add(`${it.className || it.tagName} ${contrast.toFixed(2)}: ${it.textContent.slice(0, 30)}`);
  }
  return [...wrong];
}

/** What can be reached by Tab or is a landmark, and has no name. */
function nameless() {
  const named = (it) =>
    it.getAttribute("aria-label") || it.textContent.trim() || it.closest("label")?.textContent.trim() || it.placeholder;
  return [...document.querySelectorAll("button, input, select, [tabindex], section[role], .panel, [role=tree], [role=slider], [role=listbox]")]
    .filter((it) => !named(it))
    .map((it) => it.outerHTML.slice(0, 80));
}
