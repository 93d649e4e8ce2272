// Draws the time line: a ruler, marks, and the lanes of what the agent did.

import { called } from "./bits";
import { type BandSpan, CROWD_LANES, keyChanges, shareAt, shownLanes, stacks } from "./bands";
import { agent, changes, crowd, found, frame, overview, range, selected, track, treeAt, view } from "./lens";
import type { Mark, MarkKind } from "./model";
import { endOf } from "./spans";
import { branchColour, colour, measured, prepare, SANS, shortened, sizeOf } from "./theme";
import { frameAt, secondsAt } from "./times";

export const RULER = 26;
export const MARKS = 20;
export const LANE = 26;
const TOP = RULER + MARKS;
/** A mark is hit up to this far from its middle, in CSS pixels. */
const NEAR = 6;

export const heightOf = (count: number): number => TOP + Math.max(1, count) * LANE + 4;

/** Converts between frames and positions on a time line of this width. */
export function scale(width: number) {
  const { from, to } = view.value;
  return {
    x: (at: number) => ((at - from) / (to - from)) * width,
    frame: (x: number) => from + (x / width) * (to - from),
  };
}

interface MarkLook {
  word: string;
  tone: string;
  /** Its outline around (0, 0). Each kind has its own, so colour alone says nothing. */
  path: string;
  hollow?: boolean;
}

/** What the row of marks can contain. */
export type Marked = MarkKind | "found" | "key";

export const MARK_LOOKS: Record<Marked, MarkLook> = {
  abort: { word: "abort", tone: "bad", path: "M-5-4H5L0 5Z" },
  event: { word: "event", tone: "place", path: "M0-5 5 0 0 5-5 0Z" },
  emit: { word: "emits", tone: "place", path: "M0-4.5 4.5 0 0 4.5-4.5 0Z", hollow: true },
  reload: { word: "reload", tone: "accent", path: "M4 0A4 4 0 1 1-4 0A4 4 0 1 1 4 0Z", hollow: true },
  panic: { word: "panic", tone: "bad", path: "M-4-4 4 4M4-4-4 4", hollow: true },
  came: { word: "came", tone: "soft", path: "M-3-5V5M-3-4 4-1-3 2", hollow: true },
  changed: { word: "changed by the game", tone: "note", path: "M-4-4H4V4H-4Z", hollow: true },
  key: { word: "key changed", tone: "soft", path: "M2 0A2 2 0 1 1-2 0A2 2 0 1 1 2 0Z" },
  left: { word: "left", tone: "soft", path: "M3-5V5M3-4-4-1 3 2", hollow: true },
  found: { word: "found", tone: "accent", path: "M0-5.5 1.5-1.8 5.4-1.5 2.4 1 3.4 5 0 2.8-3.4 5-2.4 1-5.4-1.5-1.5-1.8Z" },
};

const shapes = new Map<string, Path2D>();

function shape(kind: Marked): Path2D {
  let path = shapes.get(kind);
  if (!path) shapes.set(kind, (path = new Path2D(MARK_LOOKS[kind].path)));
  return path;
}

export function drawTime(canvas: HTMLCanvasElement, hover: number | null): void {
  const size = sizeOf(canvas);
  const ink = prepare(canvas, size);
  if (!ink) return;
  const { width, height } = size;
  const { x } = scale(width);
  ink.textBaseline = "middle";
  drawLanes(ink, width, x);
  drawCrowd(ink, width, x);
  drawSplits(ink, width, height, x);
  drawAbsent(ink, width, height, x);
  drawRuler(ink, width, x);
  drawMarks(ink, width, height, x);
  if (hover !== null) {
    ink.fillStyle = colour("soft");
    ink.globalAlpha = 0.5;
    ink.fillRect(Math.round(hover), RULER, 1, height - RULER);
    ink.globalAlpha = 1;
  }
  drawCursor(ink, width, height, x);
}

