// Draws the boxes of a tree: only those in sight, and with less detail the smaller they are.

import { ABORTS, called, isAbort, signOf, strokes, truth } from "./bits";
import { type Facts, facts, flips, noteText, standing } from "./facts";
import { crowdHeat, live, matches, running, selected, spans } from "./lens";
import type { NodeView, TreeView } from "./model";
import { above, ends } from "./rows";
import { colour, dark, measured, MONO, prepare, SANS, shortened, type Size, sizeOf } from "./theme";
import { whole } from "./times";

/** What is at the upper left corner, and how many CSS pixels a unit takes. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A tree with the facts about its picture that never change. */
export interface Shape {
  tree: TreeView;
  end: number[];
  /** Around each node and everything below it. */
  around: Bounds[];
  small: Path2D;
}

/** Below these scales texts are not drawn, and wires and frames neither. */
const TEXT_FROM = 0.42;
const FRAME_FROM = 0.12;
/** Around the picture, in units of the tree. */
export const MARGIN = 24;
/** A picture that is hardly larger than the panel needs no map. */
const ROOM = 1.15;
const MAP = { width: 168, height: 104, gap: 10 };
/** Longer notes are only shown beside the tree. */
const TAG = 24;
/** As `pleach show --svg` sets its texts. */
const [TITLE_AT, LINE, TEXT_AT] = [22, 16, 34];

const known = new WeakMap<TreeView, Shape>();

export function shapeOf(tree: TreeView): Shape {
  let shape = known.get(tree);
  if (shape) return shape;
  const end = ends(tree.nodes);
  const bounds = tree.nodes.map(around);
  const small = new Path2D();
  for (let id = tree.nodes.length - 1; id >= 0; id -= 1) {
    const it = tree.nodes[id] as NodeView;
    small.rect(it.x, it.y, it.w, it.h);
    if (it.parent == null) continue;
    const [mine, over] = [bounds[id] as Bounds, bounds[it.parent] as Bounds];
    over.left = Math.min(over.left, mine.left);
    over.top = Math.min(over.top, mine.top);
    over.right = Math.max(over.right, mine.right);
    over.bottom = Math.max(over.bottom, mine.bottom);
  }
  shape = { tree, end, around: bounds, small };
  known.set(tree, shape);
  return shape;
}

function wire(path: Path2D, from: NodeView, to: NodeView): void {
  const [x0, y0, x1, y1] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y];
  const middle = (y0 + y1) / 2;
  path.moveTo(x0, y0);
  path.bezierCurveTo(x0, middle, x1, middle, x1, y1);
}

/** Shows the whole tree, at a scale of at most `most`; or else its upper part with the root in the middle, at the scale `least`. */
export function fitted(shape: Shape, size: Size, most: number, least = 0): Camera {
  const { width, height } = extent(shape);
  const scale = Math.max(least, Math.min(most, size.width / width, size.height / height));
  const [across, root] = [size.width / scale, shape.tree.nodes[0]];
  if (across < width - 1 && root) return { x: root.x + root.w / 2 - across / 2, y: -MARGIN, scale };
  return { x: -MARGIN + (width - across) / 2, y: -MARGIN + Math.min(0, (height - size.height / scale) / 2), scale };
}

/** The size of the picture with its margin. */
const extent = ({ tree }: Shape): Size => ({ width: tree.width + 2 * MARGIN, height: tree.height + 2 * MARGIN });

/** The position of the map, and its scale; none if the picture is small. */
function map(shape: Shape, size: Size) {
  const { width, height } = extent(shape);
  const scale = Math.min(MAP.width / width, MAP.height / height);
  const [w, h] = [width * scale, height * scale];
  return { left: size.width - w - MAP.gap, top: size.height - h - MAP.gap, w, h, scale };
}

/** The point of the tree under a point of the map. */
export function mapped(shape: Shape, size: Size, x: number, y: number) {
  if (!mapShown(shape, size)) return null;
  const at = map(shape, size);
  if (x < at.left || y < at.top) return null;
  return { x: (x - at.left) / at.scale - MARGIN, y: (y - at.top) / at.scale - MARGIN };
}

