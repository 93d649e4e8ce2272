// The bands of the time line: what the agent did, and below that what it would have done, or what
// other agents did. One cursor runs through all of them.

import { computed } from "@preact/signals";
import { whatIf } from "./edit";
import { agent, compared, lanes, others, overview } from "./lens";
import { type LaneSpan, lanesOf } from "./spans";

/** How many agents stand below the one that is looked at. */
export const MOST_COMPARED = 3;

export interface Band {
  /** The lane above its own, in which its name stands. */
  lane: number;
  text: string;
  /** Where it first differs from what was recorded. */
  frame?: number;
}

/** A span, and whose it is if it is of another agent. */
export type BandSpan = LaneSpan & { who?: number };

export const shownLanes = computed(() => {
  const spans: BandSpan[] = [...lanes.value.spans];
  const bands: Band[] = [];
  let count = lanes.value.count;
  const add = (text: string, of: { spans: LaneSpan[]; count: number }, more: { frame?: number; who?: number }) => {
    const lane = Math.max(1, count);
    bands.push({ lane, text, frame: more.frame });
    spans.push(...of.spans.map((span) => ({ ...span, lane: span.lane + lane + 1, who: more.who })));
    count = lane + 1 + of.count;
  };
  const it = whatIf.value;
  if (it !== null && typeof it !== "string") add("under the edited trees", lanesOf(it.track, it.trees), { frame: it.frame });
  for (const other of others.value) {
    if (other.agent !== agent.value) add(`agent #${other.agent}`, lanesOf(other, overview.value.trees), { who: other.agent });
  }
  return { spans, bands, count };
});

/** Keeps the agent on the time line while others are looked at, or does so no more. */
export function compare(who = agent.value): void {
  const rest = compared.value.filter((it) => it !== who);
  compared.value = rest.length < compared.value.length ? rest : [...rest.slice(1 - MOST_COMPARED), who];
}
