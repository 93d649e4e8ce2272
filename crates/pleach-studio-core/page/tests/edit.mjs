// Editing in the page, with the program: `npm run test:real`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, open, ready, text, until } from "./browser.mjs";
import { choose, dirty, names, openFile, press, saved, shows, studio, trees } from "./editor.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { program, root } from "./program.mjs";

test("a stranger inserts, moves, wraps, changes a number, undoes and saves", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  const first = readFileSync(file, "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await choose(page, "fight");
    // Typing in the tree inserts a node.
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
    // All of it can be undone, also after a save.
    for (let at = 0; at < 4; at += 1) await press(page, "Control", "z");
    await dirty(page);
    await press(page, "Control", "s");
    await saved(page);
    assert.equal(readFileSync(file, "utf8"), first);
  });
});

test("a line is dragged to another place", async () => {
  const directory = trees();
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    const at = async (name) => {
      const id = await choose(page, name);
      const box = await (await page.$(`[data-node="${id}"]`)).boundingBox();
      return { x: box.x + 120, y: box.y, height: box.height };
    };
    const to = await at("fight");
    const from = await at("patrol");
    await page.mouse.move(from.x, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y + to.height / 2, { steps: 5 });
    await page.mouse.move(to.x, to.y + 3, { steps: 3 });
    await until(page, () => document.querySelector('[data-drop="before"]'));
    await page.mouse.up();
    await until(page, () => {
      const all = [...document.querySelectorAll("[role=treeitem] .name")].map((it) => it.textContent);
      return all.indexOf("patrol") < all.indexOf("fight");
    });
  });
});

const order = (page) => page.$$eval("[role=treeitem] .name", (all) => all.map((it) => it.textContent).filter((it) => /^[A-D]$/.test(it)).join(""));

test("keys that come before an answer are about the node that was selected", async () => {
  const directory = trees();
  const file = join(directory, "abcd.ron");
  const waits = [..."ABCD"].map((it) => `        Wait(name: "${it}", seconds: 1.0),\n`).join("");
  writeFileSync(file, `Tree(\n    version: 1,\n    root: Sequence(children: [\n${waits}    ]),\n)\n`);
  await studio([directory], async (page) => {
    await openFile(page, "abcd.ron");
    /** Presses keys at once, before an answer can come. */
    const quick = (...keys) =>
      page.evaluate((all) => {
        for (const it of all) {
          const line = [...document.querySelectorAll("[role=treeitem]")].find((line) => line.querySelector(".name").textContent === it.pick);
          const event = line ? new MouseEvent("mousedown", { bubbles: true }) : new KeyboardEvent("keydown", { ...it, bubbles: true, cancelable: true });
          (line ?? document.activeElement).dispatchEvent(event);
        }
      }, keys);
    const up = { key: "ArrowUp", altKey: true };
    const is = (want) => until(page, (want) => [...document.querySelectorAll("[role=treeitem] .name")].map((it) => it.textContent).filter((it) => /^[A-D]$/.test(it)).join("") === want, want);
    await choose(page, "D");
    await quick(up, up);
    await is("ADBC");
    // The final order differs from those on the way, or the next keys could come before the last answer.
    await quick({ key: "ArrowDown", altKey: true }, up, up);
    await is("DABC");
    // A node that is selected in the meantime has no certain place: no wrong node is changed.
    await choose(page, "A");
    await quick({ key: "ArrowDown", altKey: true }, { pick: "C" }, { key: "Delete" });
    await is("DBAC");
    await until(page, () => document.querySelector(".notice.wrong")?.textContent.includes("came too late"));
    assert.equal(await order(page), "DBAC");
    // A field keeps its node, even if another one is selected when the field is left.
    await choose(page, "B");
    await until(page, () => document.querySelector("#field-seconds"));
    await page.focus("#field-seconds");
    await page.$eval("#field-seconds", (it) => it.select());
    await page.keyboard.type("7.5");
    await (await page.$("[data-node='5'] .name")).click();
    await until(page, () => [...document.querySelectorAll("[role=treeitem]")].find((it) => it.querySelector(".name").textContent === "B").textContent.includes("7.5"));
  });
});

