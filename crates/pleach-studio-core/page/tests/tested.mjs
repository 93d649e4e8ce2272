// The tests of an edited tree, in the page: `npm run test:real`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { text, until } from "./browser.mjs";
import { choose, openFile, press, studio, trees } from "./editor.mjs";

test("the tests of a file are played as it is edited, and the tree shows what they start", async () => {
  const directory = trees();
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    await press(page, "F9");
    const told = (want) => until(page, (want) => document.querySelector(".tests [role=status]")?.textContent.includes(want), want);
    await told("7 passed, 0 failed · 12 of 12 nodes started");
    await until(page, () => /^\d+×$/.test(document.querySelector(".line[data-node='1'] .runs")?.textContent ?? ""));
    await choose(page, "flee");
    await press(page, "Control", "/");
    await told("0 passed, 7 failed");
    const why = await page.$$eval(".tests details", (all) => all.map((it) => it.textContent));
    assert.match(why[1], /a wounded guard flees, and rests until it is well.*guard\.test\.ron, line \d+/s);
    assert.match(why[1], /`Flee`/);
    await openFile(page, "fighter.ron");
    await told("No test names this tree.");
    await press(page, "Control", "z");
    await openFile(page, "guard/fight.ron");
    await told("7 passed, 0 failed");
    await press(page, "F9");
    await until(page, () => !document.querySelector(".tests"));
  });
});
