// Adjacent colours can be told apart, also by the colour-blind, and text on them is legible.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../src/studio.css", import.meta.url), "utf8");
const block = (selector) => {
  const text = css.slice(css.indexOf(`${selector} {`)).split("}")[0];
  return Object.fromEntries([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((it) => [it[1], it[2]]));
};
const themes = { light: block(":root"), dark: block(':root[data-theme="dark"]') };

/** What people see, as linear red, green and blue: Machado, Oliveira and Fernandes, 2009, severity 1. */
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));

/** A colour as these eyes see it, in CIELAB. */
function lab(hex, eyes) {
  const [r, g, b] = EYES[eyes].map((row) => Math.max(0, Math.min(1, row.reduce((sum, by, at) => sum + by * linear(hex)[at], 0))));
  const curve = (it) => (it > 0.008856 ? Math.cbrt(it) : 7.787 * it + 16 / 116);
  const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = curve(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = curve((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function contrast(one, other) {
  const light = (hex) => linear(hex).reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0.05);
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return high / low;
}

const branches = (part) => ["none", 0, 1, 2, 3, 4, 5, 6, 7].map((it) => `branch-${it}-${part}`);
/** A difference of colours (CIE 1976) that the eye sees side by side. */
const LEAST = 8;

for (const [theme, colours] of Object.entries(themes)) {
  for (const eyes of Object.keys(EYES)) {
    test(`${theme}: ${eyes === "all" ? "everyone tells" : `those with ${eyes} sight tell`} colours apart`, () => {
      const close = [];
      for (const group of [branches("fill"), branches("edge"), ["good", "bad"], ["good-ink", "bad-ink"], ["run", "bad"], ["bad", "note"]]) {
        group.forEach((one, at) => {
          for (const other of group.slice(at + 1)) {
            const [a, b] = [lab(colours[one], eyes), lab(colours[other], eyes)];
            const far = Math.hypot(...a.map((it, axis) => it - b[axis]));
            if (far < LEAST) close.push(`${one} and ${other}: ${far.toFixed(1)}`);
          }
        });
      }
      assert.deepEqual(close, []);
    });
  }

  test(`${theme}: texts on branches are read`, () => {
    const pale = [];
    for (const fill of branches("fill")) {
      for (const ink of ["ink", "good-ink", "bad-ink"]) if (contrast(colours[fill], colours[ink]) < 4.5) pale.push(`${ink} on ${fill}`);
    }
    for (const edge of branches("edge")) if (contrast(colours[edge], colours.panel) < 4.5) pale.push(edge);
    assert.deepEqual(pale, []);
  });
}