test("a field offers values and tells what is wrong with it", async () => {
  const directory = trees();
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.id === "field-expr");
    await page.$eval("#field-expr", (it) => it.select());
    await page.keyboard.type("sees_p");
    await until(page, () => [...document.querySelectorAll(".offers [role=option]")].some((it) => it.textContent.startsWith("sees_player")));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.$eval("#field-expr", (it) => it.value), "sees_player");
    await page.keyboard.type(" && helth < 1");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".field .problem.wrong")?.textContent.includes("`health`"));
    assert.equal(await page.$eval("#field-expr", (it) => it.getAttribute("aria-invalid")), "true");
    await until(page, () => document.querySelector(".file[aria-current=true] .errors")?.textContent === "1 error");
    await page.keyboard.press("Escape");
    await until(page, () => document.activeElement?.getAttribute("role") === "treeitem");
    await press(page, "Control", "z");
    await until(page, () => document.querySelector(".problem") === null);
  });
});

test("a file that changes meanwhile is a conflict with a choice", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await choose(page, "fight");
    await press(page, "Control", "/");
    await until(page, () => document.querySelector(".here.is-off"));
    const theirs = readFileSync(file, "utf8").replace("// A limiter", "// Their limiter");
    writeFileSync(file, theirs);
    await until(page, () => document.querySelector("#conflict"));
    await page.evaluate(() => [...document.querySelectorAll("#conflict button")].find((it) => it.textContent === "Show difference").click());
    await until(page, () => document.querySelector("#panel-diff .difference .gone")?.textContent.includes("Their limiter"));
    assert.ok((await page.$$eval("#panel-diff .difference .added", (all) => all.map((it) => it.textContent).join())).includes("disabled: true"));
    await press(page, "Control", "s");
    await until(page, () => document.querySelector(".notice.wrong")?.textContent.includes("is not saved"));
    assert.equal(readFileSync(file, "utf8"), theirs);
    await page.evaluate(() => [...document.querySelectorAll("#conflict button")].find((it) => it.textContent === "Keep mine").click());
    await until(page, () => document.querySelector("#conflict") === null);
    await press(page, "Control", "s");
    await saved(page);
    assert.ok(readFileSync(file, "utf8").includes("disabled: true"));
  });
});

test("what differs from the disk is a list that leads to the nodes, and can be reverted", async () => {
  const directory = trees();
  const file = join(directory, "guard.ron");
  const first = readFileSync(file, "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "Flee");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.id === "field-speed");
    await page.$eval("#field-speed", (it) => it.select());
    await page.keyboard.type("6.5");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".here .detail")?.textContent.includes("6.5"));
    await choose(page, "recover");
    await page.keyboard.press("Delete");
    await choose(page, "dead");
    await press(page, "Alt", "ArrowDown");
    await page.keyboard.press("5");
    const rows = () => page.$$eval("#panel-diff button.change", (all) => all.map((it) => it.textContent));
    await until(page, () => document.querySelectorAll("#panel-diff button.change").length === 3 && document.activeElement?.classList.contains("change"));
    assert.deepEqual(await rows(), [
      ">guard/flee[0] moved, was guard/flee[1], now before dead",
      '-guard/flee[1]/recover[2]: WaitUntil expr: "health >= 0.8"',
      "~guard/flee[0]/Flee[1], was guard/flee[1]/Flee[1]speed: 5.0 → 6.5",
    ]);
    assert.equal(await text(page, "#panel-diff .summary"), "1 changed, 1 moved, 1 removed; a reload keeps 27 of 28 nodes");
    assert.deepEqual(await barriers(page), []);
    // Enter leads to a node, 5 back to the list.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.getAttribute("role") === "treeitem");
    assert.equal(await text(page, ".here .name"), "flee", "the parent of the removed node");
    await page.keyboard.press("5");
    await until(page, () => document.activeElement?.classList.contains("change"));
    await page.click("#revert");
    await until(page, () => !document.querySelector("#panel-diff") && document.querySelector("#save").disabled);
    await until(page, () => document.activeElement?.getAttribute("role") === "treeitem");
    await press(page, "Control", "z");
    await dirty(page);
    await page.click("#difference");
    await until(page, () => document.querySelectorAll("#panel-diff button.change").length === 3);
    // Without a tree there are only lines.
    await page.click("#as-text");
    await page.focus("#file-text");
    await page.$eval("#file-text", (it) => it.setSelectionRange(0, 0));
    await page.keyboard.type("(");
    await until(page, () => /^only lines are compared: the text here has an error in guard.ron, line 1: /.test(document.querySelector("#panel-diff .summary")?.textContent ?? ""));
    assert.equal(await page.$("#panel-diff .change"), null);
    assert.equal(readFileSync(file, "utf8"), first);
  });
});

