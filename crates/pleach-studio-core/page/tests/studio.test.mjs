// What a reader does with a whole recording that a server serves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { atFrame, frameOf, launch, open, ready, text, typeIn, until } from "./browser.mjs";
import { cuts, overlaps } from "./looks.mjs";
import { serve, TOKEN } from "./server.mjs";

let browser;
let server;
let asked = [];
before(async () => {
  browser = await launch();
  server = await serve({ asked: (it) => asked.push(it) });
});
after(async () => {
  await browser.close();
  server.close();
});

async function opened(use, lens = "") {
  const page = await open(browser, `${server.opened}${lens}`);
  await ready(page);
  await use(page);
  assert.deepEqual(page.wrong, []);
  await page.close();
}

const agentIs = (page, agent) => until(page, (want) => document.querySelector(".who b")?.textContent === want, `#${agent}`);

test("the token leaves the address, and the tab keeps it", () =>
  opened(async (page) => {
    assert.ok(!page.url().includes(TOKEN));
    await page.reload();
    await ready(page);
    assert.equal(await page.title(), "guards.rec · pleach studio");
  }));

test("without the token the page says what to do", async () => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(server.address);
  await until(page, () => document.querySelector("[role=alert]")?.textContent?.includes("open the address that `studio` printed"));
  await context.close();
});

test("ten thousand agents are a list of which few lines are in the document", () =>
  opened(async (page) => {
    await until(page, () => document.querySelector(".agents .about")?.textContent === "10\u202f000");
    assert.ok((await page.$$("[role=option]")).length < 60);
    await page.focus("[role=listbox]");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await agentIs(page, 3);
    // Reaching the end of the list loads more of it.
    const height = () => page.$eval("[role=listbox] > div", (it) => it.offsetHeight);
    const before = await height();
    await page.$eval("[role=listbox]", (it) => (it.scrollTop = it.scrollHeight));
    await until(page, (was) => document.querySelector("[role=listbox] > div").offsetHeight > was, before);
  }));

test("the search narrows the list, and tells what is wrong with it", () =>
  opened(async (page) => {
    await typeIn(page, "/", "#agents-search", "flee");
    await until(page, () => document.querySelector(".agents .hint")?.textContent === "100 of 10\u202f000 agents");
    await page.keyboard.press("Escape");
    await page.$eval("#agents-search", (it) => it.select());
    await page.keyboard.type("(");
    await until(page, () => document.querySelector(".hint.wrong")?.textContent?.includes("is not a condition"));
    page.wrong = page.wrong.filter((it) => !it.includes("400"));
    await page.keyboard.press("Backspace");
    await until(page, () => document.querySelector(".hint.wrong") === null);
  }));

test("a search that is wrong says so beside its fields", () =>
  opened(async (page) => {
    await typeIn(page, "s", "#find-node", "nobody ".repeat(20).trim());
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector(".hint.wrong")?.textContent?.includes("no node `nobody"));
    assert.equal(await page.$(".notice.wrong"), null);
    // It takes one line until it is opened; keys can open it too.
    const height = () => page.$eval(".hint.wrong", (it) => it.clientHeight);
    const before = await height();
    assert.ok(before < 40, `${before} pixels`);
    await page.focus(".hint.wrong summary");
    await page.keyboard.press(" ");
    await until(page, (was) => document.querySelector(".hint.wrong").clientHeight > was, before);
    assert.equal(await page.$eval(".transport .main", (it) => it.ariaLabel), "Play");
    page.wrong = page.wrong.filter((it) => !it.includes("400"));
  }));

