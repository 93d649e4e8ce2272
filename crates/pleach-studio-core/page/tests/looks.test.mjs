// Nothing overlaps, nothing that must be read is cut off, and all of it is legible.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { barriers, launch, open, ready, until, written } from "./browser.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { guardReport, largeReport, veteranReport } from "./sample.mjs";
import { serve } from "./server.mjs";

let browser;
let report;
let server;
let veterans;
before(async () => {
  browser = await launch();
  report = written(guardReport());
  server = await serve({ agents: 500 });
  veterans = await serve({ agents: 5, report: veteranReport() });
});
after(async () => {
  await browser.close();
  server.close();
  veterans.close();
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
      assert.deepEqual(await barriers(page), []);
      const across = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(across <= 0, `${across} pixels stand out`);
      assert.deepEqual(page.wrong, []);
      await page.close();
    });
  }
}

for (const size of SIZES) {
  test(`scores, and who is shown when, are read at ${size.width} x ${size.height}`, async () => {
    const page = await open(browser, `${veterans.opened}&frame=500`, size);
    await ready(page);
    await page.click("button[aria-label=Outline]");
    await page.keyboard.press("h");
    await until(page, () => document.querySelectorAll(".line .holds").length > 3 && document.querySelector(".tree .hint"));
    assert.deepEqual(await page.evaluate(overlaps), [], "overlap");
    assert.deepEqual(await page.evaluate(cuts), [], "cut");
    const shown = await page.evaluate(() => {
      const bar = document.querySelector(".who").getBoundingClientRect();
      const [who, frame] = [".who b", ".frame"].map((it) => document.querySelector(it).getBoundingClientRect());
      return who.width > 0 && who.right <= bar.right && frame.width > 0;
    });
    assert.ok(shown, "the agent or the frame is not shown");
    assert.deepEqual(await barriers(page), []);
    await page.close();
  });
}

test("the help is within reach of a screen reader", async () => {
  const page = await open(browser, report);
  await ready(page);
  await page.keyboard.press("?");
  await until(page, () => document.querySelector("dialog[open]"));
  assert.deepEqual(await barriers(page), []);
  await page.close();
});

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
