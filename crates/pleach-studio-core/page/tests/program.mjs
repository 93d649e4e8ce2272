// The program `pleach`: PLEACH names it; otherwise it is the newest one under `target`.

import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
const built = ["release", "debug"].map((it) => join(root, "target", it, "pleach")).filter((it) => existsSync(it));
export const program = process.env.PLEACH ?? built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
assert.ok(program, "no `pleach` under target: build it, or name it in PLEACH");