/** How much of the picture's lower edge the map covers, in CSS pixels. */
export const covered = (shape: Shape, size: Size): number =>
  mapShown(shape, size) ? map(shape, size).h + 2 * MAP.gap : 0;

let shownScale = 1;
const mapShown = (shape: Shape, size: Size): boolean => {
  const { width, height } = extent(shape);
  return width * shownScale > size.width * ROOM || height * shownScale > size.height * ROOM;
};

export function draw(canvas: HTMLCanvasElement, shape: Shape, camera: Camera): void {
  const size = sizeOf(canvas);
  const ink = prepare(canvas, size);
  if (!ink) return;
  shownScale = camera.scale;
  const sight = {
    left: camera.x,
    top: camera.y,
    right: camera.x + size.width / camera.scale,
    bottom: camera.y + size.height / camera.scale,
  };
  const seen = nodesIn(shape, sight);
  const { nodes } = shape.tree;
  const hits = new Set(matches.value);
  // Parts that do not change with time are drawn once for each camera position.
  ink.drawImage(groundOf(canvas, shape, camera, size, seen), 0, 0, size.width, size.height);
  lens(ink, camera);
  liveWires(ink, nodes, camera.scale);
  const texts = camera.scale >= TEXT_FROM;
  for (const id of live.value) {
    const it = nodes[id] as NodeView;
    if (!texts) block(ink, it, camera.scale);
    else if (meets(around(it), sight)) card(ink, it, running.value.has(id) ? "top" : "live", camera.x);
  }
  for (const id of hits) edge(ink, nodes[id] as NodeView, "mark-edge", camera.scale);
  const chosen = nodes[selected.value ?? -1];
  if (chosen) edge(ink, chosen, "accent", camera.scale);
  if (texts) for (const it of seen) state(ink, it, facts.value.get(it.id));
  ink.restore();
  if (mapShown(shape, size)) drawMap(ink, shape, size, sight);
}

/** From here on, units are those of the tree. */
function lens(ink: CanvasRenderingContext2D, camera: Camera): void {
  ink.save();
  ink.scale(camera.scale, camera.scale);
  ink.translate(-camera.x, -camera.y);
  ink.lineCap = "round";
}

function nodesIn({ tree: { nodes }, around, end }: Shape, sight: Bounds): NodeView[] {
  const seen: NodeView[] = [];
  for (let id = 0; id < nodes.length; ) {
    if (meets(around[id] as Bounds, sight)) {
      seen.push(nodes[id] as NodeView);
      id += 1;
    } else id = end[id] as number;
  }
  return seen;
}

/** Frames and wires. */
function groundWires(ink: CanvasRenderingContext2D, shape: Shape, seen: NodeView[], scale: number): void {
  const { nodes } = shape.tree;
  for (const it of seen) if (it.part && scale >= FRAME_FROM) frameOf(ink, it, shape.around[it.id] as Bounds, scale);
  const path = new Path2D();
  for (const it of seen) if (it.parent != null) wire(path, nodes[it.parent] as NodeView, it);
  ink.strokeStyle = colour("wire");
  ink.lineWidth = Math.max(1.6, 0.6 / scale);
  ink.stroke(path);
}

let ground: { canvas: HTMLCanvasElement; of: unknown[] } | null = null;

function groundOf(canvas: HTMLCanvasElement, shape: Shape, camera: Camera, size: Size, seen: NodeView[]): HTMLCanvasElement {
  const of = [canvas, shape, camera.x, camera.y, camera.scale, size.width, size.height, devicePixelRatio, dark.value, spans.value, crowdHeat.value];
  if (ground && of.every((it, at) => it === ground?.of[at])) return ground.canvas;
  ground = { canvas: ground?.canvas ?? document.createElement("canvas"), of };
  const ink = prepare(ground.canvas, size);
  if (ink) {
    lens(ink, camera);
    groundWires(ink, shape, seen, camera.scale);
    if (camera.scale < TEXT_FROM) groundBlocks(ink, seen);
    else for (const it of seen) card(ink, it, standing(it.id).runs > 0 ? "started" : "never", camera.x);
    ink.restore();
  }
  return ground.canvas;
}