test("a tree with an error is shown and mended as text", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.replace('Play(name: "idle", animation: Idle),', 'Play(name: "idle", animation: Idle'));
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    assert.ok((await names(page)).includes("idle"));
    await until(page, () => document.querySelector(".file[aria-current=true] .errors"));
    await choose(page, "fight");
    await press(page, "Control", "d");
    await until(page, () => document.querySelector(".notice.wrong")?.textContent.includes("edit it as text"));
    await page.click("#as-text");
    await until(page, () => document.querySelector("#file-text"));
    await page.$eval("#file-text", (it) => {
      it.focus();
      it.setRangeText("Idle),", it.value.indexOf("animation: Idle") + "animation: ".length, it.value.indexOf("animation: Idle") + "animation: Idle".length);
      it.blur();
    });
    await until(page, () => document.querySelector(".errors") === null);
    await press(page, "Control", "s");
    await saved(page);
    assert.equal(readFileSync(file, "utf8"), whole);
  });
});

test("what is typed is not lost when the file changes meanwhile", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await page.click("#as-text");
    await page.focus("#file-text");
    await page.$eval("#file-text", (it) => it.setSelectionRange(0, 0));
    const theirs = readFileSync(file, "utf8").replace("// A limiter", "// Their limiter");
    await page.keyboard.type("// One");
    writeFileSync(file, theirs);
    await page.keyboard.type(" and two\n", { delay: 120 });
    await until(page, () => document.querySelector("#conflict"));
    assert.ok((await page.$eval("#file-text", (it) => it.value)).startsWith("// One and two\n"));
    assert.equal(readFileSync(file, "utf8"), theirs);
    await page.evaluate(() => [...document.querySelectorAll("#conflict button")].find((it) => it.textContent === "Take theirs").click());
    await until(page, () => document.querySelector("#conflict") === null && !document.querySelector("#file-text").value.includes("One"));
    await page.evaluate(() => document.querySelector("#panel-why [aria-label^=Undo]").click());
    await until(page, () => document.querySelector("#file-text").value.startsWith("// One and two"));
  });
});

test("what is typed while an answer comes is a conflict with the disk, and a long text can be pasted", async () => {
  const directory = trees();
  const file = join(directory, "fighter.ron");
  const first = readFileSync(file, "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await page.click("#as-text");
    const paste = (text) =>
      page.$eval("#file-text", (it, text) => {
        it.focus();
        it.setRangeText(text, 0, 0);
        it.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }, text);
    await paste(`// ${"x".repeat(200_000)}\n`);
    await press(page, "Control", "s");
    for (let at = 0; at < 500 && readFileSync(file, "utf8") === first; at += 1) await new Promise((done) => setTimeout(done, 20));
    const long = readFileSync(file, "utf8");
    assert.equal(long.length, first.length + 200_004);
    // The check of the disk is answered, but the answer reaches the page late.
    await page.evaluate(() => {
      const { fetch } = window;
      window.fetch = async (...all) => {
        const answer = await fetch(...all);
        if (!(await answer.clone().text()).includes("Their limiter") || window.late) return answer;
        window.late = true;
        await new Promise((done) => setTimeout(done, 1500));
        return answer;
      };
    });
    const theirs = long.replace("// A limiter", "// Their limiter");
    writeFileSync(file, theirs);
    await until(page, () => window.late);
    await paste("// One\n");
    await until(page, () => document.querySelector("#conflict"));
    await until(page, () => document.querySelector("#file-text").value.startsWith("// One\n") && !document.querySelector("#file-text").value.includes("Their limiter"));
    await press(page, "Control", "s");
    await until(page, () => document.querySelector(".notice.wrong")?.textContent.includes("is not saved"));
    assert.equal(readFileSync(file, "utf8"), theirs);
  });
});

