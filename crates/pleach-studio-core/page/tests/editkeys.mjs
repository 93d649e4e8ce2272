// What keys and the mouse do to nodes, and files that cannot be saved: `npm run test:real`.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, text, until } from "./browser.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { choose, dirty, openFile, press, saved, studio } from "./editor.mjs";

const OWN = `Tree(
    version: 1,
    name: "own",
    events: { "squeak": None },
    root: Selector(
        name: "top",
        children: [
            Sequence(name: "A", children: [Wait(name: "a", seconds: 1.0)]),
            Wait(name: "b", seconds: 2.0),
            Emit(name: "c", event: "squeak"),
        ],
    ),
)
`;

/** A directory with a small tree, and another one that shares its event. */
function own() {
  const directory = mkdtempSync(join(tmpdir(), "pleach-keys-"));
  writeFileSync(join(directory, "own.ron"), OWN);
  writeFileSync(join(directory, "other.ron"), OWN.replace('name: "own"', 'name: "other"'));
  return directory;
}

/** Waits until the tree has these nodes below the line of the file, with a dot for each level. */
const has = (page, want) =>
  until(
    page,
    (want) => [...document.querySelectorAll("[role=treeitem]")].slice(1).map((it) => ".".repeat(it.ariaLevel - 2) + it.querySelector(".name").textContent).join(" ") === want,
    want,
  );

const type = async (page, typed) => {
  await until(page, () => document.querySelector(".palette[open]"));
  await page.$eval("#palette", (it) => it.select());
  await page.keyboard.type(typed);
  await until(page, (want) => document.querySelector("#palette").value === want, typed);
  await page.keyboard.press("Enter");
  await until(page, () => !document.querySelector(".palette[open]"));
};

test("Alt and arrows move a node out, in, up and down, and Delete deletes it", async () => {
  const directory = own();
  await studio([directory], async (page) => {
    await openFile(page, "own.ron");
    await has(page, "top .A ..a .b .c");
    await choose(page, "b");
    await press(page, "Alt", "ArrowRight");
    await has(page, "top .A ..a ..b .c");
    await press(page, "Alt", "ArrowUp");
    await has(page, "top .A ..b ..a .c");
    await press(page, "Alt", "ArrowLeft");
    await has(page, "top .A ..a .b .c");
    await press(page, "Alt", "ArrowDown");
    await has(page, "top .A ..a .c .b");
    await page.keyboard.press("Delete");
    await has(page, "top .A ..a .c");
    await press(page, "Control", "s");
    await saved(page);
    assert.ok(!readFileSync(join(directory, "own.ron"), "utf8").includes('"b"'));
    for (let at = 0; at < 5; at += 1) await press(page, "Control", "z");
    await has(page, "top .A ..a .b .c");
  });
});

