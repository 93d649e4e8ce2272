// The studio on a directory of trees, for tests of editing.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { launch, open, until } from "./browser.mjs";
import { program, root } from "./program.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A directory with the shipped guard and its parts. */
export function trees() {
  const directory = join(mkdtempSync(join(tmpdir(), "pleach-edit-")), "trees");
  for (const it of ["guard.ron", "guard.test.ron", "guard", "fighter.ron"]) cpSync(join(root, "trees", it), join(directory, it), { recursive: true });
  return directory;
}

/** Starts the studio, and uses its page. */
export async function studio(args, use, look = {}) {
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
    const page = await open(browser, address, { ...look, own: true });
    await use(page);
    // A change that is refused answers with 400, which the browser notes.
    assert.deepEqual(page.wrong.filter((it) => !it.includes("400")), []);
    await page.close();
  } finally {
    child.kill();
  }
}

export const names = (page) => page.$$eval("[role=treeitem] .name", (all) => all.map((it) => it.textContent));
export const shows = (page, what) => until(page, (want) => document.querySelector("#panel-tree .about")?.textContent.includes(want), what);
export async function openFile(page, name) {
  await until(page, (want) => [...document.querySelectorAll(".file")].some((it) => it.textContent.includes(want)), name);
  await page.evaluate((want) => [...document.querySelectorAll(".file")].find((it) => it.title.startsWith(`${want}:`)).click(), name);
  await shows(page, name);
}
/** Chooses the line whose name is this. */
export async function choose(page, name) {
  const id = await page.$$eval("[role=treeitem]", (all, want) => all.find((it) => it.querySelector(".name").textContent === want)?.dataset.node, name);
  assert.ok(id !== undefined, `no line ${name}`);
  const line = await page.$(`[data-node="${id}"] .name`);
  await line.click();
  await until(page, (want) => document.activeElement?.dataset.node === want, id);
  return id;
}
export async function press(page, ...keys) {
  for (const it of keys.slice(0, -1)) await page.keyboard.down(it);
  await page.keyboard.press(keys.at(-1));
  for (const it of keys.slice(0, -1).reverse()) await page.keyboard.up(it);
}
export const saved = (page) => until(page, () => document.querySelector("#save")?.disabled === true);
export const dirty = (page) => until(page, () => document.querySelector("#save")?.disabled === false);
