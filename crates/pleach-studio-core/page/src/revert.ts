// Takes back the change of one node: its lines become those on the disk.

import { computed } from "@preact/signals";
import { change, difference } from "./edit";
import { edited } from "./lens";
import type { FileView, LineView } from "./model";
import { above } from "./rows";

/** Lines of the shown text, from 0 and without the last one, and those on the disk in their place. */
interface Run {
  from: number;
  to: number;
  old: string[];
}

const linesOf = (text: string): string[] => text.split(/\r*\n/);
const word = (text: string | undefined): string | undefined => /\w+/.exec(text ?? "")?.[0];

/** The lines that differ, as runs; none if the difference is one of another text. */
function runsOf(lines: LineView[], text: string[]): Run[] {
  const all: Run[] = [];
  let run: Run | null = null;
  let next = 0;
  for (const it of lines) {
    if (it.sign !== "-" && text[it.line - 1] !== it.text) return [];
    if (it.sign !== " " && !run) all.push((run = { from: next, to: next, old: [] }));
    if (it.sign === " ") run = null;
    else if (it.sign === "-") run?.old.push(it.text);
    else if (run) run.to = it.line;
    if (it.sign !== "-") next = it.line;
  }
  return all.flatMap((it) => parted(it, text));
}

/** Lines beside each other that changed one by one are runs of their own. */
function parted(it: Run, text: string[]): Run[] {
  const same = it.old.length === it.to - it.from && it.old.every((old, at) => word(old) === word(text[it.from + at]));
  return same ? it.old.map((old, at) => ({ from: it.from + at, to: it.from + at + 1, old: [old] })) : [it];
}

/** Whether a line, from 1, has text of this node alone. */
function owner({ lines, tree: { nodes } }: FileView, node: number): (line: number) => boolean {
  const [from, to] = lines[node] ?? [1, 0];
  const over = new Set(above(nodes, node));
  const isElse = (line: number) => lines.some(([a, b], id) => id !== node && a <= line && line <= b && !(over.has(id) && (id === 0 || (a < line && line < b))));
  return (line) => from <= line && line <= to && !isElse(line);
}

/** What is to be replaced for each node whose change can be taken back alone. */
const parts = computed(() => {
  const all = new Map<number, Run[]>();
  const [it, view] = [difference.value, edited.value];
  if (!it || !view || it.file !== view.name) return all;
  const runs = runsOf(it.lines, linesOf(view.text));
  for (const { sign, node } of it.nodes) {
    if (sign !== "~" || !node) continue;
    const owns = owner(view, node);
    // Lines that are gone were between two others.
    const owned = runs.map(({ from, to }) => {
      const [first, last] = from === to ? [from, from + 1] : [from + 1, to];
      return Array.from({ length: last - first + 1 }, (_, at) => owns(first + at));
    });
    const touched = runs.filter((_, at) => owned[at]?.some(Boolean));
    const whole = owned.every((of) => of.every(Boolean) || !of.some(Boolean));
    if (touched.length > 0 && whole) all.set(node, touched);
  }
  return all;
});

export const canRevert = (node: number): boolean => parts.value.has(node);

/** Takes back the change of a node; Undo repeats it. */
export const revertNode = (node: number): Promise<boolean> =>
  change(() => {
    const [runs, text] = [parts.value.get(node), edited.value?.text];
    if (!runs || text === undefined) return undefined;
    const lines = linesOf(text);
    for (const it of [...runs].reverse()) lines.splice(it.from, it.to - it.from, ...it.old);
    return { do: "text", from: 0, to: text.length, text: lines.join(text.includes("\r\n") ? "\r\n" : "\n") };
  });