/** The times at which the agent does not exist. */
function drawAbsent(ink: CanvasRenderingContext2D, width: number, height: number, x: (at: number) => number): void {
  const [first, last] = [x(range.value.first), x(range.value.last)];
  ink.fillStyle = colour("absent");
  if (first > 0) ink.fillRect(0, RULER, first, height);
  if (last < width) ink.fillRect(last, RULER, width - last, height);
}

/** The label with the cursor's time. */
function flag(ink: CanvasRenderingContext2D, width: number, x: (at: number) => number) {
  ink.font = `700 11px ${SANS}`;
  const text = `${secondsAt(overview.value.times, frame.value).toFixed(3)} s`;
  const wide = measured(ink, text) + 12;
  const at = Math.round(x(frame.value));
  const shown = at >= -1 && at <= width + 1;
  return { text, wide, at, shown, left: Math.max(0, Math.min(width - wide, at - wide / 2)) };
}

function drawRuler(ink: CanvasRenderingContext2D, width: number, x: (at: number) => number): void {
  const { times } = overview.value;
  const { from, to } = view.value;
  const [begin, end] = [secondsAt(times, from), secondsAt(times, to)];
  const step = niceStep(((end - begin) / width) * 84);
  const cursor = flag(ink, width, x);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  ink.font = `11px ${SANS}`;
  ink.textAlign = "left";
  ink.fillStyle = colour("line");
  ink.fillRect(0, RULER - 1, width, 1);
  for (let at = Math.ceil(begin / step) * step; at <= end + step / 1e6; at += step) {
    const place = Math.round(x(from + ((at - begin) / (end - begin || 1)) * (to - from)));
    const exact = times.length > 2 ? Math.round(x(frameAt(times, at))) : place;
    ink.fillStyle = colour("line");
    ink.fillRect(exact, RULER - 9, 1, 9);
    const text = `${at.toFixed(places)} s`;
    const after = exact + 4 + measured(ink, text);
    const hidden = cursor.shown && after > cursor.left - 2 && exact + 2 < cursor.left + cursor.wide;
    if (hidden || after > width) continue;
    ink.fillStyle = colour("soft");
    ink.fillText(text, exact + 4, RULER - 15);
  }
  // Each frame at which it did something else.
  ink.fillStyle = colour("wire");
  let before = -2;
  for (const at of changes.value) {
    const place = Math.round(x(at));
    if (place < 0 || place > width || place - before < 2) continue;
    ink.fillRect(place, RULER - 4, 1, 3);
    before = place;
  }
}

/** The smallest of 1, 2, 5, 10, 20 … that is at least `least`. */
function niceStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  const by = [1, 2, 5, 10].find((it) => it * ten >= least) ?? 10;
  return by * ten;
}

function drawLanes(ink: CanvasRenderingContext2D, width: number, x: (at: number) => number): void {
  ink.textAlign = "left";
  // Of many short spans in one pixel only the first is drawn.
  const drawn: number[] = [];
  for (const span of shownLanes.value.spans) {
    const left = x(span.from);
    const right = Math.max(x(span.to), left + 2);
    if (right < 0 || left > width || right < (drawn[span.lane] ?? -1) + 0.5) continue;
    drawn[span.lane] = right;
    drawSpan(ink, span, left, right, width);
  }
}

/** Where the shares of all agents are, if shown: the upper edge and the height. */
function crowdAt(): { top: number; high: number } | null {
  if (!crowd.value) return null;
  return { top: TOP + (shownLanes.value.count - CROWD_LANES) * LANE, high: CROWD_LANES * LANE - 2 };
}

