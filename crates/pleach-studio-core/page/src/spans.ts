// What the nodes of an agent did over a track, by node and in lanes.

import type { How, NodeView, Span, TrackView, TreeView } from "./model";
import { ends } from "./rows";
import { lastAtOrBefore } from "./source";

const NONE: readonly Span[] = [];

/** The spans of a track by node. Each version of a tree numbers its nodes from 0. */
export class Spans {
  private readonly trees: Map<number, Span[]>[] = [];

  constructor(track: TrackView) {
    for (const span of track.spans) {
      this.trees[span.tree] ??= new Map();
      const nodes = this.trees[span.tree] as Map<number, Span[]>;
      const list = nodes.get(span.node);
      if (list) list.push(span);
      else nodes.set(span.node, [span]);
    }
  }

  /** All activations of a node, in order of their start. */
  of(tree: number, node: number): readonly Span[] {
    return this.trees[tree]?.get(node) ?? NONE;
  }

  /** The activation that is running at `frame`, or else the last one before it. */
  last(tree: number, node: number, frame: number): Span | undefined {
    const list = this.of(tree, node);
    return list[lastAtOrBefore(list, (it) => it.from, frame)];
  }
}

export interface LaneSpan extends Span {
  lane: number;
  view: NodeView;
  /** The place of the branch that it belongs to, which gives it a colour. */
  branch: number;
  /** Whether it ended because the agent got another version of its tree, in which it may go on. */
  reloaded: boolean;
}

/**
 * The spans that tell what an agent does, each below those that it runs in: branches with a name,
 * parts, and actions. Nodes in between take no lane.
 */
export function lanesOf(track: TrackView, trees: readonly TreeView[]): { spans: LaneSpan[]; count: number } {
  const told: LaneSpan[] = [];
  for (const span of track.spans) {
    const nodes = trees[span.tree]?.nodes;
    const view = nodes?.[span.node];
    if (nodes && view && isTold(view, span)) {
      const reloaded = span.how === "outside" && track.trees.some((it) => it.from === span.to && it.tree !== span.tree);
      told.push({ ...span, lane: 0, view, branch: branchOf(nodes, view), reloaded });
    }
  }
  told.sort((a, b) => a.from - b.from || a.view.depth - b.view.depth || a.node - b.node);
  // What is running in each lane. A span goes below its nearest ancestor, in the first free lane.
  const lanes: LaneSpan[] = [];
  let count = 0;
  for (const span of told) {
    const nodes = trees[span.tree]?.nodes ?? [];
    const holds = (it: LaneSpan) => it.to >= span.from && it.tree === span.tree && isBelow(nodes, span.node, it.node);
    const above = lanes.findLastIndex(holds);
    let lane = above + 1;
    while (lanes[lane] && (lanes[lane] as LaneSpan).to > span.from) lane += 1;
    span.lane = lane;
    lanes[lane] = span;
    count = Math.max(count, lane + 1);
  }
  return { spans: told, count };
}

/** How often a node was entered in spans. */
export const timesOf = (spans: readonly Span[]): number => spans.reduce((sum, it) => sum + (it.times ?? 1), 0);

function isTold(view: NodeView, span: Span): boolean {
  if (view.kind_is === "action") return true;
  if (view.parent == null || view.kind_is !== "composite") return false;
  return span.to > span.from && span.times === undefined && (view.name !== undefined || view.part !== undefined);
}

/** Whether `node` is below `above`. Numbers are in pre-order, so ancestors have lower ones. */
function isBelow(nodes: readonly NodeView[], node: number, above: number): boolean {
  let at = nodes[node]?.parent;
  while (at != null && at > above) at = nodes[at]?.parent;
  return at === above;
}

/** The place of the branch that a node belongs to, or -1 if it is above all branches. */
export function branchOf(nodes: readonly NodeView[], view: NodeView): number {
  const all = branches(nodes);
  for (let at: NodeView | undefined = view; at; at = nodes[at.parent ?? -1]) {
    const branch = all.indexOf(at.id);
    if (branch >= 0) return branch;
  }
  return -1;
}

const known = new WeakMap<readonly NodeView[], number[]>();

/** The children of the first node, from the root down, that has at least three. */
function branches(nodes: readonly NodeView[]): number[] {
  let found = known.get(nodes);
  if (found) return found;
  const end = ends(nodes);
  const kids = nodes.map((): number[] => []);
  for (const it of nodes) if (it.parent != null) kids[it.parent]?.push(it.id);
  const size = (id: number) => (end[id] as number) - id;
  let at: number | undefined = 0;
  while (at !== undefined && (kids[at]?.length ?? 0) < 3) at = kids[at]?.toSorted((a, b) => size(b) - size(a))[0];
  found = at === undefined ? (kids[0] ?? []) : (kids[at] as number[]);
  known.set(nodes, found);
  return found;
}

export const GLYPHS: Record<How, { glyph: string; word: string }> = {
  running: { glyph: "●", word: "running" },
  success: { glyph: "✓", word: "succeeded" },
  failure: { glyph: "✗", word: "failed" },
  aborted: { glyph: "↷", word: "aborted" },
  outside: { glyph: "⊘", word: "ended by the game" },
};
const RELOADED = { glyph: "↻", word: "reloaded" };

/** How a span of a lane ended. */
export const endOf = (it: LaneSpan): typeof RELOADED => (it.reloaded ? RELOADED : GLYPHS[it.how]);
