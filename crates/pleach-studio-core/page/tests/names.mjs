// Names that try to be markup or script, in a running game and in edited trees: `npm run test:real`.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, ready, text, typeIn, until } from "./browser.mjs";
import { choose, dirty, press } from "./editor.mjs";
import { start } from "./program.mjs";

const EVIL = "<img src=x onerror=window.hit=1><!--</script><script>window.hit = 1</script>";
const quoted = JSON.stringify(EVIL);
const place = mkdtempSync(join(tmpdir(), "pleach-names-"));
const directory = join(place, "trees");
mkdirSync(directory);
const file = "<img src=x onerror=hit()>.ron";
writeFileSync(
  join(directory, file),
  `Tree(version: 1, name: ${quoted}, root: Selector(name: ${quoted}, note: ${quoted}, children: [Repeat(forever: true, child: Wait(name: ${quoted}, seconds: 0.5))]))\n`,
);
const env = { ...process.env, PLEACH_GAMES: join(place, "games") };
const children = [];
let browser;
let address;

before(async () => {
  browser = await launch();
  const runs = async (args, stream, wanted) => {
    const { it, found } = await start(args, env, stream, wanted);
    children.push(it);
    return found;
  };
  await runs(["run", join(directory, file), "--agents", "5", "--seconds", "600", "--reload", `--listen=${EVIL.slice(0, 90)}`], "stderr", /listens as/);
  address = await runs(["studio", "--no-open", "--trees", directory], "stdout", /http:\/\/\S+/);
});
after(async () => {
  for (const it of children) it.kill();
  await browser?.close();
});

/** What a name has done to the page. */
const made = (page) => page.evaluate(() => ({ hit: window.hit ?? "none", strange: document.querySelectorAll("img, iframe, script:not([src])").length }));
const NOTHING = { hit: "none", strange: 0 };

test("names in a game that runs and in its files are texts", async () => {
  const page = await open(browser, address, { own: true });
  await ready(page);
  assert.equal(await text(page, ".banner h1"), EVIL.slice(0, 90));
  await until(page, (want) => [...document.querySelectorAll(".crowd .doing, .row .doing")].some((it) => it.textContent.includes(want)), EVIL);
  await page.keyboard.press("r");
  await until(page, (want) => document.querySelector(".chosen .name")?.textContent === want, EVIL);
  // A breakpoint, an event of a frame, a search result, an error.
  await page.keyboard.press("b");
  await until(page, () => /stopped/.test(document.querySelector(".follow").textContent));
  await press(page, "Alt", "ArrowRight");
  await until(page, () => document.querySelector("#step").textContent !== "");
  await typeIn(page, "s", "#find-node", EVIL);
  await page.waitForSelector(".breaks");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelector(".agents [role=option], .agents .wrong"));
  await page.evaluate(() => document.activeElement.blur());
  assert.deepEqual(await made(page), NOTHING);
  await page.click(".breaks .jump");
  await until(page, () => !document.querySelector(".breaks"));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("F8");
  // The same tree while it is edited.
  await page.keyboard.press("F4");
  await until(page, () => document.querySelector("#panel-files .file"));
  assert.equal(await text(page, ".file .doing"), file);
  await until(page, (want) => [...document.querySelectorAll("[role=treeitem] .name")].some((it) => it.textContent === want), EVIL);
  await choose(page, "Repeat");
  await press(page, "Control", "d");
  await dirty(page);
  await page.click("#difference");
  await page.waitForSelector(".difference");
  await press(page, "Control", "e");
  await page.waitForSelector(".palette[open]");
  await page.keyboard.press("Escape");
  assert.deepEqual(await made(page), NOTHING);
  await press(page, "Control", "s");
  await page.waitForSelector("#reloaded, #panel-why .notice.wrong");
  assert.deepEqual(await made(page), NOTHING);
  assert.deepEqual(page.wrong.filter((it) => !it.includes("400")), []);
  await page.close();
});
