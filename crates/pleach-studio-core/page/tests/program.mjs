// The program `pleach`: PLEACH names it; otherwise it is the newest one under `target`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
const built = ["release", "debug"].map((it) => join(root, "target", it, "pleach")).filter((it) => existsSync(it));
export const program = process.env.PLEACH ?? built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
assert.ok(program, "no `pleach` under target: build it, or name it in PLEACH");

/** Starts a program, and waits for its output. */
export async function start(args, env, stream, wanted) {
  const it = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const found = await new Promise((done, fail) => {
    it[stream].on("data", (some) => {
      said += some;
      const found = wanted.exec(said);
      if (found) done(found[0]);
    });
    it.on("exit", () => fail(new Error(`it ended: ${said}`)));
  });
  return { it, found };
}
