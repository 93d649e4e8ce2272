// Measures how fast the page is: `npm run bench`. Fails if a goal is missed.
//
// Opening is measured from the start of the navigation until the tree has been painted. Scrubbing
// drags the cursor over the time line, a step a frame, so that another leaf runs in each third
// frame. The work for a frame is that of the page's thread from the event to the pixels.

import { launch, open, ready, until, written } from "./browser.mjs";
import { largeReport } from "./sample.mjs";
import { serve } from "./server.mjs";

const GOALS = { open: 500, frame: 1000 / 60 + 1.5, pixels: 1000 / 60 };

const browser = await launch();
let missed = 0;
const say = (what, value, most) => {
  const bad = value > most;
  missed += bad ? 1 : 0;
  console.log(`${bad ? "MISSED" : "ok    "} ${what.padEnd(62)} ${value.toFixed(1).padStart(7)} ms, at most ${most.toFixed(1)}`);
};
const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)];

for (const nodes of [2_000, 10_000]) {
  const server = await serve({ agents: 10_000, report: largeReport(nodes) });
  for (const [what, address] of [["recording", server.opened], ["report of 2 s", written(largeReport(nodes, 6))]]) {
    const times = [];
    for (let run = 0; run < 5; run += 1) times.push(await opened(address));
    say(`open ${nodes} nodes, ${what}, median of 5`, quantile(times, 0.5), GOALS.open);
  }
  server.close();
  const address = written(largeReport(nodes));
  for (const layout of ["outline", "boxes", "boxes, whole tree"]) {
    const page = await open(browser, `${address}#frame=1`, { width: 1920, height: 1080 });
    await ready(page);
    if (layout !== "outline") await page.click("button[aria-label=Boxes]");
    if (layout.endsWith("tree")) await page.click("button[aria-label='Whole tree']");
    const { frames, work } = await scrubbed(page);
    const of = nodes === 2_000 ? GOALS : { frame: Infinity, pixels: Infinity };
    say(`scrub ${nodes} nodes, ${layout}: between frames, p95 of ${frames.length}`, quantile(frames, 0.95), of.frame);
    say(`scrub ${nodes} nodes, ${layout}: work for a frame, p95`, quantile(work, 0.95), of.pixels);
    await page.close();
  }
}
await browser.close();
process.exit(missed > 0 ? 1 : 0);

/** The time from the navigation until the tree has been painted. */
async function opened(address) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  await page.evaluateOnNewDocument(() => {
    const look = () => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => (window.painted = performance.now());
      if (document.querySelector("[role=treeitem]")) requestAnimationFrame(() => channel.port2.postMessage(null));
      else requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(address);
  await until(page, () => window.painted);
  const time = await page.evaluate(() => window.painted);
  await page.close();
  return time;
}

/** Drags the cursor over the time line, a frame of the screen at a time. */
function scrubbed(page) {
  return page.evaluate(async () => {
    const canvas = document.querySelector("#time-line canvas");
    const { left, top, width } = canvas.getBoundingClientRect();
    const at = (x, type) =>
      canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: left + x, clientY: top + 10, bubbles: true, isPrimary: true }));
    canvas.setPointerCapture = () => {};
    const next = () => new Promise(requestAnimationFrame);
    const task = () =>
      new Promise((done) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
      });
    const [frames, work] = [[], []];
    at(0, "pointerdown");
    let before = await next();
    for (let step = 1; step <= 240; step += 1) {
      // The work is that of the event, and of the frame until the next task.
      await task();
      const moved = performance.now();
      at((step / 240) * (width - 2), "pointermove");
      const handled = performance.now();
      const now = await next();
      const begun = performance.now();
      work.push(handled - moved + (await task()) - begun);
      frames.push(now - before);
      before = now;
    }
    at(width, "pointerup");
    return { frames: frames.slice(5), work: work.slice(5) };
  });
}