/** Boxes that are too small for texts. With the counts of all agents, they are stronger the more often they were entered. */
function groundBlocks(ink: CanvasRenderingContext2D, seen: NodeView[]): void {
  const looks = new Map<string, { tone: string; alpha: number; path: Path2D }>();
  for (const it of seen) {
    const { runs, share } = standing(it.id);
    const tone = runs > 0 ? it.kind_is : "never";
    const alpha = runs === 0 ? 0.35 : share === undefined ? 0.5 : 0.3 + Math.round(share * 4) * 0.175;
    const key = `${tone} ${alpha}`;
    if (!looks.has(key)) looks.set(key, { tone, alpha, path: new Path2D() });
    looks.get(key)?.path.rect(it.x, it.y, it.w, it.h);
  }
  for (const { tone, alpha, path } of looks.values()) {
    ink.fillStyle = colour(tone);
    ink.globalAlpha = alpha;
    ink.fill(path);
  }
}

const around = (it: NodeView): Bounds => ({ left: it.x, top: it.y, right: it.x + it.w, bottom: it.y + it.h });

const meets = (a: Bounds, b: Bounds): boolean =>
  a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;

function liveWires(ink: CanvasRenderingContext2D, nodes: readonly NodeView[], scale: number): void {
  const path = new Path2D();
  for (const id of live.value) {
    const it = nodes[id];
    if (it?.parent != null) wire(path, nodes[it.parent] as NodeView, it);
  }
  ink.strokeStyle = colour("run");
  ink.lineWidth = Math.max(3, 1.5 / scale);
  ink.stroke(path);
}

function frameOf(ink: CanvasRenderingContext2D, it: NodeView, at: Bounds, scale: number): void {
  ink.save();
  ink.strokeStyle = colour("place");
  ink.lineWidth = 1.2;
  ink.setLineDash([5, 4]);
  ink.beginPath();
  ink.roundRect(at.left - 8, at.top - 20, at.right - at.left + 16, at.bottom - at.top + 28, 8);
  ink.stroke();
  ink.globalAlpha = 0.05;
  ink.fillStyle = colour("place");
  ink.fill();
  ink.restore();
  if (scale < TEXT_FROM) return;
  ink.fillStyle = colour("place");
  ink.font = `11.5px ${SANS}`;
  ink.textAlign = "left";
  ink.fillText(shortened(ink, it.part ?? "", at.right - at.left), at.left, at.top - 7);
}

/** A box that is too small for texts, on the live path. */
function block(ink: CanvasRenderingContext2D, it: NodeView, scale: number): void {
  ink.fillStyle = colour("run");
  ink.globalAlpha = running.value.has(it.id) ? 1 : 0.6;
  const [w, h] = [Math.max(it.w, 4 / scale), Math.max(it.h, 4 / scale)];
  ink.fillRect(it.x + (it.w - w) / 2, it.y + (it.h - h) / 2, w, h);
  ink.globalAlpha = 1;
}

function edge(ink: CanvasRenderingContext2D, it: NodeView, tone: string, scale: number): void {
  ink.strokeStyle = colour(tone);
  ink.lineWidth = 2.5 / Math.min(1, scale);
  const by = scale >= TEXT_FROM ? 4 : 0;
  ink.beginPath();
  ink.roundRect(it.x - by, it.y - by, it.w + 2 * by, it.h + 2 * by, 3 * by);
  ink.stroke();
}

type Look = "top" | "live" | "started" | "never";

/** This much of a box must be visible for its texts to begin at the edge of the picture. */
const CUT = 72;

