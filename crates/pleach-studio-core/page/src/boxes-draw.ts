// Draws the boxes of a tree: only those in sight, and less of them the smaller they are.

import { called, signOf, strokes } from "./bits";
import { type Facts, facts, flips, noteText, standing } from "./facts";
import { live, matches, running, selected } from "./lens";
import type { NodeView, TreeView } from "./model";
import { above, ends } from "./rows";
import { colour, MONO, prepare, SANS, shortened } from "./theme";

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

/** A tree with what is known of its picture once and for all. */
export interface Shape {
  tree: TreeView;
  end: number[];
  /** Around each node and all below it. */
  around: Bounds[];
  wires: Path2D;
  small: Path2D;
}

/** Below these scales texts are not drawn, and wires and frames neither. */
const TEXT_FROM = 0.42;
const FRAME_FROM = 0.12;
const MAP = { width: 168, height: 104, gap: 10 };
/** As `pleach show --svg` sets its texts. */
const [TITLE_AT, LINE, TEXT_AT] = [22, 16, 34];

const known = new WeakMap<TreeView, Shape>();

export function shapeOf(tree: TreeView): Shape {
  let shape = known.get(tree);
  if (shape) return shape;
  const end = ends(tree.nodes);
  const around = tree.nodes.map((it) => ({ left: it.x, top: it.y, right: it.x + it.w, bottom: it.y + it.h }));
  const [wires, small] = [new Path2D(), new Path2D()];
  for (let id = tree.nodes.length - 1; id >= 0; id -= 1) {
    const it = tree.nodes[id] as NodeView;
    small.rect(it.x, it.y, it.w, it.h);
    if (it.parent == null) continue;
    wire(wires, tree.nodes[it.parent] as NodeView, it);
    const [mine, over] = [around[id] as Bounds, around[it.parent] as Bounds];
    over.left = Math.min(over.left, mine.left);
    over.top = Math.min(over.top, mine.top);
    over.right = Math.max(over.right, mine.right);
    over.bottom = Math.max(over.bottom, mine.bottom);
  }
  shape = { tree, end, around, wires, small };
  known.set(tree, shape);
  return shape;
}

function wire(path: Path2D, from: NodeView, to: NodeView): void {
  const [x0, y0, x1, y1] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y];
  const middle = (y0 + y1) / 2;
  path.moveTo(x0, y0);
  path.bezierCurveTo(x0, middle, x1, middle, x1, y1);
}

/** Where the whole tree is in sight, at most as large as `most`. */
export function fitted(shape: Shape, size: { width: number; height: number }, most: number): Camera {
  const { width, height } = extent(shape);
  const scale = Math.min(most, (size.width - 32) / width, (size.height - 32) / height);
  return { x: (width - size.width / scale) / 2, y: Math.min(-16 / scale, (height - size.height / scale) / 2), scale };
}

const extent = ({ tree }: Shape) => ({ width: Math.max(tree.width, 1), height: Math.max(tree.height, 1) });

/** Where the map stands, and its scale; none if the picture is small. */
function map(shape: Shape, size: { width: number; height: number }) {
  const { width, height } = extent(shape);
  const scale = Math.min(MAP.width / width, MAP.height / height);
  const [w, h] = [width * scale, height * scale];
  return { left: size.width - w - MAP.gap, top: size.height - h - MAP.gap, w, h, scale };
}

/** The point of the tree under a point of the map. */
export function mapped(shape: Shape, size: { width: number; height: number }, x: number, y: number) {
  if (!mapShown(shape, size)) return null;
  const at = map(shape, size);
  if (x < at.left || y < at.top) return null;
  return { x: (x - at.left) / at.scale, y: (y - at.top) / at.scale };
}

let shownScale = 1;
const mapShown = (shape: Shape, size: { width: number; height: number }): boolean => {
  const { width, height } = extent(shape);
  return width * shownScale > size.width || height * shownScale > size.height;
};

export function draw(canvas: HTMLCanvasElement, shape: Shape, camera: Camera): void {
  const page = prepare(canvas);
  if (!page) return;
  const { ink, width, height } = page;
  const { nodes } = shape.tree;
  shownScale = camera.scale;
  ink.save();
  ink.scale(camera.scale, camera.scale);
  ink.translate(-camera.x, -camera.y);
  const sight = {
    left: camera.x,
    top: camera.y,
    right: camera.x + width / camera.scale,
    bottom: camera.y + height / camera.scale,
  };
  const seen: NodeView[] = [];
  for (let id = 0; id < nodes.length; ) {
    const it = shape.around[id] as Bounds;
    if (!meets(it, sight)) {
      id = shape.end[id] as number;
      continue;
    }
    seen.push(nodes[id] as NodeView);
    id += 1;
  }
  ink.lineCap = "round";
  if (camera.scale >= FRAME_FROM) {
    for (const it of seen) if (it.part) frameOf(ink, it, shape.around[it.id] as Bounds, camera.scale);
  }
  ink.strokeStyle = colour("wire");
  ink.lineWidth = Math.max(1.6, 0.6 / camera.scale);
  if (seen.length > nodes.length / 2) ink.stroke(shape.wires);
  else {
    const near = new Path2D();
    for (const it of seen) if (it.parent != null) wire(near, nodes[it.parent] as NodeView, it);
    ink.stroke(near);
  }
  liveWires(ink, nodes, camera.scale);
  const hits = new Set(matches.value);
  for (const it of seen) {
    if (camera.scale >= TEXT_FROM) card(ink, it, facts.value.get(it.id), hits.has(it.id));
    else block(ink, it, hits.has(it.id), camera.scale);
  }
  ink.restore();
  if (mapShown(shape, page)) drawMap(ink, shape, page, sight);
}

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