test("an agent is gone to by its number, and its line comes into sight", () =>
  opened(async (page) => {
    for (const [typed, agent] of [["17", 17], ["#4000", 4000], ["3", 3]]) {
      await typeIn(page, "/", "#agents-search", typed);
      await until(page, (want) => document.querySelector(".agents .hint")?.textContent === `Enter goes to agent #${want}.`, agent);
      await page.keyboard.press("Enter");
      await agentIs(page, agent);
      await until(page, (want) => {
        const list = document.querySelector("[role=listbox]").getBoundingClientRect();
        const line = document.querySelector(".row.here");
        const box = line?.getBoundingClientRect();
        return line?.querySelector(".number").textContent === want && box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
      }, `#${agent}`);
      await page.keyboard.press("Escape");
    }
    assert.ok(asked.every((it) => it.ask !== "agents" || it.find === undefined || !/^#?\d+$/.test(it.find)));
  }));

test("an agent that is not there is named, and another one is shown", async () => {
  for (const [from, shown] of [["&agent=99999&frame=480", 0], ["&agent=5", 5]]) {
    await opened(async (page) => {
      if (shown === 5) await page.evaluate(() => (location.hash = "agent=99999"));
      await until(page, () => document.querySelector(".notice.wrong")?.textContent?.includes("agent 99999 does not exist"));
      await agentIs(page, shown);
      await until(page, () => document.querySelectorAll("[role=treeitem]").length > 5);
      assert.match(await text(page, ".notice.wrong"), new RegExp(`This is agent ${shown}\.$`));
      await page.evaluate(() => (location.hash = "agent=7"));
      await agentIs(page, 7);
      await until(page, () => document.querySelector(".notice.wrong") === null);
      page.wrong = page.wrong.filter((it) => !it.includes("400"));
    }, from);
  }
});

test("what is found leads to its own frame, also if the agent before was not there then", async () => {
  // Agent 0 leaves early.
  const changed = (answer, { ask, agent }) => (ask === "track" && agent === 0 ? { ...answer, last: 100 } : answer);
  const other = await serve({ agents: 500, changed });
  const page = await open(browser, other.opened);
  await ready(page);
  await typeIn(page, "s", "#find-node", "Attack");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelectorAll("[role=option]").length > 5);
  const when = await text(page, "[role=option]:nth-child(5) .when");
  await page.click("[role=option]:nth-child(5)");
  await agentIs(page, 402);
  await atFrame(page, Math.round(parseFloat(when) * 60));
  await until(page, () => document.querySelector(".chosen .name")?.textContent === "Attack");
  assert.ok((await frameOf(page)) > 100);
  // And back: a frame in which the agent does not exist becomes its last one.
  await page.evaluate(() => (location.hash = "agent=0&frame=900"));
  await agentIs(page, 0);
  await atFrame(page, 100);
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("a new token in the address of an open page is taken", async () => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(`${server.address}#token=old`);
  await until(page, () => document.querySelector("[role=alert]") !== null);
  await page.evaluate((token) => (location.hash = `token=${token}&agent=17&frame=480`), TOKEN);
  await ready(page);
  await agentIs(page, 17);
  await atFrame(page, 480);
  assert.ok(!page.url().includes(TOKEN));
  await context.close();
});

test("what agents do that run no node is no search", async () => {
  const changed = (answer, { ask }) => (ask === "agents" ? { ...answer, crowd: [{ behaviour: "(nothing)", count: 2 }, ...answer.crowd] } : answer);
  const other = await serve({ agents: 500, changed });
  const page = await open(browser, other.opened);
  await ready(page);
  await until(page, () => document.querySelectorAll(".crowd li").length > 3);
  assert.equal(await page.$(".crowd li:first-child button"), null);
  assert.equal(await text(page, ".crowd li:first-child .doing"), "(nothing)");
  await page.close();
  other.close();
});

test("the crowd is counted by what it does", () =>
  opened(async (page) => {
    await until(page, () => document.querySelector(".crowd li"));
    const bars = await page.$$eval(".crowd li", (all) => all.map((it) => it.innerText.replaceAll("\n", " ")));
    assert.deepEqual(bars, ["patrol by day 79 %", "help 9 %", "fight 6 %", "investigate 5 %", "flee 1 %"]);
    await page.click(".crowd li:last-child .link");
    await until(page, () => document.querySelector(".agents .hint")?.textContent?.startsWith("100 of"));
  }));

test("what is found is listed, is marked, and leads to agent, moment and node", () =>
  opened(async (page) => {
    await typeIn(page, "s", "#find-node", "Attack");
    await page.select(".finder select", "aborted");
    await page.focus("#find-node");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector("[role=listbox]")?.textContent?.includes("#402"));
    assert.deepEqual(asked.findLast((it) => it.ask === "find"), { ask: "find", node: "Attack", ended: "aborted" });
    await page.click("[role=option]:nth-child(2)");
    await agentIs(page, 402);
    await until(page, () => document.querySelector(".chosen .name")?.textContent === "Attack");
    assert.ok((await frameOf(page)) > 0);
    assert.match(await text(page, ".legend"), /found/);
  }));

test("of many hits the first and the last are listed, and keys lead to both ends", async () => {
  const hit = (at) => ({ frame: at, seconds: at / 60, agent: 5, node: 16, text: `n16 Attack ${at}` });
  const hits = Array.from({ length: 1000 }, (_, at) => hit(at < 500 ? at : at + 800));
  let answer = { count: 1800, agents: 50, hits };
  const other = await serve({ agents: 50, changed: (it, { ask }) => (ask === "find" ? answer : it) });
  const page = await open(browser, other.opened);
  await ready(page);
  await typeIn(page, "s", "#find-node", "Attack");
  await page.keyboard.press("Enter");
  const said = (want) => until(page, (want) => document.querySelector(".agents .hint")?.textContent === want, want);
  await said("1\u202f800 times, 50 agents; the first 500 and the last 500 are listed");
  await page.focus("[role=listbox]");
  for (const [key, frame] of [["End", 1799], ["Home", 0]]) {
    await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await atFrame(page, frame);
    await page.focus("[role=listbox]");
  }
  answer = { count: 0, agents: 0, hits: [], note: "It was entered 50 times, and never got past its conditions." };
  await page.click(".finder button[type=submit]");
  await said("Not found. It was entered 50 times, and never got past its conditions.");
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("a fast hand makes no queue of questions", () =>
  opened(async (page) => {
    asked = [];
    const { x, y, width } = await (await page.$("#time-line canvas")).boundingBox();
    await page.mouse.move(x + 5, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 10, { steps: 200 });
    await page.mouse.up();
    await atFrame(page, 900);
    await until(page, () => document.querySelector(".does .doing")?.textContent?.includes("help › MoveTo"));
    const moments = () => asked.filter((it) => it.ask === "moment");
    while (moments().at(-1).frame !== 900) await new Promise((done) => setTimeout(done, 20));
    assert.ok(moments().length <= 201, `${moments().length} questions`);
  }));

test("a server that stops is told of, and the page stays", async () => {
  const other = await serve({ agents: 10 });
  const page = await open(browser, other.opened);
  await ready(page);
  await page.setOfflineMode(true);
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector("[role=alert]")?.textContent?.includes("does not answer"));
  await page.setOfflineMode(false);
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector("[role=alert]") === null);
  other.close();
  await page.close();
});

test("what another agent did is not shown under the name of the new one", async () => {
  let go = () => {};
  const held = ({ ask, agent }) => (agent === 17 && ask !== "why_not" ? new Promise((done) => (go = done)) : Promise.resolve());
  const other = await serve({ agents: 50, held });
  const page = await open(browser, other.opened);
  await ready(page);
  const high = () => page.$eval("#time-line canvas", (it) => it.clientHeight);
  const before = await high();
  await typeIn(page, "/", "#agents-search", "17");
  await page.keyboard.press("Enter");
  await agentIs(page, 17);
  // The answers are those about its track, then its moment.
  for (const ask of ["track", "moment"]) {
    await until(page, () => document.querySelector(".why .empty")?.textContent === "Playing agent #17 …");
    assert.equal(await page.$(".does"), null, ask);
    assert.ok(await page.$(".why.waits"));
    assert.ok(await page.$(".tree.waits"));
    assert.equal(await high(), before);
    await new Promise((done) => setTimeout(done, 300));
    go();
  }
  await ready(page);
  assert.equal(await page.$(".waits"), null);
  // A moment far from the last one.
  const slow = await serve({ agents: 50, held: ({ ask, frame }) => (ask === "moment" && frame > 1000 ? new Promise((done) => (go = done)) : Promise.resolve()) });
  await page.goto(slow.opened);
  await page.reload();
  await ready(page);
  const at = await text(page, ".why .about");
  await page.keyboard.press("End");
  await until(page, () => document.querySelector(".why.waits"));
  assert.equal(await text(page, ".why .about"), at);
  await new Promise((done) => setTimeout(done, 300));
  go();
  await until(page, () => !document.querySelector(".waits"));
  assert.notEqual(await text(page, ".why .about"), at);
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
  slow.close();
});

/** Serves a game that stands at the last frame of the sample. `now` is its state, and may change. */
async function game(now, more = {}) {
  const answer = (it, { ask }) => {
    if (ask === "overview") return { ...it, kind: "live" };
    if (ask === "steer") return more.steer?.() ?? null;
    const { first, last, times, notes, reload, ...state } = { first: 0, last: 1800, times: [], notes: [], ...now };
    const of = { state: 1, begun: 1, paused: false, speed: 1, late: 0, forced: [], ...state };
    return ask === "live" ? { first, last, times, agents: 50, trees: 1, notes, reload, keys_every: 1, breaks: now.breaks ?? [], game: of } : more.changed?.(it, { ask }) ?? it;
  };
  return serve({ agents: 50, ...more, changed: answer });
}

test("a game that is seen late is not said to be live", async () => {
  const now = { late: 0 };
  let go = () => {};
  let holds = false;
  const held = ({ ask }) => new Promise((done) => (ask === "live" ? (holds ? (go = done) : setTimeout(done, 50)) : done()));
  const other = await game(now, { held });
  const page = await open(browser, other.opened);
  await ready(page);
  const says = (want) => until(page, (want) => new RegExp(want).test(document.querySelector(".follow").textContent), want);
  await says("^● live$");
  assert.ok(await page.$(".game.is-live"));
  now.late = 4;
  await says("^● live, 4 s behind$");
  assert.equal(await page.$(".game.is-live"), null);
  now.late = 0;
  await says("^● live$");
  // The studio does not answer.
  holds = true;
  await says("^● live, 2 s behind$");
  holds = false;
  go();
  await says("^● live$");
  await page.close();
  other.close();
});

test("a game has one control that stops it, apart from what plays its past in the page", async () => {
  const now = {};
  const told = [];
  const other = await game(now, { asked: (it) => it.ask === "steer" && told.push(it.do) });
  const page = await open(browser, other.opened);
  await ready(page);
  const seen = (css) => page.$eval(css, (it) => it.checkVisibility({ visibilityProperty: true }));
  const groups = () => page.$$eval(".banner .group", (all) => all.map((it) => it.textContent));
  assert.deepEqual(await groups(), ["View", "Game"]);
  // While the page follows the game it has nothing to play.
  assert.equal(await seen(".transport .main"), false);
  assert.equal(await text(page, ".game .stop"), "Stop");
  await page.click("[aria-label='Stop the game']");
  await until(page, () => document.querySelector(".follow").getAttribute("aria-pressed") === "true");
  Object.assign(now, { paused: true, state: 2 });
  await until(page, () => document.querySelector(".game .stop").textContent === "Go on");
  await page.click("[aria-label='One frame back']");
  await until(page, () => document.querySelector(".transport .main").checkVisibility({ visibilityProperty: true }));
  assert.equal(await page.$eval(".transport .main", (it) => it.ariaLabel), "Play");
  assert.deepEqual(told, ["pause"]);
  for (const [width, height] of [[1280, 720], [1920, 1080]]) {
    await page.setViewport({ width, height });
    assert.deepEqual(await page.evaluate(overlaps), []);
    assert.deepEqual(await page.evaluate(cuts), []);
  }
  await page.click("[aria-label='Let the game go on']");
  await until(page, () => !document.querySelector(".transport .main").checkVisibility({ visibilityProperty: true }));
  assert.deepEqual(told, ["pause", "go"]);
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("the panel of the search scrolls as a whole, and a breakpoint has no old hits below it", async () => {
  const find = { node: "Attack" };
  let wrong = null;
  const now = { breaks: [], notes: ["Only a part can be shown.", "The replay diverges from the recording, once."] };
  const other = await game(now, {
    steer: () => wrong ?? void now.breaks.push({ id: now.breaks.length, text: `${now.breaks.length}: Attack starts`, find, hits: 0, nth: 1 }),
  });
  const page = await open(browser, other.opened);
  await ready(page);
  await page.keyboard.press("c");
  // The tab leads to its first field: what is typed goes there.
  await page.$$eval(".agents [role=tab]", (all) => all[1].click());
  await page.keyboard.type("Attack");
  assert.equal(await page.$eval("#find-node", (it) => it.value), "Attack");
  const search = async () => {
    await page.click(".finder button[type=submit]");
    await until(page, () => document.querySelectorAll(".finding [role=option]").length > 2);
  };
  await search();
  const stop = () => page.$$eval(".finder button", (all) => all.at(-1).click());
  wrong = { error: "there is no node `Attack`" };
  await stop();
  await until(page, () => document.querySelector(".finding [role=alert]")?.textContent === "there is no node `Attack`");
  assert.equal(await page.$(".notes [role=alert]"), null);
  wrong = null;
  await stop();
  await until(page, () => document.querySelectorAll(".breaks li").length === 1);
  assert.equal(await page.$(".finding .rows"), null);
  assert.equal(await text(page, ".finding > .breaks .hint"), "not yet");
  for (const count of [2, 3]) {
    await stop();
    await until(page, (count) => document.querySelectorAll(".breaks li").length === count, count);
  }
  await search();
  const box = await page.$eval(".finding", (it) => {
    it.scrollTop = it.scrollHeight;
    const [outer, list] = [it, it.querySelector(".rows")].map((it) => it.getBoundingClientRect());
    return { high: list.height, inside: list.bottom <= outer.bottom + 1 && list.top >= outer.top - 1 };
  });
  assert.ok(box.high >= 150 && box.inside, JSON.stringify(box));
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await until(page, () => document.querySelector("dialog.help[open]"));
  // The refused breakpoint.
  assert.deepEqual(page.wrong.filter((it) => !it.includes("400")), []);
  await page.close();
  other.close();
});

test("a breakpoint says from which hit on it stops, and where it has", async () => {
  const one = { id: 1, text: "`flee` starts", find: { node: "flee" }, hits: 1, nth: 2 };
  const now = { breaks: [one], last: 1700 };
  const other = await game(now);
  const page = await open(browser, other.opened);
  await ready(page);
  await page.keyboard.press("s");
  await until(page, () => document.querySelector(".breaks li")?.textContent.includes("`flee` starts, from the 2nd hit on"));
  assert.equal(await page.$(".notice"), null);
  const says = async (frame, last, want) => {
    Object.assign(now, { last, paused: true, state: last, breaks: [{ ...now.breaks[0], hits: now.breaks[0].hits + 1, last: { frame, seconds: frame / 60, agent: 7, text: "" } }] });
    await until(page, (want) => document.querySelector(".notice")?.textContent === want, want);
  };
  await says(1750, 1750, "Stopped by a breakpoint: `flee` starts: agent #7, frame 1\u202f750.");
  await says(1777, 1779, "Stopped by a breakpoint: `flee` starts: agent #7, frame 1\u202f777. The game has played on up to frame 1\u202f779.");
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("a value that the game overwrites is said to be, and an error stands at the field", async () => {
  const now = { paused: true };
  let answer = { error: "`0.2 +` is not a value" };
  const other = await game(now, { steer: () => answer });
  const page = await open(browser, other.opened);
  await ready(page);
  const set = async (value) => {
    await page.keyboard.type(value);
    await page.keyboard.press("Enter");
  };
  await page.click('[aria-label^="Set health, now"]');
  await page.$eval('[aria-label="Value of health"]', (it) => it.select());
  await set("0.2 +");
  await until(page, () => document.querySelector(".keys .value [role=alert]")?.textContent === "`0.2 +` is not a value");
  answer = null;
  await page.$eval('[aria-label="Value of health"]', (it) => it.select());
  await set("0.123");
  const says = (want) => until(page, (want) => document.querySelector(".keys .value [role=status]")?.textContent === want, want);
  await says("0.123 from the next frame on");
  now.last = 1801;
  await says("The game has overwritten 0.123.");
  assert.equal(await page.$(".keys [role=alert]"), null);
  await page.close();
  other.close();
});

test("what the game says is shown until it is closed or the game says something else", async () => {
  const now = { says: "reload  guard.ron  rejected\nguard.ron:3:5: error: it <b>ends</b> here" };
  const other = await game(now);
  const page = await open(browser, other.opened);
  await ready(page);
  await until(page, () => document.querySelector("#says")?.textContent.includes("it <b>ends</b> here"));
  await page.click("#says button");
  await until(page, () => !document.querySelector("#says"));
  now.says = "The tree is reloaded.";
  await until(page, () => document.querySelector("#says")?.textContent.includes("The tree is reloaded."));
  delete now.says;
  await until(page, () => !document.querySelector("#says"));
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("of each kind of notice the newest is shown, at most three in all, and each can be closed", async () => {
  const now = { notes: ["Only a part can be shown.", "2 frames of the game did not come."] };
  const other = await game(now);
  const page = await open(browser, other.opened);
  await ready(page);
  const shown = (...want) => until(page, (want) => [...document.querySelectorAll(".notes .notice")].map((it) => it.textContent).join("|") === want, want.join("|"));
  const close = (id) => page.click(`.notes ${id} [aria-label="Close this notice"]`);
  const notes = "Only a part can be shown.\n2 frames of the game did not come.";
  await shown(notes);
  now.reload = { frame: 100, text: "5 agents kept running" };
  await shown("Reloaded in frame 100: 5 agents kept running.", notes);
  now.says = "guard.ron is rejected";
  const says = "The game says: guard.ron is rejected";
  await shown(says, "Reloaded in frame 100: 5 agents kept running.", notes);
  now.reload = { frame: 200, text: "5 agents restarted" };
  const reload = "Reloaded in frame 200: 5 agents restarted.";
  await shown(reload, says, notes);
  now.gone = "it ended";
  const gone = "Nothing more comes from the game: it ended. The page waits for it.";
  await shown(gone, reload, says);
  // What is closed makes room for an older one, and comes back only if it is told again.
  await close("#reloaded");
  await shown(gone, says, notes);
  now.reload = { frame: 300, text: "5 agents restarted" };
  await shown("Reloaded in frame 300: 5 agents restarted.", gone, says);
  for (let left = 3; left >= 0; left -= 1) {
    await close(".notice");
    await until(page, (left) => document.querySelectorAll(".notes .notice").length === left, Math.min(3, left));
  }
  // A count that goes up does not open it again.
  now.notes = [now.notes[0], "3 frames of the game did not come."];
  now.last = 1799;
  await until(page, () => document.querySelector("#time-line").ariaValueMax === "1799");
  await shown();
  delete now.gone;
  await until(page, () => document.querySelector(".follow").textContent === "● live");
  now.gone = "it ended";
  await shown(gone);
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("counts are those of the whole recorded life, also beyond the stretch that was asked for", async () => {
  const life = [{ node: 16, tree: 0, times: 12, ended: [4, 3, 5, 0] }, { node: 27, tree: 0, times: 2, ended: [0, 2, 0, 0], before: [0, "failure"] }];
  const other = await serve({ agents: 50, changed: (it, { ask }) => (ask === "track" ? { ...it, life } : it) });
  const page = await open(browser, `${other.opened}&frame=480`, { width: 1920, height: 1080 });
  await ready(page);
  const of = (node) => page.$eval(`[data-node="${node}"]`, (it) => [it.querySelector(".runs").textContent, it.querySelector(".runs").title, /is-\w+/.exec(it.className)?.[0]]);
  assert.deepEqual((await of(16)).slice(0, 2), ["12×", "entered 12 times"]);
  assert.deepEqual(await of(27), ["2×", "entered 2 times", "is-failure"]);
  await page.click('[data-node="27"]');
  await until(page, () => document.querySelector(".chosen")?.textContent.includes("entered2 times✗2"));
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("lines that scroll in look like lines that were there from the start", async () => {
  const other = await serve({ agents: 50, changed: (it, { ask, agent }) => (ask === "track" && agent === 5 ? { ...it, life: [] } : it) });
  // How each line looks; with `anew`, as a copy that the browser has not styled before.
  const looks = (page, anew) =>
    page.evaluate(async (anew) => {
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
      const look = (line) => {
        const of = (part) => getComputedStyle(line.querySelector(part));
        return [line.className.trim(), of(".kind").color, of(".kind").opacity, of(".name").fontWeight, line.querySelector(".runs").innerHTML].join(" ");
      };
      return Object.fromEntries([...document.querySelectorAll("[role=treeitem]")].map((line) => {
        const copy = anew ? line.parentNode.appendChild(line.cloneNode(true)) : line;
        const seen = look(copy);
        if (anew) copy.remove();
        return [line.dataset.node, seen];
      }));
    }, anew);
  const lens = (agent) => `${other.opened}&frame=480&agent=${agent}`;
  const counts = (page, agents) => until(page, (want) => (document.querySelector(".tree .hint")?.textContent.startsWith("Counts of") ?? false) === want, agents);
  const page = await open(browser, lens(0));
  await ready(page);
  for (const [agent, heated] of [[0, false], [0, true], [5, true], [5, false]]) {
    await page.evaluate((hash) => (location.hash = hash), `frame=480&agent=${agent}`);
    await agentIs(page, agent);
    await ready(page);
    if ((await page.$("button[aria-label='Counts of this agent']") !== null) !== heated) await page.keyboard.press("h");
    await counts(page, heated);
    const tall = await open(browser, lens(agent), { height: 1600 });
    await ready(tall);
    if (heated) await tall.keyboard.press("h");
    await counts(tall, heated);
    const whole = await looks(tall, true);
    assert.equal(Object.keys(whole).length, 28);
    await tall.close();
    await page.bringToFront();
    for (const top of [0, 9999, 100, 9999, 0, 200, 9999]) {
      await page.$eval(".outline", (it, top) => (it.scrollTop = top), top);
      for (const [node, look] of Object.entries(await looks(page, false))) assert.equal(look, whole[node], `n${node} at ${top}, agent ${agent}`);
    }
  }
  assert.deepEqual(page.wrong, []);
  await page.close();
  other.close();
});

test("other agents stay on the time line, under one cursor", () =>
  opened(async (page) => {
    const high = () => page.$eval("#time-line canvas", (it) => it.clientHeight);
    const alone = await high();
    await page.keyboard.press("c");
    assert.equal(await text(page, ".time .kept"), "#0 ×");
    // The selected agent has its own lanes already.
    assert.equal(await high(), alone);
    for (const number of ["17", "402", "5"]) {
      await typeIn(page, "/", "#agents-search", number);
      await page.keyboard.press("Enter");
      await until(page, (want) => document.querySelector(".who b")?.textContent === `#${want}`, number);
      await page.$eval("#agents-search", (it) => it.select());
      await page.keyboard.press("Backspace");
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("c");
    }
    // At most three: the first one is gone.
    await until(page, () => [...document.querySelectorAll(".time .kept")].map((it) => it.textContent).join() === "#17 ×,#402 ×,#5 ×");
    await until(page, (alone) => document.querySelector("#time-line canvas").clientHeight > alone * 2, alone);
    await page.click(".time .kept");
    await until(page, () => document.querySelectorAll(".time .kept").length === 2);
    await page.keyboard.press("c");
    await until(page, () => document.querySelectorAll(".time .kept").length === 1);
    assert.deepEqual(page.wrong, []);
  }));
