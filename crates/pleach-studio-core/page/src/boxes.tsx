// The tree as boxes, with pan, zoom and a small map. Drawn on a canvas, so that it stays fast.

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { called, onReveal, soon } from "./bits";
import { type Camera, covered, draw, MARGIN, fitted, mapped, shapeOf } from "./boxes-draw";
import { facts } from "./facts";
import { crowdHeat, frame, live, matches, node, nodes, now, running, select, selected, spans, theme, tree } from "./lens";
import { dark, listen, onSize, sizeOf } from "./theme";

/** How far from its size a picture can be zoomed. */
const LEAST = 0.02;
const MOST = 3;

/** A picture does not start smaller than this: its text would be illegible. */
const LEGIBLE = 0.7;

/** What the buttons of the panel call. */
export const boxes = { fit: () => {}, zoom: (_by: number) => {} };

export function Boxes() {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const it = canvas.current;
    if (!it) return;
    const camera: Camera = { x: 0, y: 0, scale: 1 };
    let due = 0;
    let shape = shapeOf(tree.peek());
    const size = () => sizeOf(it);
    const redraw = () => {
      due ||= requestAnimationFrame(() => {
        due = 0;
        draw(it, shape, camera);
      });
    };
    const fit = () => {
      Object.assign(camera, fitted(shape, size(), 1));
      redraw();
    };
    const zoom = (by: number, x = it.clientWidth / 2, y = it.clientHeight / 2) => {
      const scale = Math.max(LEAST, Math.min(MOST, camera.scale * by));
      camera.x += x / camera.scale - x / scale;
      camera.y += y / camera.scale - y / scale;
      camera.scale = scale;
      redraw();
    };
    const bring = () => {
      const at = node(selected.peek() ?? [...running.peek()].at(-1));
      if (!at) return;
      const { width, height } = size();
      const [w, h] = [width / camera.scale, (height - covered(shape, size())) / camera.scale];
      const [inside, below] = [at.x >= camera.x && at.x + at.w <= camera.x + w, at.y >= camera.y && at.y + at.h <= camera.y + h];
      // In the middle, but not beyond the picture.
      const placed = (middle: number, sight: number, most: number) =>
        Math.max(-MARGIN, Math.min(middle - sight / 2, most + MARGIN - sight));
      if (!inside) camera.x = placed(at.x + at.w / 2, w, shape.tree.width);
      const root = nodes.peek()[0];
      if (root && !inside) {
        // Scrolls to a root that is cut in two, if the node stays visible.
        if (root.x < camera.x && root.x + root.w > camera.x && at.x + at.w <= root.x - MARGIN + w) camera.x = root.x - MARGIN;
        const right = root.x + root.w + MARGIN - w;
        if (root.x < camera.x + w && root.x + root.w > camera.x + w && at.x >= right) camera.x = right;
      }
      if (!below) camera.y = placed(at.y + at.h / 2, h, shape.tree.height);
      redraw();
    };
    const hit = (event: MouseEvent) => {
      const x = camera.x + event.offsetX / camera.scale;
      const y = camera.y + event.offsetY / camera.scale;
      return nodes.peek().find((box) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h);
    };

    let drag: { x: number; y: number; moved: boolean; map: boolean } | null = null;
    const centre = (event: PointerEvent) => {
      const to = mapped(shape, size(), event.offsetX, event.offsetY);
      if (!to) return false;
      const { width, height } = size();
      camera.x = to.x - width / camera.scale / 2;
      camera.y = to.y - height / camera.scale / 2;
      redraw();
      return true;
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      it.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, y: event.offsetY, moved: false, map: centre(event) };
    };
    const move = (event: PointerEvent) => {
      if (!drag) return void (it.style.cursor = hit(event) ? "pointer" : "grab");
      if (drag.map) return void centre(event);
      const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      camera.x -= dx / camera.scale;
      camera.y -= dy / camera.scale;
      drag = { ...drag, x: event.offsetX, y: event.offsetY, moved: true };
      redraw();
    };
    const up = (event: PointerEvent) => {
      if (drag && !drag.moved && !drag.map) select(hit(event)?.id ?? null);
      drag = null;
    };
    const cancel = () => (drag = null);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    };
    const press = (event: KeyboardEvent) => {
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      const keys: Record<string, () => void> = {
        ArrowUp: () => walk(-1, 0),
        ArrowDown: () => walk(1, 0),
        ArrowLeft: () => walk(0, -1),
        ArrowRight: () => walk(0, 1),
        "+": () => zoom(1.25),
        "=": () => zoom(1.25),
        "-": () => zoom(0.8),
        "0": fit,
      };
      const act = keys[event.key];
      if (!act) return;
      act();
      event.preventDefault();
      event.stopPropagation();
    };

    Object.assign(boxes, { fit, zoom });
    onReveal(bring);
    const unwatch = onSize(it, redraw);
    const ends = new AbortController();
    listen(it, ends.signal, { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel, wheel, keydown: press });
    const stop = [
      effect(() => {
        shape = shapeOf(tree.value);
        Object.assign(camera, fitted(shape, size(), 1));
        if (camera.scale < LEGIBLE) Object.assign(camera, fitted(shape, size(), LEGIBLE, LEGIBLE));
        bring();
      }),
      effect(() => {
        // Everything that a picture shows.
        void [frame.value, now.value, live.value, facts.value, spans.value, matches.value, theme.value, dark.value, crowdHeat.value];
        redraw();
      }),
      effect(() => {
        void running.value;
        if (selected.value === null) return soon(bring);
        bring();
      }),
    ];
    return () => {
      cancelAnimationFrame(due);
      unwatch();
      for (const end of stop) end();
      ends.abort();
    };
  }, []);

  const here = node(selected.value);
  const what = here ? `selected: n${here.id} ${called(here)}` : "nothing selected";
  return (
    <canvas
      class="boxes"
      ref={canvas}
      tabIndex={0}
      role="img"
      aria-label={`The tree as boxes, ${what}. Arrow keys go to the parent, the first child and siblings.`}
    />
  );
}

/** Selects the parent (-1) or first child (1), or a sibling. */
function walk(levels: number, along: number): void {
  const all = nodes.peek();
  const at = node(selected.peek());
  if (!at) return select(all[0]?.id ?? null);
  if (levels < 0) return select(at.parent ?? at.id);
  if (levels > 0) return select(all[at.id + 1]?.parent === at.id ? at.id + 1 : at.id);
  const siblings = all.filter((it) => it.parent === at.parent);
  select(siblings[siblings.indexOf(at) + along]?.id ?? at.id);
}
