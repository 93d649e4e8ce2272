// How fast the page is: `npm run bench`. Fails if a goal is missed.
//
// Opening is measured from the start of the navigation until the tree has been painted. Scrubbing
// moves the cursor on the time line once a frame, and measures what lies between the frames.

import { launch, open, ready, written } from "./browser.mjs";
import { largeReport } from "./sample.mjs";

const GOALS = { open: 500, frame: 1000 / 60 + 1.5, pixels: 16.7 };

const browser = await launch();
let missed = 0;
const say = (what, value, most) => {
  const bad = value > most;
  missed += bad ? 1 : 0;
  console.log(`${bad ? "MISSED" : "ok    "} ${what.padEnd(62)} ${value.toFixed(1).padStart(7)} ms, at most ${most.toFixed(1)}`);
};
const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)];

for (const nodes of [2_000, 10_000]) {
  const address = written(largeReport(nodes));
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    const page = await open(browser, address);
    await ready(page);
    times.push(await page.evaluate(async () => {
      const line = document.querySelector("[role=treeitem]");
      if (!line) throw new Error("no line of the tree");
      return performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now();
    }));
    await page.close();
  }
  say(`open ${nodes} nodes, median of 5`, quantile(times, 0.5), nodes === 10_000 ? GOALS.open : Infinity);
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

/** Drags the cursor over the time line, a frame of the screen at a time. */
function scrubbed(page) {
  return page.evaluate(async () => {
    const canvas = document.querySelector("#time-line canvas");
    const { left, top, width } = canvas.getBoundingClientRect();
    const at = (x, type) =>
      canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: left + x, clientY: top + 10, bubbles: true, isPrimary: true }));
    canvas.setPointerCapture = () => {};
    const next = () => new Promise(requestAnimationFrame);
    // A task behind the next frame: what lies between is the work for it.
    const painted = () =>
      new Promise((done) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        requestAnimationFrame(() => channel.port2.postMessage(null));
      });
    const [frames, work] = [[], []];
    at(0, "pointerdown");
    let before = await next();
    for (let step = 1; step <= 240; step += 1) {
      const begin = performance.now();
      at((step / 240) * (width - 2), "pointermove");
      const end = painted();
      const now = await next();
      frames.push(now - before);
      before = now;
      work.push((await end) - begin);
    }
    at(width, "pointerup");
    return { frames: frames.slice(5), work: work.slice(5) };
  });
}