/** A box that is too small for texts. */
function block(ink: CanvasRenderingContext2D, it: NodeView, hit: boolean, scale: number): void {
  const { state } = standing(it.id);
  const on = state === "top" || state === "live";
  ink.fillStyle = on ? colour("run") : colour(state === "never" ? "never" : it.kind_is);
  ink.globalAlpha = state === "top" ? 1 : on ? 0.6 : state === "never" ? 0.35 : 0.5;
  ink.fillRect(it.x, it.y, it.w, it.h);
  ink.globalAlpha = 1;
  if (selected.value === it.id || hit) {
    ink.strokeStyle = colour(selected.value === it.id ? "accent" : "mark-edge");
    ink.lineWidth = 2.5 / scale;
    ink.strokeRect(it.x, it.y, it.w, it.h);
  }
}

function card(ink: CanvasRenderingContext2D, it: NodeView, fact: Facts | undefined, hit: boolean): void {
  const { state, glyph } = standing(it.id);
  const top = state === "top";
  const on = top || state === "live";
  const kind = colour(it.kind_is);
  const edge = on ? colour("run") : state === "never" ? colour("never") : kind;
  ink.beginPath();
  ink.roundRect(it.x, it.y, it.w, it.h, 9);
  ink.fillStyle = colour("panel");
  ink.fill();
  ink.fillStyle = top ? colour("run-fill") : kind;
  ink.globalAlpha = top ? 1 : state === "never" ? 0.04 : 0.12;
  ink.fill();
  ink.globalAlpha = 1;
  ink.strokeStyle = edge;
  ink.lineWidth = on ? 3 : 1.5;
  ink.stroke();
  if (selected.value === it.id || hit) {
    ink.strokeStyle = colour(selected.value === it.id ? "accent" : "mark-edge");
    ink.lineWidth = 2.5;
    ink.beginPath();
    ink.roundRect(it.x - 4, it.y - 4, it.w + 8, it.h + 8, 12);
    ink.stroke();
  }

  ink.save();
  ink.translate(it.x + 10, it.y + TITLE_AT - 13);
  ink.strokeStyle = state === "never" ? colour("soft") : kind;
  ink.lineWidth = 1.8;
  ink.lineJoin = "round";
  ink.stroke(sign(it));
  ink.restore();

  const [left, right] = [it.x + TEXT_AT, it.x + it.w - 10];
  ink.textAlign = "right";
  ink.font = `700 12px ${SANS}`;
  ink.fillStyle = colour(on ? "run" : state === "success" ? "good" : state === "aborted" || state === "failure" ? "bad" : "soft");
  if (glyph !== "") ink.fillText(glyph, right + 2, it.y + TITLE_AT - 6);
  ink.textAlign = "left";
  ink.fillStyle = colour(state === "never" ? "soft" : "ink");
  ink.font = `600 14px ${SANS}`;
  ink.fillText(shortened(ink, called(it), right - left - (glyph === "" ? 0 : 10)), left, it.y + TITLE_AT);

  const lines: { text: string; font: string; tone: string }[] = [];
  const sans = `11.5px ${SANS}`;
  const notes = fact?.notes.map(noteText) ?? [];
  const held = fact?.condition;
  if (held) notes.push(flips(held) ? "changed" : held.watched ? "watched" : "");
  for (const text of notes) if (text !== "") lines.push({ text, font: `600 11.5px ${SANS}`, tone: "note" });
  if (it.edge) lines.push({ text: it.edge, font: sans, tone: "place" });
  if (it.name !== undefined) lines.push({ text: it.kind, font: sans, tone: "soft" });
  for (const text of it.detail) lines.push({ text, font: `12px ${MONO}`, tone: "soft" });
  const room = Math.floor((it.h - 34) / LINE + 0.5);
  let at = 0;
  for (const line of lines) {
    ink.font = line.font;
    for (const text of wrapped(ink, line.text, right - left)) {
      if (at >= room) return;
      at += 1;
      ink.fillStyle = colour(line.tone);
      ink.fillText(text, left, it.y + TITLE_AT + at * LINE);
    }
  }
}

/** Lines that are at most so wide, broken at spaces. */
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

function drawMap(ink: CanvasRenderingContext2D, shape: Shape, size: { width: number; height: number }, sight: Bounds): void {
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
