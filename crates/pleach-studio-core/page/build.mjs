// Writes the page: one script and one style sheet. The same sources give the same bytes.
//
//   node build.mjs [DIRECTORY]      default: dist

import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { dirname, join, resolve } from "node:path";

const page = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(page, "dist"));

const notice = `/*!
Preact and @preact/signals: The MIT License (MIT)
Copyright (c) 2015-present Jason Miller; Copyright (c) 2022-present Preact Team
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions: The above copyright notice and this
permission notice shall be included in all copies or substantial portions of the Software.
THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/`;

await build({
  absWorkingDir: page,
  entryPoints: { studio: "src/main.tsx" },
  outdir: out,
  bundle: true,
  minify: !process.env.RAW,
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  // In a report the script stands in the page: nothing in it may look like the end of a script.
  supported: { "inline-script": false },
  charset: "ascii",
  legalComments: "none",
  banner: { js: notice },
  logLevel: "warning",
});
