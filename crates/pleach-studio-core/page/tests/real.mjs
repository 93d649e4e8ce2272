// The page on the output and the answers of the real program: `npm run test:real`.
//
// It records a run of the guards first. The page is compared with what the program prints.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atFrame, launch, open, ready, script, text, typeIn, until } from "./browser.mjs";
import { program, root } from "./program.mjs";

const directory = mkdtempSync(join(tmpdir(), "pleach-real-"));
const recording = join(directory, "guard.rec");
const pleach = (...args) => execFileSync(program, args, { cwd: root, encoding: "utf8" });

let browser;
before(async () => {
  pleach("run", "trees/guard.ron", "--agents", "50", "--seed", "4", "--seconds", "30", "--record", recording);
  browser = await launch();
});
after(() => browser.close());

/** A report of an agent, opened at a lens. */
async function reported(name, args, lens) {
  const file = join(directory, `${name}.html`);
  pleach("replay", recording, ...args, "--report", file);
  const page = await open(browser, `file://${file}#${lens}`);
  await ready(page);
  return { page, file };
}

const asked = (...args) => JSON.parse(pleach("replay", recording, "--agent", "17", "--format", "json", ...args)).agent;

test("the program has the page that is committed", async () => {
  const { page, file } = await reported("same", ["--agent", "17"], "");
  assert.ok(readFileSync(file, "utf8").includes(script), "`pleach` was built with another page: build it again");
  await page.close();
});

test("a report of 30 seconds takes at most 300 KB", async () => {
  const { page, file } = await reported("size", ["--agent", "17"], "");
  const { size } = statSync(file);
  console.log(`a report of agent 17 over 30 s: ${size} bytes`);
  assert.ok(size <= 300_000, `${size} bytes`);
  await page.close();
});

test("any moment is what the program prints", async () => {
  const { page } = await reported("moments", ["--agent", "17"], "");
  for (const frame of [1, 60, 172, 500, 856, 1300, 1800]) {
    const told = asked("--frame", String(frame));
    await typeIn(page, "g", "#time-field", `f${frame}`);
    await page.keyboard.press("Enter");
    await atFrame(page, frame);
    const leaf = told.running.map((path) => path.split("/").at(-1).split(".").at(-1));
    const shown = await page.$$eval(".does .leaf", (all) => all.map((it) => it.textContent));
    assert.deepEqual(shown, leaf, `frame ${frame}`);
    const keys = await page.$$eval(".keys tr", (all) => all.map((it) => [...it.cells].slice(0, 2).map((cell) => cell.innerText)));
    assert.deepEqual(keys, told.keys.map((it) => [it.name, it.value]), `frame ${frame}`);
  }
  assert.deepEqual(page.wrong, []);
  await page.close();
});

test("why a node does not run is what the program prints", async () => {
  const { page } = await reported("why", ["--agent", "17"], "frame=400&node=16");
  await until(page, () => document.querySelector(".because dt"));
  const shown = await page.$$eval(".because dd", (all) => all.map((it) => it.textContent));
  const [, ...told] = asked("--frame", "400", "--why", "Attack").why_not.split("\n");
  assert.deepEqual(shown, told.map((it) => it.trim().replace(/^\w+\s+/, "")));
  await page.close();
});

test("a stretch begins and ends where it was cut", async () => {
  const { page } = await reported("stretch", ["--agent", "17", "--from", "12", "--to", "15"], "");
  const { first, last } = await page.$eval("#time-line", (it) => ({ first: it.ariaValueMin, last: it.ariaValueMax }));
  assert.deepEqual([first, last], ["720", "900"]);
  for (const key of ["End", "o", "f", "]", "[", "n"]) await page.keyboard.press(key);
  assert.deepEqual(page.wrong, []);
  await page.close();
});

for (const tree of ["fighter", "veteran", "rabbit"]) {
  test(`the ${tree} is shown`, async () => {
    const [run, file] = [join(directory, `${tree}.rec`), join(directory, `${tree}.html`)];
    pleach("run", `trees/${tree}.ron`, "--agents", "5", "--seconds", "5", "--record", run);
    pleach("replay", run, "--agent", "3", "--report", file);
    const page = await open(browser, `file://${file}`);
    await ready(page);
    for (const key of ["n", "n", "o", "o", "1", "End", "Home", "ArrowDown", "2", "f", "End"]) await page.keyboard.press(key);
    assert.deepEqual(page.wrong, []);
    await page.close();
  });
}

test("the studio serves agents, moments and searches", async () => {
  const studio = spawn(program, ["studio", recording, "--no-open"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((done) => {
      let said = "";
      studio.stdout.on("data", (it) => {
        said += it;
        const found = /http:\/\/\S+/.exec(said);
        if (found) done(found[0]);
      });
    });
    const page = await open(browser, address);
    await ready(page);
    assert.ok(!page.url().includes("token"));
    await typeIn(page, "s", "#find-node", "Attack");
    await page.select(".finder select", "aborted");
    await page.focus("#find-node");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelectorAll("[role=option]").length > 0);
    const listed = pleach("replay", recording, "--find", "Attack", "--ended", "aborted").split("\n")[0];
    const [times, agents] = listed.match(/\d+/g);
    assert.equal(await text(page, ".agents .hint"), `${times} times, ${agents} agents`);
    const first = await text(page, "[role=option] .number");
    await page.click("[role=option]");
    await until(page, (want) => document.querySelector(".who b")?.textContent === want, first);
    await until(page, () => document.querySelector(".chosen .name")?.textContent === "Attack");
    await typeIn(page, "/", "#agents-search", "fight & health < 1");
    await until(page, () => / of 50 agents/.test(document.querySelector(".agents .hint")?.textContent ?? ""));
    // Typed text is sent as a question even while it is not yet an expression.
    assert.deepEqual(page.wrong.filter((it) => !it.includes("400")), []);
    await page.close();
  } finally {
    studio.kill();
  }
});