test("a recording shows what would have been under the edited trees", async () => {
  const directory = trees();
  const recording = join(directory, "guard.rec");
  execFileSync(program, ["run", join(directory, "guard.ron"), "--agents", "20", "--seed", "4", "--seconds", "10", "--record", recording]);
  await studio([recording, "--trees", directory], async (page) => {
    await ready(page);
    await until(page, () => document.querySelector("[role=treeitem], canvas.boxes, .boxes"));
    await page.keyboard.press("F4");
    await shows(page, "guard.ron");
    await until(page, () => document.querySelector("#panel-files"));
    await focused(page, "[role=treeitem]");
    await choose(page, "flee");
    await page.keyboard.press("ArrowDown");
    await press(page, "Shift", "F4");
    await until(page, () => document.querySelector(".what-if")?.textContent.includes("decides as it did"));
    await until(page, () => document.querySelector("#field-expr"));
    await page.focus("#field-expr");
    await page.$eval("#field-expr", (it) => it.select());
    await page.keyboard.type("health <= 1.5");
    await page.keyboard.press("Enter");
    await until(page, () => /Agent \d+ decided differently at frame 1, .*flee/.test(document.querySelector(".what-if")?.textContent ?? ""));
    assert.ok(!readFileSync(join(directory, "guard.ron"), "utf8").includes("1.5"));
    await page.focus("[role=treeitem][tabindex='0']");
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#panel-files") === null && document.querySelector("#panel-agents"));
    // It stays with the recording, also for other agents, and in the editor when one comes back.
    await page.evaluate(() => (location.hash = "agent=7&frame=60"));
    await until(page, () => document.querySelector(".who b")?.textContent === "#7");
    assert.doesNotMatch(await text(page, ".what-if"), /Agent [^7]/);
    await until(page, () => /Agent 7 decided differently at frame 1, /.test(document.querySelector(".what-if")?.textContent ?? ""));
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#what-if")?.ariaPressed === "true");
    assert.match(await text(page, ".what-if"), /Agent 7 decided differently/);
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#panel-files") === null);
    await page.evaluate(() => [...document.querySelectorAll(".what-if button")].find((it) => it.textContent === "Switch off").click());
    await until(page, () => document.querySelector(".what-if") === null);
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#what-if")?.ariaPressed === "false");
  });
});

test("agents of a recording are chosen while its trees are edited, and the node stays", async () => {
  const directory = trees();
  const recording = join(directory, "guard.rec");
  execFileSync(program, ["run", join(directory, "guard.ron"), "--agents", "20", "--seed", "4", "--seconds", "10", "--record", recording]);
  await studio([recording, "--trees", directory], async (page) => {
    await ready(page);
    await page.keyboard.press("r");
    await until(page, () => document.querySelector(".chosen .name"));
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#panel-files"));
    await openFile(page, "guard.ron");
    await until(page, () => document.querySelectorAll("#panel-agents [role=option]").length > 3);
    await choose(page, "flee");
    await press(page, "Shift", "F4");
    await page.click("#panel-agents [role=option]:nth-child(4)");
    await until(page, () => document.querySelector(".who b")?.textContent === "#3");
    await until(page, () => /^What if: Agent 3 /.test(document.querySelector(".what-if")?.textContent ?? ""));
    assert.equal(await text(page, ".here .name"), "flee");
    await page.keyboard.press("F4");
    await until(page, () => document.querySelector("#panel-files") === null);
    assert.equal(await text(page, ".who b"), "#3");
    // The node that was selected before was one of another agent.
    assert.equal(await page.$(".chosen .name"), null);
  });
});

const focused = (page, css) => until(page, (want) => document.activeElement?.matches(want), css);
const onTree = (page) => focused(page, "[role=treeitem]");
const offered = (page) => until(page, () => document.querySelector(".palette[open]") && document.querySelectorAll("#palette-list [role=option]").length > 0);
const here = (page, name) => until(page, (want) => document.querySelector(".here .name")?.textContent === want, name);
const value = (page, id) => page.$eval(id, (it) => it.value);
/** Chooses the first line of `guard.ron` that is a condition, and goes to its expression. */
async function toExpression(page) {
  await openFile(page, "guard.ron");
  await choose(page, "flee");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await focused(page, "#field-expr");
}

test("the first minute of the book", async () => {
  await studio([trees()], async (page) => {
    await onTree(page);
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    await page.keyboard.type("wait");
    await offered(page);
    const offers = await page.$$eval("#palette-list [role=option]", (all) => all.map((it) => it.textContent));
    assert.match(offers[0], /^Wait action Runs /);
    await page.keyboard.press("Enter");
    await here(page, "Wait");
    await onTree(page);
    await page.keyboard.press("Enter");
    await focused(page, ".fields textarea");
    await page.keyboard.type("2.5");
    await page.keyboard.press("Enter");
    await onTree(page);
    await until(page, () => document.querySelector(".here .detail")?.textContent.includes("2.5"));
    const before = await names(page);
    await press(page, "Alt", "ArrowUp");
    await until(page, (was) => [...document.querySelectorAll("[role=treeitem] .name")].map((it) => it.textContent).join() !== was, before.join());
    await onTree(page);
    await press(page, "Control", "s");
    await saved(page);
    await onTree(page);
  });
});

