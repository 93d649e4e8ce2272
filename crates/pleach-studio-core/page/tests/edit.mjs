// Editing in the page, with the program: `npm run test:real`.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, open, ready, text, until } from "./browser.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const built = ["release", "debug"].map((it) => join(root, "target", it, "pleach")).filter((it) => existsSync(it));
const program = process.env.PLEACH ?? built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
assert.ok(program, "no `pleach` under target: build it, or name it in PLEACH");

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A directory with the shipped guard and its parts. */
function trees() {
  const directory = join(mkdtempSync(join(tmpdir(), "pleach-edit-")), "trees");
  for (const it of ["guard.ron", "guard", "fighter.ron"]) cpSync(join(root, "trees", it), join(directory, it), { recursive: true });
  return directory;
}

/** Starts the studio, and uses its page. */
async function studio(args, use, look = {}) {
  const child = spawn(program, ["studio", ...args, "--no-open"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((done) => {
      let said = "";
      child.stdout.on("data", (it) => {
        said += it;
        const found = /http:\/\/\S+/.exec(said);
        if (found) done(found[0]);
      });
    });
    const page = await open(browser, address, look);
    await use(page);
    // A change that is refused answers with 400, which the browser notes.
    assert.deepEqual(page.wrong.filter((it) => !it.includes("400")), []);
    await page.close();
  } finally {
    child.kill();
  }
}

const names = (page) => page.$$eval("[role=treeitem] .name", (all) => all.map((it) => it.textContent));
const shows = (page, what) => until(page, (want) => document.querySelector("#panel-tree .about")?.textContent.includes(want), what);
async function openFile(page, name) {
  await until(page, (want) => [...document.querySelectorAll(".file")].some((it) => it.textContent.includes(want)), name);
  await page.evaluate((want) => [...document.querySelectorAll(".file")].find((it) => it.title.startsWith(`${want}:`)).click(), name);
  await shows(page, name);
}
/** Chooses the line whose name is this. */
async function choose(page, name) {
  const id = await page.$$eval("[role=treeitem]", (all, want) => all.find((it) => it.querySelector(".name").textContent === want)?.dataset.node, name);
  assert.ok(id !== undefined, `no line ${name}`);
  const line = await page.$(`[data-node="${id}"] .name`);
  await line.click();
  await until(page, (want) => document.activeElement?.dataset.node === want, id);
  return id;
}
async function press(page, ...keys) {
  for (const it of keys.slice(0, -1)) await page.keyboard.down(it);
  await page.keyboard.press(keys.at(-1));
  for (const it of keys.slice(0, -1).reverse()) await page.keyboard.up(it);
}
const saved = (page) => until(page, () => document.querySelector("#save")?.disabled === true);
const dirty = (page) => until(page, () => document.querySelector("#save")?.disabled === false);

test("a stranger inserts, moves, wraps, changes a number, undoes and saves", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  const first = readFileSync(file, "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await choose(page, "fight");
    // What is typed in the tree is a node that is inserted.
    await page.keyboard.type("Log");
    await until(page, () => document.querySelector(".palette[open]") && document.querySelectorAll("#palette-list [role=option]").length > 0);
    assert.equal(await page.$eval("#palette", (it) => it.value.toLowerCase()), "log");
    await page.select("#palette-side", "after");
    await page.focus("#palette");
    await page.keyboard.press("Enter");
    await dirty(page);
    await until(page, () => document.querySelector(".chosen, .here .name")?.textContent === "Log");
    assert.equal(readFileSync(file, "utf8"), first, "nothing is written before it is saved");
    // It goes up, before the fight.
    await press(page, "Alt", "ArrowUp");
    await until(page, () => {
      const all = [...document.querySelectorAll("[role=treeitem] .name")].map((it) => it.textContent);
      return all.indexOf("Log") === all.indexOf("fight") - 1;
    });
    await press(page, "Control", "g");
    await until(page, () => document.querySelectorAll("#palette-list [role=option]").length > 0);
    await page.keyboard.type("Limit");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".here .name")?.textContent === "Limit");
    await until(page, () => document.querySelector("#field-count"));
    await page.focus("#field-count");
    await page.$eval("#field-count", (it) => it.select());
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".here .detail")?.textContent.includes("count: 7"));
    await page.focus("[role=treeitem][tabindex='0']");
    await press(page, "Control", "z");
    await until(page, () => !document.querySelector(".here .detail")?.textContent.includes("count: 7"));
    await press(page, "Control", "Shift", "Z");
    await until(page, () => document.querySelector(".here .detail")?.textContent.includes("count: 7"));
    await press(page, "Control", "s");
    await saved(page);
    const now = readFileSync(file, "utf8");
    assert.ok(now.includes('Limit(count: 7, child: Log(text: "text")),\n            Guard(\n                name: "fight"'), now);
    const comments = (it) => it.split("\n").filter((line) => line.trim().startsWith("//"));
    assert.deepEqual(comments(now), comments(first));
    execFileSync(program, ["fmt", "--check", file]);
    execFileSync(program, ["check", file]);
    // All of it can be taken back, also after it was saved.
    for (let at = 0; at < 4; at += 1) await press(page, "Control", "z");
    await dirty(page);
    await press(page, "Control", "s");
    await saved(page);
    assert.equal(readFileSync(file, "utf8"), first);
  });
});
