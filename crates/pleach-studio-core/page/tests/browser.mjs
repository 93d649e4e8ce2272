// Chromium, and helpers for pages in tests.

import axe from "axe-core";
import puppeteer from "puppeteer-core";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { html } from "./sample.mjs";

const DIST = new URL("../dist/", import.meta.url);
export const script = readFileSync(new URL("studio.js", DIST), "utf8");
export const style = readFileSync(new URL("studio.css", DIST), "utf8");

const directory = mkdtempSync(join(tmpdir(), "pleach-page-"));
let files = 0;

/** Writes a page as a file, and returns its address. */
export function file(text) {
  files += 1;
  const path = join(directory, `${files}.html`);
  writeFileSync(path, text);
  return `file://${path}`;
}

export const written = (report) => file(html(report, script, style));

export const launch = () =>
  puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Opens an address. Errors of the page are in `page.wrong`. With `own`, the page is that of `dist`, even if the program has an older one. */
export async function open(browser, address, { width = 1280, height = 720, theme = "light", calm = true, own = false } = {}) {
  const page = await browser.newPage();
  page.wrong = [];
  page.on("pageerror", (it) => page.wrong.push(String(it)));
  page.on("console", (it) => it.type() === "error" && page.wrong.push(it.text()));
  page.on("dialog", (it) => {
    page.wrong.push(`a dialog: ${it.message()}`);
    void it.dismiss();
  });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: theme },
    { name: "prefers-reduced-motion", value: calm ? "reduce" : "no-preference" },
  ]);
  await page.setViewport({ width, height });
  if (own) await takeOwn(page);
  await page.goto(address);
  return page;
}

async function takeOwn(page) {
  await page.setRequestInterception(true);
  page.on("request", (it) => {
    const name = new URL(it.url()).pathname;
    if (name === "/studio.js") return void it.respond({ contentType: "text/javascript", body: script });
    if (name === "/studio.css") return void it.respond({ contentType: "text/css", body: style });
    void it.continue();
  });
}

/** Waits until a function of the page is true. */
export const until = (page, condition, ...given) => page.waitForFunction(condition, { timeout: 60_000, polling: 20 }, ...given);

/** A canvas as bytes, in hexadecimal: equal pictures are equal texts. */
export const picture = (page, selector) =>
  page.$eval(selector, async (it) => {
    const { data } = it.getContext("2d").getImageData(0, 0, it.width, it.height);
    return [...new Uint8Array(await crypto.subtle.digest("SHA-256", data))].map((byte) => byte.toString(16)).join("");
  });

/** Waits until the boxes of a tree are drawn: before that, nothing listens to their keys. */
export const boxesDrawn = (page) =>
  until(page, () => {
    const it = document.querySelector("canvas.boxes");
    return it?.getContext("2d").getImageData(0, 0, it.width, it.height).data.some((value) => value > 0);
  });

/** Waits until a canvas shows something else than it did. */
export async function changed(page, selector, before) {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await picture(page, selector)) !== before) return;
    await new Promise((done) => setTimeout(done, 30));
  }
  throw new Error(`${selector} shows the same`);
}

export const text = (page, selector) => page.$eval(selector, (it) => it.textContent);

export const ready = (page) => until(page, () => document.querySelector(".does .link") !== null);

export const frameOf = (page) => page.$eval("#time-line", (it) => Number(it.getAttribute("aria-valuenow")));

export const atFrame = (page, frame) =>
  until(page, (want) => Number(document.querySelector("#time-line")?.getAttribute("aria-valuenow")) === want, frame);

/** Presses a key that leads to a field, and types there. */
export async function typeIn(page, key, field, typed) {
  await page.keyboard.press(key);
  await until(page, (css) => document.activeElement?.matches(css), field);
  await page.keyboard.type(typed);
}

/** What the rules of WCAG 2.2 (A, AA) and good practice find: names, roles, states, contrast. */
export async function barriers(page) {
  await page.evaluate(axe.source);
  // The name of a line of the tree says in words what the line shows in signs.
  const rules = { "label-content-name-mismatch": { enabled: false } };
  const found = await page.evaluate((rules) => window.axe.run(document, { resultTypes: ["violations"], rules }), rules);
  return found.violations.flatMap((rule) => rule.nodes.map((it) => `${rule.id}: ${it.failureSummary} ${it.html.slice(0, 120)}`));
}