/** A box with its texts. They begin at `edge` if the left part of the box is out of sight. */
function card(ink: CanvasRenderingContext2D, it: NodeView, look: Look, edge: number): void {
  const top = look === "top";
  const on = top || look === "live";
  const kind = colour(it.kind_is);
  ink.beginPath();
  ink.roundRect(it.x, it.y, it.w, it.h, 9);
  ink.fillStyle = colour("panel");
  ink.fill();
  ink.fillStyle = top ? colour("run-fill") : kind;
  ink.globalAlpha = top ? 1 : look === "never" ? 0.04 : 0.12;
  ink.fill();
  ink.globalAlpha = 1;
  ink.strokeStyle = on ? colour("run") : look === "never" ? colour("never") : kind;
  ink.lineWidth = on ? 3 : 1.5;
  ink.stroke();
  ink.save();
  const begin = it.x < edge && it.x + it.w >= edge + CUT ? edge : it.x;
  ink.translate(begin + 10, it.y + TITLE_AT - 13);
  ink.strokeStyle = look === "never" ? colour("soft") : kind;
  ink.lineWidth = 1.8;
  ink.lineJoin = "round";
  ink.stroke(sign(it));
  ink.restore();

  const [left, right] = [begin + TEXT_AT, it.x + it.w - 8];
  ink.textAlign = "left";
  ink.fillStyle = colour(look === "never" ? "soft" : "ink");
  ink.font = `600 14px ${SANS}`;
  const title = shortened(ink, called(it), right - left);
  ink.fillText(title, left, it.y + TITLE_AT);
  const abort = it.detail.find(isAbort);
  if (abort) pill(ink, left + measured(ink, title) + 9, it.y + TITLE_AT, right, abort.slice(ABORTS.length).split(" ")[0] ?? "");
  const lines: { text: string; font: string; tone: string; one?: boolean }[] = [];
  const sans = `11.5px ${SANS}`;
  if (it.edge) lines.push({ text: it.edge, font: sans, tone: "place", one: true });
  if (it.name !== undefined) lines.push({ text: it.kind, font: sans, tone: "soft" });
  for (const text of it.detail) if (!isAbort(text)) lines.push({ text, font: `12px ${MONO}`, tone: "soft" });
  const room = Math.floor((it.h - 34) / LINE + 0.5);
  let at = 0;
  for (const line of lines) {
    ink.font = line.font;
    // Text on an edge has one line, even for a long expression.
    for (const text of line.one ? [shortened(ink, line.text, right - left)] : wrapped(ink, line.text, right - left)) {
      if (at >= room) break;
      at += 1;
      ink.fillStyle = colour(line.tone);
      ink.fillText(text, left, it.y + TITLE_AT + at * LINE);
    }
  }
}

/** Parts that change with time: what a node remembers, and how it last ended. */
function state(ink: CanvasRenderingContext2D, it: NodeView, fact: Facts | undefined): void {
  const { state: how, glyph, runs, share } = standing(it.id);
  const on = how === "top" || how === "live";
  const count = share !== undefined && runs > 0 ? `${whole(runs)}×` : undefined;
  if (share !== undefined) level(ink, it, it.y + 2, share);
  if (fact || count) tags(ink, it, fact, count, colour(on ? "run" : how === "never" ? "never" : it.kind_is));
  if (glyph === "" || how === "live") return;
  const tone = on ? "run" : how === "success" ? "good" : how === "outside" ? "note" : "bad";
  badge(ink, it.x + it.w - 3, it.y + 2, glyph, colour(tone));
}

/** The abort type, after the title if there is room. */
function pill(ink: CanvasRenderingContext2D, x: number, baseline: number, right: number, word: string): void {
  const text = word.toUpperCase();
  ink.font = `700 11px ${SANS}`;
  const wide = measured(ink, text) + 14;
  if (x + wide > right + 4) return;
  ink.beginPath();
  ink.roundRect(x, baseline - 13, wide, 16, 8);
  ink.fillStyle = colour("pill");
  ink.fill();
  ink.fillStyle = "#fff";
  ink.fillText(text, x + 7, baseline - 1);
}

/** How a node last ended, at the corner of its box. */
function badge(ink: CanvasRenderingContext2D, x: number, y: number, glyph: string, tone: string): void {
  ink.beginPath();
  ink.arc(x, y, 8.5, 0, 2 * Math.PI);
  ink.fillStyle = colour("panel");
  ink.fill();
  ink.strokeStyle = tone;
  ink.lineWidth = 1.5;
  ink.stroke();
  ink.font = `700 11px ${SANS}`;
  ink.fillStyle = tone;
  ink.textAlign = "center";
  ink.fillText(glyph, x, y + 4);
}

