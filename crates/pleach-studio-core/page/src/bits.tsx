// Small pieces that several panels use: signs of kinds and results, buttons, links to nodes.

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { node, nodes, select, selected, wanted } from "./lens";
import type { NodeView } from "./model";

/** Strokes on a field of 16 x 16. */
const SIGNS = {
  selector: "M5.2 6a2.8 2.8 0 1 1 4.6 2.1C8.7 9 8 9.4 8 10.6M8 13.2v.1",
  sequence: "M2.5 8h10.5M9 4l4 4-4 4",
  parallel: "M2.5 5.5h9M9 3l2.8 2.5L9 8M2.5 10.8h9M9 8.3l2.8 2.5L9 13.3",
  composite: "M8 13V9M8 9C8 6 4 7 4 3M8 9c0-3 4-2 4-6",
  decorator: "M8 2.2 13.8 8 8 13.8 2.2 8Z",
  condition: "M8 2.2a5.8 5.8 0 1 0 .01 0M5.4 8.2l1.9 1.9 3.4-3.9",
  action: "M4.5 3v10l8-5Z",
  play: "M4.5 2.5v11l9-5.5Z",
  pause: "M5 3v10M11 3v10",
  back: "M10.5 3.5 6 8l4.5 4.5",
  forward: "M5.5 3.5 10 8l-4.5 4.5",
  changeBack: "M12 3.5 7.5 8l4.5 4.5M4.5 3.5v9",
  changeForward: "M4 3.5 8.5 8 4 12.5M11.5 3.5v9",
  sun: "M8 5a3 3 0 1 0 .01 0M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6Z",
  half: "M8 2.2a5.8 5.8 0 1 0 .01 0M8 2.2v11.6M8 5h4.6M8 8h5.6M8 11h4.6",
  outline: "M3 3.5h10M6 8h7M6 12.5h7M3 8h.01M3 12.5h.01",
  boxes: "M5.5 2.5h5v3h-5ZM2 10.5h4.5v3H2ZM9.5 10.5h4.5v3H9.5ZM8 5.5V8M4.2 10.5V8h7.6v2.5",
  fold: "M4 6.5 8 10l4-3.5",
  foldAll: "M3 3h10M5 8h8M5 13h5M2.5 6.5v3",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10",
  pencil: "M3 13l.8-3.2L10.5 3 13 5.5 6.2 12.2ZM9 4.5 11.5 7",
  close: "M4 4l8 8M12 4l-8 8",
  compare: "M2 4h12M2 8h7M2 12h10",
  heat: "M3 13V9M8 13V3M13 13V6",
} as const;

export type Sign = keyof typeof SIGNS;

export function Icon({ of, class: name = "" }: { of: Sign; class?: string }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SIGNS[of]} />
    </svg>
  );
}

/** The sign of a node: composites by what they do, other nodes by their kind. */
export function signOf(it: NodeView): Sign {
  if (it.kind_is !== "composite") return it.kind_is;
  if (it.kind.includes("Sequence")) return "sequence";
  if (it.kind.includes("Selector")) return "selector";
  return it.kind.includes("Parallel") ? "parallel" : "composite";
}

export const strokes = (of: Sign): string => SIGNS[of];

/** The display name of a node: its name, or else its kind. */
export const called = (it: NodeView): string => it.name ?? it.kind;

/** The prefix of the abort type among the details of a node. */
export const ABORTS = "aborts ";
export const isAbort = (text: string): boolean => text.startsWith(ABORTS);

export const truth = (it: boolean | null): string => (it === null ? "?" : it ? "✓" : "✗");
/** The result of a condition, in the words that explanations use. */
export const answerWord = (it: boolean): string => (it ? "success" : "failure");

