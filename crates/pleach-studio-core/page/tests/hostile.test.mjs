// Names that try to be markup or script.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, ready, text, until, written } from "./browser.mjs";
import { guardReport, largeReport, reportOf, treeOf } from "./sample.mjs";

const NAMES = [
  '</script><img src=x onerror="window.hit = 1">',
  "<!--<script>window.hit = 1</script>",
  "javascript:window.hit=1",
  "&lt;b&gt; ${window.hit = 1} `'\"",
  "\u202egnol\u202c \u2028 \u2066",
  "long ".repeat(400),
  "木を見て森を見ず 🌲",
  "__proto__",
];

let browser;
before(async () => void (browser = await launch()));
after(() => browser.close());

for (const name of NAMES) {
  test(`a name is a text: ${JSON.stringify(name.slice(0, 50))}`, async () => {
    const rename = { name, kind: name, label: name, detail: [name], part: name, note: name, edge: name, place: { file: name, line: 1, column: 1 } };
    const report = guardReport({ 8: { ...rename, conditionals: [9] }, 16: rename });
    report.overview.title = name;
    report.overview.notes = [name];
    report.moments[0].label = name;
    report.overview.trees[0].keys[0].name = name;
    for (const it of report.lines) it.text += name;
    for (const it of report.track.marks) it.text = name;
    for (const it of report.moments) it.keys[0].text = name;
    const page = await open(browser, `${written(report)}#frame=480&node=16`);
    await ready(page);
    assert.equal(await text(page, ".chosen .name"), name);
    assert.equal(await text(page, ".banner h1"), name);
    assert.equal(await text(page, ".notice"), name);
    // Everything is drawn once: over the time line, as boxes, folded, found.
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    await page.mouse.move(x + width * (141 / 1800), y + 36);
    await until(page, (want) => document.querySelector(".tip")?.textContent?.endsWith(want), name);
    for (const key of ["o", "o", "f", "f", "2"]) await page.keyboard.press(key);
    const found = await page.evaluate(() => ({
      hit: window.hit ?? "none",
      strange: document.querySelectorAll("img, iframe, script:not([id]):not(:last-of-type), b[style], object, embed").length,
      scripts: document.scripts.length,
      across: document.documentElement.scrollWidth - innerWidth,
    }));
    assert.deepEqual(found, { hit: "none", strange: 0, scripts: 2, across: 0 });
    assert.deepEqual(page.wrong, []);
    await page.close();
  });
}

test("a tree of 65 000 nodes, and one of 500 levels", async () => {
  const deep = Array.from({ length: 500 }, (_, at) => [at, at < 499 ? "Sequence" : "Wait", at < 499 ? "composite" : "action", { name: `level ${at}` }]);
  const chain = reportOf(treeOf(deep, "deep"), [[499, 0, 1, "running"]], [], 1);
  for (const [report, last] of [[largeReport(65_000, 2), 64_999], [chain, 499]]) {
    const page = await open(browser, written(report));
    await until(page, () => document.querySelector(".does .link"));
    await page.keyboard.press("1");
    await page.keyboard.press("End");
    await until(page, (node) => document.activeElement?.getAttribute("data-node") === String(node), last);
    // The page scrolls to the running node a moment after it opens, but not once a node is selected.
    await new Promise((done) => setTimeout(done, 150));
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-node")), String(last));
    assert.ok((await page.$$(".line")).length < 80);
    for (const key of ["n", "o", "0", "-", "o", "f", "End", "f"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    assert.deepEqual(page.wrong, []);
    await page.close();
  }
});

test("addresses that are not of this report are left alone", async () => {
  for (const lens of ["frame=-1&node=99999", "frame=1e9", "node=__proto__", "frame=%00&agent=x", "frame=1800.5"]) {
    const page = await open(browser, `${written(guardReport())}#${lens}`);
    await ready(page);
    assert.match(await text(page, ".chosen"), /No node selected/);
    assert.deepEqual(page.wrong, []);
    await page.close();
  }
});

test("the sources set texts, never HTML", async () => {
  const { readdirSync, readFileSync } = await import("node:fs");
  const sources = new URL("../src/", import.meta.url);
  const files = readdirSync(sources).filter((it) => /\.tsx?$/.test(it));
  assert.ok(files.length > 10);
  for (const file of files) {
    const source = readFileSync(new URL(file, sources), "utf8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, file);
  }
});