test("keys of the tree work after the insert list is closed, and Escape stays in the editor", async () => {
  await studio([trees()], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    for (const [key, field] of [["Enter", ".fields textarea"], ["F2", "#field-name"]]) {
      await page.keyboard.type("w");
      await offered(page);
      await page.keyboard.press("Escape");
      await until(page, () => document.querySelector(".palette[open]") === null);
      await onTree(page);
      await page.keyboard.press(key);
      await focused(page, field);
      await page.keyboard.press("Escape");
      await onTree(page);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await onTree(page);
    await here(page, "flee");
    // With nothing focused, keys go to the tree.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.type("t");
    await offered(page);
    await page.keyboard.press("Escape");
    await onTree(page);
    await page.keyboard.down("Control");
    await page.keyboard.press("f");
    await page.keyboard.up("Control");
    await focused(page, "#tree-search");
    await page.keyboard.press("Escape");
    await onTree(page);
  });
});

test("a field is set by Enter and Tab, and left as it was by Escape", async () => {
  await studio([trees()], async (page) => {
    await toExpression(page);
    const first = await value(page, "#field-expr");
    await page.keyboard.type("heal");
    await until(page, () => document.querySelector(".field .offers"));
    await page.keyboard.press("Escape");
    await onTree(page);
    assert.equal(await value(page, "#field-expr"), first);
    await page.keyboard.press("Enter");
    await focused(page, "#field-expr");
    await page.keyboard.type("health < 0.25");
    await page.keyboard.press("Tab");
    await until(page, () => document.querySelector(".here .detail")?.textContent.includes("0.25"));
    await focused(page, "#field-name");
    // Renaming keeps the fields too: the next one keeps the focus and the text typed there.
    await page.$eval(".fields details", (it) => (it.open = true));
    await page.keyboard.type("weak");
    await page.keyboard.press("Tab");
    await focused(page, "summary");
    await page.keyboard.press("Tab");
    await focused(page, "#field-id");
    await page.keyboard.type("abc");
    await here(page, "weak");
    await focused(page, "#field-id");
    assert.equal(await value(page, "#field-id"), "abc");
    await page.keyboard.press("Escape");
    await onTree(page);
  });
});

test("a click on another line sets the field that is typed in", async () => {
  await studio([trees()], async (page) => {
    await toExpression(page);
    await page.keyboard.type("health < 0.25");
    await page.$$eval("[role=treeitem]", (all) => (all.find((it) => it.textContent.includes("WaitUntil")).id = "other"));
    await page.click("#other .name");
    await here(page, "recover");
    await until(page, () => [...document.querySelectorAll("[role=treeitem] .detail")].some((it) => it.textContent.includes("0.25")));
    await until(page, () => document.querySelector(".field .problem, .notice") === null);
    assert.match(await text(page, ".here .detail"), /health >= 0.8/);
    await here(page, "recover");
    await onTree(page);
  });
});

test("undo in a field takes back typing first, and then what was set", async () => {
  await studio([trees()], async (page) => {
    await toExpression(page);
    const first = await value(page, "#field-expr");
    await page.keyboard.type("health < 0.25");
    await press(page, "Control", "s");
    await saved(page);
    await focused(page, "#field-expr");
    await page.keyboard.type(" ");
    await press(page, "Control", "z");
    assert.equal(await value(page, "#field-expr"), "health < 0.25");
    await press(page, "Control", "z");
    await until(page, (want) => document.querySelector("#field-expr").value === want, first);
    await focused(page, "#field-expr");
    await press(page, "Control", "Shift", "Z");
    await until(page, () => document.querySelector("#field-expr").value === "health < 0.25");
  });
});