export function Tool(it: {
  sign: Sign;
  name: string;
  keys?: string;
  press: () => void;
  pressed?: boolean;
  off?: boolean;
  class?: string;
}) {
  const title = it.keys ? `${it.name} (${it.keys})` : it.name;
  return (
    <button
      type="button"
      class={`tool ${it.class ?? ""}`}
      title={title}
      aria-label={it.name}
      aria-pressed={it.pressed}
      disabled={it.off}
      onClick={it.press}
    >
      <Icon of={it.sign} />
    </button>
  );
}

/** Selects a node in the tree and scrolls to it. */
export function reveal(id: number): void {
  if (selected.value === id) revealed();
  else select(id);
}

let bring: () => void = () => {};
export const revealed = (): void => bring();
/** The current layout registers how it scrolls to the selected node. */
export function onReveal(it: () => void): void {
  bring = it;
}

/** Focuses the line of the tree that Tab reaches. */
export function focusTree(): void {
  document.querySelector<HTMLElement>("#panel-tree [role=treeitem][tabindex='0'], #panel-tree canvas")?.focus();
}

/** Whether nothing on the page has the focus: an element that is removed or disabled loses it. */
export function isFocusLost(): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at.matches(":disabled");
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowRight: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  ArrowLeft: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Makes the buttons in a box one stop of Tab. Arrow keys move between them. */
export function useOneStop(box: RefObject<HTMLElement | null>): void {
  const all = () => [...(box.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
  const stop = (at: HTMLElement | undefined) => all().forEach((it) => (it.tabIndex = it === at ? 0 : -1));
  useLayoutEffect(() => {
    const list = all();
    stop(list.find((it) => it === document.activeElement) ?? list.find((it) => it.ariaCurrent === "true") ?? list[0]);
  });
  useLayoutEffect(() => {
    const it = box.current;
    const note = (event: FocusEvent) => stop(event.target as HTMLElement);
    const press = (event: KeyboardEvent) => {
      const list = all();
      const at = list.indexOf(event.target as HTMLElement);
      const next = STEPS[event.key];
      if (!next || at < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      list[next(at, list.length - 1)]?.focus();
      event.preventDefault();
      event.stopPropagation();
    };
    it?.addEventListener("focusin", note);
    it?.addEventListener("keydown", press);
    return () => {
      it?.removeEventListener("focusin", note);
      it?.removeEventListener("keydown", press);
    };
  }, []);
}

/** A bar from 0 to 1. */
export function Bar({ share }: { share: number }) {
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </span>
  );
}

/** A node must run for this many milliseconds before the tree follows it: a tree that jumps cannot be read. */
const STANDS = 100;

/** Calls back soon, unless it is cancelled first. */
export function soon(call: () => void): () => void {
  const timer = setTimeout(call, STANDS);
  return () => clearTimeout(timer);
}

export function NodeLink({ id, children }: { id: number; children?: ComponentChildren }) {
  const it = node(id);
  if (!it) return <>{children ?? `n${id}`}</>;
  return (
    <button type="button" class="link" title={it.label} onClick={() => reveal(id)}>
      {children ?? called(it)}
    </button>
  );
}

/**
 * A text in which numbers of nodes are links. A number counts only before the kind of that node, as
 * in `n9 fight: Check(sees_enemy)`, or if the line is about that node: a key may be called `n5`.
 */
export function Linked({ text, about }: { text: string; about?: number | null }) {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const it of text.matchAll(/\bn(\d+)\b(?: (?:[^\s:]+: )?([A-Za-z_]\w*))?/g)) {
    const id = Number(it[1]);
    const view = nodes.value[id];
    if (!view || (id !== about && view.kind !== it[2])) continue;
    const name = `n${it[1]}`;
    parts.push(text.slice(from, it.index), <NodeLink id={id}>{name}</NodeLink>);
    from = it.index + name.length;
  }
  parts.push(text.slice(from));
  return <>{parts}</>;
}

/** A text with the matches of the search marked. */
export function Marked({ text }: { text: string }) {
  const want = wanted.value.trim().toLowerCase();
  const at = want === "" ? -1 : text.toLowerCase().indexOf(want);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + want.length)}</mark>
      {text.slice(at + want.length)}
    </>
  );
}
