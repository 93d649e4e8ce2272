// Frames and seconds, and how they are written.

import type { Overview } from "./model";
import { lastAtOrBefore } from "./source";

type Times = Overview["times"];

/** The time at a frame, in seconds. Between two runs the step is the same. */
export function secondsAt(times: Times, frame: number): number {
  const at = segment(times, lastAtOrBefore(times, (it) => it[0], frame));
  if (!at) return times[0]?.[1] ?? 0;
  const [[frame0, time0], [frame1, time1]] = at;
  return time0 + ((frame - frame0) * (time1 - time0)) / (frame1 - frame0);
}

/** The last frame at or before a time in seconds. Times are written to a millionth of a second. */
export function frameAt(times: Times, seconds: number): number {
  const at = segment(times, lastAtOrBefore(times, (it) => it[1], seconds));
  if (!at) return times[0]?.[0] ?? 0;
  const [[frame0, time0], [frame1, time1]] = at;
  if (time1 <= time0) return frame1;
  return Math.floor(frame0 + ((seconds - time0) * (frame1 - frame0)) / (time1 - time0) + 1e-3);
}

/** The ends of a run. Outside of all runs it is the nearest one. */
function segment(times: Times, run: number): [Times[number], Times[number]] | null {
  const first = Math.max(0, Math.min(run, times.length - 2));
  const from = times[first];
  const to = times[first + 1];
  return from && to ? [from, to] : null;
}

export const seconds = (it: number): string => `${it.toFixed(3)} s`;

export const whole = (it: number): string => Math.round(it).toLocaleString("en").replaceAll(",", "\u202f");

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** A number as in "the 2nd". */
export function ordinal(it: number): string {
  const teen = it % 100 > 10 && it % 100 < 14;
  return `${whole(it)}${(!teen && ["", "st", "nd", "rd"][it % 10]) || "th"}`;
}

export const percent = (it: number): string => (it > 0 && it < 0.01 ? "<1 %" : `${Math.round(it * 100)} %`);

/** A span of time, as short as is readable. */
export function lasted(it: number): string {
  if (it >= 100) return `${it.toFixed(0)} s`;
  if (it >= 10) return `${it.toFixed(1)} s`;
  return `${it.toFixed(2)} s`;
}
