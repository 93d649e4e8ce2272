// Light or dark: as the system wants, or as the reader does.

import { computed, effect, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { theme } from "./lens";

const system = matchMedia("(prefers-color-scheme: dark)");
const wants = signal(system.matches);
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export const dark = computed(() => (theme.value === "auto" ? wants.value : theme.value === "dark"));

export function startTheme(): void {
  system.addEventListener("change", () => (wants.value = system.matches));
  effect(() => {
    document.documentElement.dataset.theme = dark.value ? "dark" : "light";
    colours = null;
  });
}

let colours: Map<string, string> | null = null;

/** A colour of the style sheet, for canvases. */
export function colour(name: string): string {
  colours ??= new Map();
  let found = colours.get(name);
  if (found === undefined) {
    found = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, found);
  }
  return found;
}

/** How many colours there are for branches. */
const BRANCHES = 8;

/** The colour of a branch: what it fills, or its edge. */
export const branchColour = (branch: number, part: "fill" | "edge"): string =>
  branch < 0 ? colour(`branch-none-${part}`) : colour(`branch-${branch % BRANCHES}-${part}`);

export const SANS = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif";
export const MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

export interface Size {
  width: number;
  height: number;
}

const sizes = new WeakMap<Element, Size>();

/** The size of a watched element, in CSS pixels. Asking the element would cost a layout. */
export const sizeOf = (it: Element): Size => sizes.get(it) ?? { width: it.clientWidth, height: it.clientHeight };

/** Calls back when an element changes its size, first when it is laid out. Returns a function that stops it. */
export function onSize(it: Element, call: () => void): () => void {
  const watch = new ResizeObserver(() => {
    sizes.set(it, { width: it.clientWidth, height: it.clientHeight });
    call();
  });
  watch.observe(it);
  return () => watch.disconnect();
}

/** The visible part of a scrolling box, in CSS pixels. */
export function useSight(box: RefObject<HTMLElement | null>): { top: number; height: number } {
  const [sight, setSight] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const it = box.current;
    if (!it) return;
    const measure = () => setSight({ top: it.scrollTop, height: sizeOf(it).height });
    const unwatch = onSize(it, measure);
    it.addEventListener("scroll", measure, { passive: true });
    return () => {
      unwatch();
      it.removeEventListener("scroll", measure);
    };
  }, []);
  return sight;
}

/** Listens to events of an element until `signal` aborts. */
export function listen(it: HTMLElement, signal: AbortSignal, on: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void }): void {
  for (const [name, call] of Object.entries(on)) it.addEventListener(name, call as (event: Event) => void, { signal, passive: false });
}

/** Makes a canvas as sharp as the screen, and clears it. */
export function prepare(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D | null {
  const sharp = devicePixelRatio || 1;
  const ink = canvas.getContext("2d");
  if (!ink || width === 0 || height === 0) return null;
  const [across, down] = [Math.round(width * sharp), Math.round(height * sharp)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  ink.setTransform(sharp, 0, 0, sharp, 0, 0);
  ink.clearRect(0, 0, width, height);
  return ink;
}

const widths = new Map<string, number>();

/** A text cut to this width in the current font. */
export function shortened(ink: CanvasRenderingContext2D, text: string, most: number): string {
  if (most <= 0) return "";
  if (measured(ink, text) <= most) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ink.measureText(`${text.slice(0, middle)}…`).width <= most) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low).trimEnd()}…`;
}

export function measured(ink: CanvasRenderingContext2D, text: string): number {
  const key = `${ink.font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    width = ink.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}
