// The lines of the outline: folding, and search.

import type { NodeView } from "./model";

export interface Row {
  node: NodeView;
  kids: boolean;
  open: boolean;
  /** How many nodes below it are folded away. */
  hidden: number;
}

/** The index after the last node below each node. Numbers are in pre-order. */
export function ends(nodes: readonly NodeView[]): number[] {
  const end = nodes.map((it) => it.id + 1);
  for (let id = nodes.length - 1; id > 0; id -= 1) {
    const parent = nodes[id]?.parent;
    if (parent != null && (end[id] as number) > (end[parent] as number)) end[parent] = end[id] as number;
  }
  return end;
}

/** The lines of a tree. Below a folded node, only the live path is shown. */
export function rowsOf(
  nodes: readonly NodeView[],
  end: readonly number[],
  folded: ReadonlySet<number>,
  live: ReadonlySet<number>,
): Row[] {
  const rows: Row[] = [];
  // The folded nodes that are open here, as line and end.
  const within: { row: Row; end: number }[] = [];
  for (let id = 0; id < nodes.length; ) {
    const node = nodes[id] as NodeView;
    const after = end[id] as number;
    while (within.length > 0 && (within.at(-1) as { end: number }).end <= id) within.pop();
    const inner = within.at(-1);
    if (inner && !live.has(id)) {
      for (const it of within) it.row.hidden += after - id;
      id = after;
      continue;
    }
    const kids = after > id + 1;
    const row = { node, kids, open: kids && !folded.has(id), hidden: 0 };
    rows.push(row);
    if (kids && folded.has(id)) within.push({ row, end: after });
    id += 1;
  }
  return rows;
}

/** The path of each node: its name and those of its ancestors, and its index among siblings of the same name. */
export function pathsOf(nodes: readonly NodeView[]): string[] {
  const seen = new Map<string, number>();
  const paths: string[] = [];
  for (const it of nodes) {
    const path = `${paths[it.parent ?? -1] ?? ""}\n${it.name ?? it.kind}`;
    const before = seen.get(path) ?? 0;
    seen.set(path, before + 1);
    paths.push(`${path}\t${before}`);
  }
  return paths;
}

/** The nodes above a node, the nearest first. */
export function above(nodes: readonly NodeView[], id: number): number[] {
  const found: number[] = [];
  for (let at = nodes[id]?.parent; at != null; at = nodes[at]?.parent) found.push(at);
  return found;
}

/** The nodes whose number, name, kind or parameters contain the text. */
export function search(nodes: readonly NodeView[], text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return nodes
    .filter(
      (it) =>
        `n${it.id}` === wanted ||
        it.label.toLowerCase().includes(wanted) ||
        it.name?.toLowerCase().includes(wanted) ||
        it.detail.some((detail) => detail.toLowerCase().includes(wanted)) ||
        it.part?.toLowerCase().includes(wanted),
    )
    .map((it) => it.id);
}