test("a save sets the field that is typed in, and says why it is refused", async () => {
  const directory = trees();
  const first = readFileSync(join(directory, "guard.ron"), "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "flee");
    await press(page, "Control", "d");
    await dirty(page);
    await page.keyboard.press("Enter");
    await focused(page, ".fields textarea");
    await page.keyboard.press("Escape");
    await until(page, () => document.querySelector("#field-note, #field-abort"));
    await page.evaluate(() => (document.querySelector(".fields details").open = true));
    await page.focus("#field-note");
    await page.keyboard.type('"');
    const refused = () => until(page, () => document.querySelector(".notice.wrong")?.textContent.includes("never closed"));
    await press(page, "Control", "s");
    await refused();
    // The disk is checked every two seconds, which loses none of that.
    await new Promise((done) => setTimeout(done, 2500));
    await refused();
    await focused(page, "#field-note");
    assert.equal(await value(page, "#field-note"), '"');
    assert.equal(readFileSync(join(directory, "guard.ron"), "utf8"), first);
    await page.keyboard.press("Enter");
    await focused(page, "#field-note");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("two of them");
    await press(page, "Control", "s");
    await saved(page);
    await focused(page, "#field-note");
    assert.equal(await page.$(".notice.wrong"), null);
    assert.ok(readFileSync(join(directory, "guard.ron"), "utf8").includes("two of them"));
  });
});

test("files and buttons are one stop of Tab each, with arrow keys inside", async () => {
  const directory = trees();
  await studio([directory], async (page) => {
    await openFile(page, "fighter.ron");
    await page.reload();
    await until(page, () => document.querySelector(".file"));
    await onTree(page);
    await page.keyboard.press("4");
    await focused(page, ".file[aria-current=true]");
    assert.equal((await page.$$("#panel-files [tabindex='0']")).length, 1);
    assert.equal((await page.$$(".fields .choices [tabindex='0']")).length, 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await shows(page, "guard.ron");
    await focused(page, ".file[aria-current=true]");
    await page.keyboard.press("Escape");
    await onTree(page);
    await choose(page, "flee");
    await press(page, "Control", "d");
    await dirty(page);
    await page.click("#save");
    await saved(page);
    await onTree(page);
    // The buttons of a conflict come right after the tree.
    await choose(page, "flee");
    await press(page, "Control", "/");
    await dirty(page);
    writeFileSync(join(directory, "guard.ron"), "// Theirs\n" + readFileSync(join(directory, "guard.ron"), "utf8"));
    await until(page, () => document.querySelector("#conflict"));
    await onTree(page);
    await page.keyboard.press("Tab");
    await focused(page, "#conflict button");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector("#conflict") === null);
    await onTree(page);
  });
});

test("hints look like no values, and fit their fields", async () => {
  await studio([trees()], async (page) => {
    await openFile(page, "guard.ron");
    await choose(page, "guard");
    await until(page, () => document.querySelector("#field-locals"));
    const hints = await page.$$eval(".fields textarea", (all) => Object.fromEntries(all.map((it) => [it.id, it.placeholder])));
    assert.match(hints["field-locals"], /^for example \{/);
    const covered = await page.$$eval(".fields textarea", (all) => all.filter((it) => it.value === "" && it.offsetHeight - it.clientHeight > 4).map((it) => it.id));
    assert.deepEqual(covered, []);
    await choose(page, "flee");
    await until(page, () => document.querySelector("#field-abort")?.placeholder === "default: None");
  });
});

test("the change of one node is reverted, and the others stay", async () => {
  const directory = trees();
  const file = join(directory, "guard.ron");
  const first = readFileSync(file, "utf8");
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    const set = async (name, field, value) => {
      await choose(page, name);
      await until(page, (field) => document.querySelector(field), field);
      await page.focus(field);
      await page.$eval(field, (it) => it.select());
      await page.keyboard.type(value);
      await page.keyboard.press("Enter");
      await until(page, (value) => document.querySelector(".here")?.textContent.toLowerCase().includes(value), value.toLowerCase());
    };
    // The last two stand in lines beside each other, and below the first.
    await set("flee", "#field-abort", "Both");
    await set("Flee", "#field-speed", "6.5");
    await set("recover", "#field-expr", "health >= 0.9");
    await page.keyboard.press("5");
    const reverts = () => page.$$eval("#panel-diff li .jump", (all) => all.map((it) => it.ariaLabel));
    await until(page, () => document.querySelectorAll("#panel-diff li .jump").length === 3);
    assert.deepEqual(await reverts(), ["flee", "flee/Flee[1]", "flee/recover[2]"].map((it) => `Revert this change: guard/${it.replace("flee", "flee[1]")}`));
    assert.deepEqual(await barriers(page), []);
    assert.deepEqual(await page.evaluate(overlaps), []);
    assert.deepEqual(await page.evaluate(cuts), []);
    await page.click('#panel-diff .jump[aria-label$="Flee[1]"]');
    await until(page, () => document.querySelectorAll("#panel-diff li .jump").length === 2);
    await page.click('#panel-diff .jump[aria-label$="/flee[1]"]');
    await until(page, () => document.querySelectorAll("#panel-diff li .jump").length === 1);
    await press(page, "Control", "s");
    await saved(page);
    assert.equal(readFileSync(file, "utf8"), first.replace("health >= 0.8", "health >= 0.9"));
    // Undo brings back what the last button took.
    await press(page, "Control", "z");
    await dirty(page);
    await page.keyboard.press("5");
    await until(page, () => document.querySelector("#panel-diff .change")?.textContent.startsWith("~guard/flee[1]"));
  });
});