/** A bar across a box. */
function level(ink: CanvasRenderingContext2D, it: NodeView, y: number, share: number): void {
  ink.fillStyle = colour("line");
  ink.fillRect(it.x + 9, y, it.w - 18, 4);
  ink.fillStyle = colour("accent");
  ink.fillRect(it.x + 9, y, Math.max(0, Math.min(1, share)) * (it.w - 18), 4);
}

/** How often a node was entered, what it remembers, and a condition's result, at the lower edge of its box. */
function tags(ink: CanvasRenderingContext2D, it: NodeView, fact: Facts = { notes: [] }, count: string | undefined, edge: string): void {
  const share = fact.notes.find((note) => note.share !== undefined)?.share;
  if (share !== undefined) level(ink, it, it.y + it.h - 4, share);
  const texts = [count, ...fact.notes.map(noteText)].filter((text) => text !== undefined && text.length <= TAG);
  const held = fact.condition;
  if (held) texts.push(`${held.watched ? "◉ " : ""}${truth(held.stored)}${flips(held) ? ` → ${truth(held.now)}` : ""}`);
  if (fact.abort) texts.push("↯ last abort");
  if (texts.length === 0) return;
  ink.font = `600 11px ${SANS}`;
  const text = shortened(ink, texts.join("  "), Math.max(it.w - 12, 60));
  const wide = measured(ink, text) + 14;
  const [left, top] = [it.x + Math.max(10, it.w - wide - 10), it.y + it.h - 8];
  ink.beginPath();
  ink.roundRect(left, top, wide, 17, 8.5);
  ink.fillStyle = colour("panel");
  ink.fill();
  ink.strokeStyle = edge;
  ink.lineWidth = 1.2;
  ink.stroke();
  ink.textAlign = "left";
  ink.fillStyle = colour(fact.abort || (held?.watched && flips(held)) ? "bad" : "note");
  ink.fillText(text, left + 7, top + 12.5);
}

/** Lines of at most this width, broken at spaces. */
function wrapped(ink: CanvasRenderingContext2D, text: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && ink.measureText(longer).width > most) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  return lines.map((it) => shortened(ink, it, most));
}

const signs = new Map<string, Path2D>();

function sign(it: NodeView): Path2D {
  const name = signOf(it);
  let path = signs.get(name);
  if (!path) signs.set(name, (path = new Path2D(strokes(name))));
  return path;
}

function drawMap(ink: CanvasRenderingContext2D, shape: Shape, size: Size, sight: Bounds): void {
  const at = map(shape, size);
  ink.save();
  ink.translate(at.left, at.top);
  ink.fillStyle = colour("panel");
  ink.strokeStyle = colour("line");
  ink.lineWidth = 1;
  ink.beginPath();
  ink.roundRect(-5, -5, at.w + 10, at.h + 10, 6);
  ink.fill();
  ink.stroke();
  ink.beginPath();
  ink.rect(0, 0, at.w, at.h);
  ink.clip();
  ink.scale(at.scale, at.scale);
  ink.translate(MARGIN, MARGIN);
  ink.fillStyle = colour("never");
  ink.fill(shape.small);
  ink.fillStyle = colour("run");
  const dot = 5 / at.scale;
  for (const id of running.value) {
    for (const one of [id, ...above(shape.tree.nodes, id)]) {
      const it = shape.tree.nodes[one];
      if (it) ink.fillRect(it.x + it.w / 2 - dot / 2, it.y + it.h / 2 - dot / 2, Math.max(dot, 1), Math.max(dot, 1));
    }
  }
  ink.strokeStyle = colour("accent");
  ink.lineWidth = 1.5 / at.scale;
  ink.strokeRect(sight.left, sight.top, sight.right - sight.left, sight.bottom - sight.top);
  ink.restore();
}
