// The committed page matches a fresh build of the sources, and is small.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const page = fileURLToPath(new URL("..", import.meta.url));
const committed = (file) => readFileSync(join(page, "dist", file));

test("the committed page is a fresh build of its sources", () => {
  const fresh = mkdtempSync(join(tmpdir(), "pleach-dist-"));
  execFileSync(process.execPath, [join(page, "build.mjs"), fresh]);
  assert.deepEqual(readdirSync(join(page, "dist")).sort(), ["studio.css", "studio.js"]);
  for (const file of ["studio.css", "studio.js"]) {
    assert.ok(readFileSync(join(fresh, file)).equals(committed(file)), `dist/${file} is old: run \`npm run build\``);
  }
});

test("the page takes at most 60 KB", () => {
  const sizes = ["studio.css", "studio.js"].map((it) => gzipSync(committed(it), { level: 9 }).length);
  const size = sizes[0] + sizes[1];
  console.log(`studio.css ${sizes[0]} bytes, studio.js ${sizes[1]} bytes, together ${size} bytes (gzip -9)`);
  assert.ok(size <= 60_000, `${size} bytes`);
});

test("nothing in the script ends a script element, and it asks for nothing elsewhere", () => {
  const script = committed("studio.js").toString();
  assert.doesNotMatch(script, /<\/script|<!--/i);
  assert.doesNotMatch(committed("studio.css").toString(), /<\/style|url\(|@import/i);
  const addresses = script.match(/https?:\/\/[^\s"'`)]+/g) ?? [];
  assert.deepEqual(addresses.filter((it) => !it.startsWith("http://www.w3.org/")), []);
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(readFileSync(join(page, "package-lock.json"), "utf8"), /"resolved": "(?!https:\/\/registry\.npmjs\.org\/)/);
});