/** What all agents did, as stacked shares. */
function drawCrowd(ink: CanvasRenderingContext2D, width: number, x: (at: number) => number): void {
  const place = crowdAt();
  const frames = crowd.value?.frames ?? [];
  if (!place || frames.length === 0) return;
  const { top, high } = place;
  // The last look holds until the end.
  const across = [...frames, overview.value.last].map(x);
  const down = (part: number | undefined) => top + high * (1 - (part ?? 0));
  const last = frames.length - 1;
  for (const { text, branch, from, to } of stacks.value) {
    ink.beginPath();
    across.forEach((left, at) => ink.lineTo(left, down(to[Math.min(at, last)])));
    across.toReversed().forEach((left, back) => ink.lineTo(left, down(from[Math.min(last + 1 - back, last)])));
    ink.closePath();
    ink.fillStyle = branchColour(branch, "fill");
    ink.fill();
    ink.strokeStyle = branchColour(branch, "edge");
    ink.lineWidth = 1;
    ink.stroke();
    // Its name is where it is highest.
    ink.font = `500 12px ${SANS}`;
    const wide = measured(ink, text);
    const seen = frames.map((_, at) => at).filter((at) => (across[at] as number) > wide / 2 + 4 && (across[at] as number) < width - wide / 2 - 4);
    const share = (at: number) => (to[at] ?? 0) - (from[at] ?? 0);
    const best = seen.reduce((most, at) => (share(at) > share(most) + 1e-9 ? at : most), seen[0] ?? -1);
    if (best < 0 || share(best) * high < 14) continue;
    ink.fillStyle = colour("ink");
    ink.fillText(text, (across[best] as number) - wide / 2, (down(from[best]) + down(to[best])) / 2 + 1);
  }
}

/** The separators of bands, and where a band first differs from the recording. */
function drawSplits(ink: CanvasRenderingContext2D, width: number, height: number, x: (at: number) => number): void {
  for (const { lane, text, frame: differs } of shownLanes.value.bands) {
    const middle = TOP + (lane + 0.5) * LANE;
    ink.fillStyle = colour("wire");
    ink.fillRect(0, middle, width, 1);
    ink.font = `700 11px ${SANS}`;
    ink.fillStyle = colour("panel");
    ink.fillRect(8, middle - 8, measured(ink, text) + 8, 16);
    ink.fillStyle = colour("note");
    ink.fillText(text, 12, middle + 1);
    if (differs !== undefined) ink.fillRect(Math.round(x(differs)) - 1, RULER, 2, height - RULER);
  }
}

function drawSpan(ink: CanvasRenderingContext2D, span: BandSpan, left: number, right: number, width: number): void {
  const top = TOP + span.lane * LANE + 2;
  const high = LANE - 4;
  const from = Math.max(left, -4);
  const wide = Math.min(right, width + 4) - from - (right - left > 3 ? 1 : 0);
  const during = span.from <= frame.value && (frame.value < span.to || span.how === "running");
  const on = during && span.times === undefined && (span.who !== undefined || span.tree === treeAt.value);
  const chosen = span.who === undefined && span.node === selected.value && span.tree === treeAt.value;
  ink.fillStyle = branchColour(span.branch, wide < 6 ? "edge" : "fill");
  if (wide < 6) return ink.fillRect(from, top, wide, high);
  ink.beginPath();
  ink.roundRect(from, top, wide, high, 3);
  ink.fill();
  if (chosen || on) {
    ink.strokeStyle = chosen ? colour("accent") : branchColour(span.branch, "edge");
    ink.lineWidth = chosen ? 2 : 1.4;
    ink.stroke();
  }
  ink.fillStyle = branchColour(span.branch, "edge");
  if (left >= -4) ink.fillRect(from, top, 3, high);
  const middle = top + high / 2 + 1;
  const begin = Math.max(from, 0) + 8;
  let end = Math.min(from + wide, width) - 5;
  const { glyph } = endOf(span);
  if (span.how !== "running" && right <= width && end - begin > 12) {
    ink.font = `700 11px ${SANS}`;
    ink.textAlign = "right";
    ink.fillStyle = colour(span.reloaded ? "ink" : span.how === "success" ? "good-ink" : "bad-ink");
    ink.fillText(glyph, end, middle);
    ink.textAlign = "left";
    end -= 15;
  }
  if (end - begin < 14) return;
  ink.font = `${on ? 600 : 500} 12px ${SANS}`;
  ink.fillStyle = colour("ink");
  ink.fillText(shortened(ink, called(span.view), end - begin), begin, middle);
}

/** The hits of a search for this agent. */
const foundHere = () => found.value?.hits.filter((it) => it.agent === agent.value) ?? [];