test("Ctrl K makes another kind, Ctrl Shift G unwraps, Ctrl E extracts", async () => {
  const directory = own();
  const file = join(directory, "own.ron");
  await studio([directory], async (page) => {
    await openFile(page, "own.ron");
    await choose(page, "A");
    await press(page, "Control", "k");
    await type(page, "Parallel");
    await until(page, () => document.querySelector(".here .sort")?.textContent === "Parallel");
    await press(page, "Control", "Shift", "G");
    await has(page, "top .a .b .c");
    await press(page, "Control", "z");
    await has(page, "top .A ..a .b .c");
    await choose(page, "A");
    await press(page, "Control", "e");
    await type(page, "resting");
    await until(page, () => document.querySelector(".excerpt")?.textContent.includes("resting"));
    await press(page, "Control", "s");
    await saved(page);
    assert.match(readFileSync(file, "utf8"), /templates: \{\s*"resting": .*Parallel\(/s);
    await choose(page, "b");
    await press(page, "Control", "e");
    await type(page, "parts/b.ron");
    await dirty(page);
    await press(page, "Control", "s");
    await saved(page);
    assert.match(readFileSync(join(directory, "parts/b.ron"), "utf8"), /Wait\(name: "b", seconds: 2.0\)/);
    assert.match(readFileSync(file, "utf8"), /parts\/b.ron/);
  });
});

test("Shift F2 renames an event in all files", async () => {
  const directory = own();
  await studio([directory], async (page) => {
    await openFile(page, "own.ron");
    await choose(page, "c");
    await page.waitForSelector("#field-event");
    await page.focus("#field-event");
    await press(page, "Shift", "F2");
    await type(page, "bang");
    await dirty(page);
    await press(page, "Control", "s");
    await saved(page);
    for (const file of ["own.ron", "other.ron"]) {
      const now = readFileSync(join(directory, file), "utf8");
      assert.ok(now.includes('"bang": None') && now.includes('event: "bang"') && !now.includes("squeak"), now);
    }
  });
});

test("a line is dragged behind another one, and into one", async () => {
  await studio([own()], async (page) => {
    await openFile(page, "own.ron");
    const drag = async (name, onto, part, side) => {
      const box = async (of) => {
        const id = await choose(page, of);
        return (await page.$(`[data-node="${id}"]`)).boundingBox();
      };
      const to = await box(onto);
      const from = await box(name);
      await page.mouse.move(from.x + 120, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + 120, to.y + to.height / 2, { steps: 5 });
      await page.mouse.move(to.x + 120, to.y + to.height * part, { steps: 3 });
      // A mark comes and goes as the pointer moves, so the pointer is moved until the mark shows.
      for (let at = 0; (await page.$(`[data-drop="${side}"]`)) === null && at < 50; at += 1) await page.mouse.move(to.x + 120 + at, to.y + to.height * part);
      await page.mouse.up();
    };
    await has(page, "top .A ..a .b .c");
    await drag("b", "c", 0.9, "after");
    await has(page, "top .A ..a .c .b");
    await drag("b", "A", 0.5, "into");
    await has(page, "top .A ..a ..b .c");
  });
});

test("what is not saved is shown as a difference from the disk", async () => {
  await studio([own()], async (page) => {
    await openFile(page, "own.ron");
    assert.equal(await page.$eval("#difference", (it) => it.disabled), true);
    await choose(page, "b");
    await page.keyboard.press("Delete");
    await page.waitForSelector("#difference:enabled");
    await page.click("#difference");
    await until(page, () => document.querySelector(".difference .gone")?.textContent.includes('Wait(name: "b"'));
    assert.equal(await page.$eval("#difference", (it) => it.ariaPressed), "true");
    assert.deepEqual(await barriers(page), []);
    // It follows the edits, and disappears when everything is saved.
    await choose(page, "c");
    await page.keyboard.press("Delete");
    await until(page, () => document.querySelectorAll(".difference .gone").length === 2);
    await press(page, "Control", "s");
    await saved(page);
    await until(page, () => !document.querySelector(".difference"));
  });
});

test("a file that is read-only is not saved, and nothing is lost", async () => {
  const directory = own();
  const file = join(directory, "own.ron");
  chmodSync(file, 0o444);
  await studio([directory], async (page) => {
    await openFile(page, "own.ron");
    await choose(page, "b");
    await page.keyboard.press("Delete");
    await has(page, "top .A ..a .c");
    await press(page, "Control", "s");
    await until(page, () => /own.ron` is not saved: it is read-only/.test(document.querySelector(".notice.wrong")?.textContent ?? ""));
    assert.equal(readFileSync(file, "utf8"), OWN);
    chmodSync(file, 0o644);
    await press(page, "Control", "s");
    await saved(page);
    assert.ok(!readFileSync(file, "utf8").includes('"b"'));
  });
});

test("a file that is deleted on the disk is kept, or removed here, too", async () => {
  const directory = own();
  const file = join(directory, "own.ron");
  const press_ = (page, name) => page.evaluate((name) => [...document.querySelectorAll("#conflict button")].find((it) => it.textContent === name).click(), name);
  await studio([directory], async (page) => {
    await openFile(page, "own.ron");
    rmSync(file);
    await until(page, () => document.querySelector("#conflict"));
    assert.match(await text(page, "#conflict p"), /^own.ron is gone from the disk\./);
    assert.equal(await page.$eval(".file[aria-current=true] .unsaved", (it) => it.ariaLabel), "gone from the disk");
    assert.deepEqual(await barriers(page), []);
    await press_(page, "Keep it");
    await until(page, () => !document.querySelector("#conflict"));
    await press(page, "Control", "s");
    await saved(page);
    assert.equal(readFileSync(file, "utf8"), OWN);
    rmSync(file);
    await until(page, () => document.querySelector("#conflict"));
    await press_(page, "Remove it");
    await until(page, () => ![...document.querySelectorAll(".file")].some((it) => it.textContent.includes("own.ron")));
    assert.ok(!existsSync(file));
  });
});

test("nothing of the editor stands on anything else, and all of it can be read", async () => {
  await studio([own()], async (page) => {
    await openFile(page, "own.ron");
    await choose(page, "c");
    await press(page, "Control", "d");
    await dirty(page);
    await page.click("#difference");
    await page.waitForSelector(".difference");
    for (const [width, height] of [[1280, 720], [1920, 1080], [640, 360], [960, 540]]) {
      await page.setViewport({ width, height });
      assert.deepEqual(await page.evaluate(overlaps), [], `overlap at ${width} x ${height}`);
      assert.deepEqual(await page.evaluate(cuts), [], `cut at ${width} x ${height}`);
      assert.deepEqual(await barriers(page), [], `${width} x ${height}`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${width} x ${height}`);
    }
  });
});