test("the text opens at the line of the node, with its problems in sight", async () => {
  const directory = trees();
  const file = join(directory, "guard.ron");
  const lines = readFileSync(file, "utf8").split("\n");
  await studio([directory], async (page) => {
    await toExpression(page);
    await page.keyboard.type("helth < 1");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".file[aria-current=true] .errors"));
    await page.click("#as-text");
    await focused(page, "#file-text");
    const lineOfCursor = () => page.$eval("#file-text", (it) => it.value.slice(0, it.selectionStart).split("\n").length);
    const at = await lineOfCursor();
    assert.ok((await value(page, "#file-text")).split("\n")[at - 1].includes("helth"));
    assert.equal(await page.$eval(".whole pre", (it) => it.textContent.split("\n").length), lines.length);
    const inSight = await page.$eval(".problem.wrong", (it) => it.getBoundingClientRect().bottom < innerHeight && it.getBoundingClientRect().top > 0);
    assert.ok(inSight);
    await page.$eval("#file-text", (it) => it.setSelectionRange(0, 0));
    await page.click(".problem.wrong .link");
    await focused(page, "#file-text");
    assert.equal(await lineOfCursor(), at);
    await page.keyboard.press("Escape");
    await onTree(page);
    await page.keyboard.press("Enter");
    await focused(page, "#file-text");
    await page.click("#as-text");
    await onTree(page);
  });
});

for (const [width, height, theme] of [[1280, 720, "light"], [1920, 1080, "dark"], [640, 360, "light"]]) {
  test(`the editor fits ${width} x ${height}, ${theme}`, async () => {
    await studio(
      [trees()],
      async (page) => {
        await openFile(page, "guard.ron");
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await barriers(page), []);
        await page.keyboard.type("Wait");
        await offered(page);
        assert.deepEqual(await barriers(page), []);
        await page.keyboard.press("Escape");
        await until(page, () => document.querySelector(".palette[open]") === null);
        await page.keyboard.press("?");
        await until(page, () => document.querySelector("dialog.help[open]")?.textContent.includes("wrap it"));
        assert.match(await text(page, "dialog.help section"), /^EditShiftF4what if.*4to the files/s);
      },
      { width, height, theme },
    );
  });
}

test("the list of files shows the open one, and changes move no button", async () => {
  const directory = trees();
  for (let number = 0; number < 60; number += 1) writeFileSync(join(directory, `a${number}.ron`), 'Tree(name: "a", root: Wait(1.0))\n');
  await studio([directory], async (page) => {
    await openFile(page, "guard.ron");
    const seen = () =>
      page.$eval("#panel-files", (it) => {
        const [open, ...others] = it.querySelectorAll("[aria-current=true]");
        const [{ top, bottom }, outer] = [open.getBoundingClientRect(), open.closest(".scroll").getBoundingClientRect()];
        return others.length === 0 && open.title.startsWith("guard.ron:") && top >= outer.top && bottom <= outer.bottom;
      });
    assert.ok(await seen());
    await page.reload();
    await openFile(page, "guard.ron");
    assert.ok(await seen());
    const places = () => page.$$eval("#panel-why .head button", (all) => all.map((it) => `${it.ariaLabel ? "" : it.textContent} ${it.getBoundingClientRect().left}`).join());
    const before = await places();
    assert.equal(await page.$eval("#difference", (it) => it.disabled), true);
    await choose(page, "dead");
    await page.keyboard.press("Delete");
    await dirty(page);
    await page.waitForSelector("#difference:enabled");
    assert.equal(await places(), before);
  });
});