function drawMarks(ink: CanvasRenderingContext2D, width: number, height: number, x: (at: number) => number): void {
  const middle = RULER + MARKS / 2;
  const put = (at: number, kind: MarkKind | "found", now: boolean) => {
    const exact = Math.round(x(at)) + 0.5;
    if (exact < -8 || exact > width + 8) return;
    // The ends of the line would cut it.
    const place = Math.max(6.5, Math.min(width - 6.5, exact));
    const { tone } = MARK_LOOKS[kind];
    ink.strokeStyle = ink.fillStyle = colour(tone);
    if (kind === "abort" || kind === "reload" || kind === "panic") {
      ink.globalAlpha = now ? 0.9 : 0.35;
      ink.fillRect(place - 0.5, middle, 1, height - middle);
      ink.globalAlpha = 1;
    }
    ink.save();
    ink.translate(place, middle);
    if (now) ink.scale(1.35, 1.35);
    ink.lineWidth = 1.8;
    if (!MARK_LOOKS[kind].hollow) ink.fill(shape(kind));
    else if (kind !== "panic") {
      ink.fillStyle = colour("panel");
      ink.fill(shape(kind));
    }
    ink.stroke(shape(kind));
    ink.restore();
  };
  // Keys may change in each frame: at each position only one mark is drawn, below the other marks.
  ink.fillStyle = colour(MARK_LOOKS.key.tone);
  let before = -9;
  for (const { frame: at } of keyChanges.value) {
    const place = x(at);
    if (place < -2 || place > width + 2 || place - before < 3) continue;
    ink.save();
    ink.translate(place, RULER + MARKS - 3);
    ink.fill(shape("key"));
    ink.restore();
    before = place;
  }
  const marks = track.value?.marks ?? [];
  // Aborts matter most, so they are in front of the others.
  for (const mark of marks) if (mark.kind !== "abort") put(mark.frame, mark.kind, mark.frame === frame.value);
  for (const mark of marks) if (mark.kind === "abort") put(mark.frame, mark.kind, mark.frame === frame.value);
  for (const hit of foundHere()) put(hit.frame, "found", hit.frame === frame.value);
}

function drawCursor(ink: CanvasRenderingContext2D, width: number, height: number, x: (at: number) => number): void {
  const { text, wide, at, shown, left } = flag(ink, width, x);
  if (!shown) return;
  ink.fillStyle = colour("cursor");
  ink.fillRect(at - 1, 2, 2, height);
  ink.beginPath();
  ink.roundRect(left, 2, wide, 17, 4);
  ink.fill();
  ink.fillStyle = colour("on-cursor");
  ink.textAlign = "left";
  ink.fillText(text, left + 6, 11.5);
}

/** The mark at a place, or the span. */
export function hitTime(width: number, px: number, py: number): { mark?: Pick<Mark, "frame" | "text">; span?: BandSpan; share?: string } {
  const { x, frame: frameOf } = scale(width);
  if (py >= RULER && py < TOP) {
    const found = foundHere().find((it) => Math.abs(x(it.frame) - px) <= NEAR);
    if (found) return { mark: found };
    const nearest = <T extends { frame: number }>(all: readonly T[]): T | undefined =>
      all.filter((it) => Math.abs(x(it.frame) - px) <= NEAR).sort((a, b) => Math.abs(x(a.frame) - px) - Math.abs(x(b.frame) - px))[0];
    const mark = nearest(track.value?.marks ?? []) ?? nearest(keyChanges.value);
    return mark ? { mark } : {};
  }
  const lane = Math.floor((py - TOP) / LANE);
  const at = frameOf(px);
  const all = crowdAt();
  if (all && py >= all.top) return { share: shareAt(at, 1 - (py - all.top) / all.high) };
  const near = (2 / width) * (view.value.to - view.value.from);
  const span = shownLanes.value.spans.findLast((it) => it.lane === lane && it.from <= at && Math.max(it.to, it.from + near) >= at);
  return span ? { span } : {};
}
