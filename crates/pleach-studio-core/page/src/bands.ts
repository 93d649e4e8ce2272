// The bands of the time line: what the agent did, and below that what it would have done, or what
// other agents did. One cursor runs through all of them.

import { computed } from "@preact/signals";
import { whatIfNow } from "./edit";
import { agent, compared, crowd, lanes, others, overview, track } from "./lens";
import type { KeyValue } from "./model";
import { branchOf, type LaneSpan, lanesOf } from "./spans";
import { called } from "./bits";
import { lastAtOrBefore } from "./source";
import { counted, percent } from "./times";

/** The most agents below the selected one. */
export const MOST_COMPARED = 3;

/** How many lanes the shares of all agents take. */
export const CROWD_LANES = 3;

export interface Band {
  /** The lane above its own, which has its name. */
  lane: number;
  text: string;
  /** Where it first differs from the recording. */
  frame?: number;
}

/** A span, with its agent if that is another one. */
export type BandSpan = LaneSpan & { who?: number };

export const shownLanes = computed(() => {
  const spans: BandSpan[] = [...lanes.value.spans];
  const bands: Band[] = [];
  let count = lanes.value.count;
  const add = (text: string, of: { spans: LaneSpan[]; count: number }, more: { frame?: number; who?: number } = {}) => {
    const lane = Math.max(1, count);
    bands.push({ lane, text, frame: more.frame });
    spans.push(...of.spans.map((span) => ({ ...span, lane: span.lane + lane + 1, who: more.who })));
    count = lane + 1 + of.count;
  };
  const it = whatIfNow.value;
  if (it !== null && typeof it !== "string") add("under the edited trees", lanesOf(it.track, it.trees), { frame: it.frame });
  for (const other of others.value) {
    if (other.agent !== agent.value) add(`agent #${other.agent}`, lanesOf(other, overview.value.trees), { who: other.agent });
  }
  if (crowd.value) {
    add("all agents", { spans: [], count: CROWD_LANES });
  }
  return { spans, bands, count };
});

/** What all agents did: each behaviour's part of the height, from below, after each sampled frame. */
export const stacks = computed(() => {
  const it = crowd.value;
  if (!it) return [];
  const sums = it.frames.map((_, at) => Math.max(1, it.behaviours.reduce((sum, one) => sum + (one.counts[at] ?? 0), 0)));
  let below = it.frames.map(() => 0);
  return it.behaviours.map(({ behaviour, counts }) => {
    const from = below;
    below = from.map((low, at) => low + (counts[at] ?? 0) / (sums[at] as number));
    return { text: behaviour ?? "others", branch: branchNamed(behaviour), counts, from, to: below };
  });
});

/** The branch of a behaviour, so that it has the colour of its lanes. */
function branchNamed(behaviour: string | undefined): number {
  for (const { nodes } of overview.value.trees) {
    const found = nodes.find((it) => called(it) === behaviour);
    if (found) return branchOf(nodes, found);
  }
  return -1;
}

/** The behaviour and its share at a frame and a part of the height, from below. */
export function shareAt(frame: number, height: number): string | undefined {
  const it = crowd.value;
  const at = it ? lastAtOrBefore(it.frames, (one) => one, frame) : -1;
  const found = stacks.value.find((one) => height < (one.to[at] ?? 0));
  if (!it || !found) return undefined;
  const [count, all] = [found.counts[at] ?? 0, it.agents[at] ?? 0];
  return `${found.text}: ${count} of ${counted(all, "agent")}, ${percent(count / Math.max(1, all))}`;
}

/** Where keys that expressions read changed, and to what, in the order of the frames. Positions change all the time, so they are left out. */
export const keyChanges = computed(() => {
  const all = new Map<number, string[]>();
  for (const { tree, key, points } of track.value?.keys ?? []) {
    const it = overview.value.trees[tree]?.keys[key];
    if (!it?.recorded || it.kind.startsWith("Vec")) continue;
    points.forEach(([frame, value], at) => {
      const before = points[at - 1];
      if (!before || wordOf(before[1]) === wordOf(value)) return;
      const there = all.get(frame) ?? [];
      all.set(frame, [...there, `${it.name} = ${wordOf(value)}`]);
    });
  }
  return [...all].map(([frame, texts]) => ({ frame, text: texts.join(", ") })).sort((a, b) => a.frame - b.frame);
});

function wordOf(value: KeyValue): string {
  return typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value);
}

/** Keeps the agent on the time line while others are looked at, or stops that. */
export function compare(who = agent.value): void {
  const rest = compared.value.filter((it) => it !== who);
  compared.value = rest.length < compared.value.length ? rest : [...rest.slice(1 - MOST_COMPARED), who];
}
