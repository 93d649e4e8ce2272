// The keys that work everywhere except in fields.

import { showTab } from "./agents";
import { compare } from "./bands";
import { boxes } from "./boxes";
import { breakHere, followGame, stepGame, toggleGame } from "./live";
import { changeSpeed, crowded, foldAll, edited, heated, help, jumpAbort, jumpChange, layout, overview, pauseAt, play, range, running, select, step, stepEvent, timed } from "./lens";
import { focusTree, reveal } from "./bits";
import * as edit from "./edit";
import { wholeTime, zoomTime } from "./time";
import { nextTheme, TIME_FIELD } from "./top";
import { SEARCH } from "./tree";

function focus(id: string): void {
  const it = document.getElementById(id);
  it?.focus();
  if (it instanceof HTMLInputElement) it.select();
}

async function focusChanges(): Promise<void> {
  await edit.compareAnew();
  queueMicrotask(() => document.querySelector<HTMLElement>("#panel-diff li [tabindex='0'], #panel-diff pre")?.focus());
}

const live = (): boolean => overview.value.kind === "live";
const inBoxes = (): boolean => document.activeElement?.classList.contains("boxes") ?? false;

const KEYS: Record<string, () => unknown> = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  "Shift+ArrowLeft": () => step(-10),
  "Shift+ArrowRight": () => step(10),
  Home: () => pauseAt(range.value.first),
  End: () => pauseAt(range.value.last),
  " ": play,
  p: () => jumpChange(false),
  n: () => jumpChange(true),
  "[": () => jumpAbort(false),
  "]": () => jumpAbort(true),
  ",": () => changeSpeed(-1),
  ".": () => changeSpeed(1),
  g: () => focus(TIME_FIELD),
  "+": () => (inBoxes() ? boxes.zoom(1.25) : zoomTime(1 / 1.6)),
  "=": () => (inBoxes() ? boxes.zoom(1.25) : zoomTime(1 / 1.6)),
  "-": () => (inBoxes() ? boxes.zoom(0.8) : zoomTime(1.6)),
  "0": wholeTime,
  f: foldAll,
  r: () => {
    const top = [...running.value].at(-1);
    if (top !== undefined) reveal(top);
  },
  e: edit.toggle,
  F4: edit.toggle,
  w: edit.toggleWhatIf,
  "Shift+F4": edit.toggleWhatIf,
  o: () => (layout.value = layout.value === "outline" ? "boxes" : "outline"),
  t: nextTheme,
  "1": focusTree,
  "2": () => focus("panel-why"),
  "3": () => focus("time-line"),
  "4": () => document.querySelector<HTMLElement>("#panel-files button[tabindex='0'], #panel-agents [role=listbox]")?.focus(),
  "5": () => edited.value && focusChanges(),
  "/": () => crowded.value && showTab("agents"),
  s: () => crowded.value && showTab("find"),
  F8: () => live() && toggleGame(),
  F10: () => live() && stepGame(),
  l: () => live() && followGame(),
  b: () => live() && breakHere(),
  c: () => crowded.value && compare(),
  h: () => crowded.value && (heated.value = !heated.value),
  a: () => crowded.value && (timed.value = !timed.value),
  "?": () => (help.value = true),
  Escape: () => select(null),
};

/** What Ctrl with a key does while trees are edited. */
const WITH_CTRL: Record<string, () => unknown> = {
  z: edit.undo,
  "Shift+z": edit.redo,
  y: edit.redo,
  s: edit.save,
  d: edit.duplicate,
  g: () => edit.choose("wrap"),
  "Shift+g": edit.unwrap,
  k: () => edit.choose("become"),
  e: edit.extract,
  "/": edit.disable,
};

/** Handles the keys of editing. Returns whether this was one. */
function edits(event: KeyboardEvent, at: HTMLElement): boolean {
  const typing = at.closest("input:not([type=checkbox]), select, textarea") !== null;
  // With nothing focused, keys go to the tree.
  const inTree = at.closest("[role=tree]") !== null || at === document.body;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    const act = WITH_CTRL[event.shiftKey ? `Shift+${key}` : key];
    // A field undoes its own text.
    if (!act || (typing && key !== "s")) return false;
    act();
  } else if (event.altKey) {
    if (typing || !key.startsWith("Arrow")) return false;
    edit.move(key);
  } else if (key === "F9") edit.toggleTests();
  else if (key === "F4") (event.shiftKey ? edit.toggleWhatIf : edit.toggle)();
  else if (typing) return false;
  else if (key === "Delete" && inTree) edit.remove();
  else if (key === "F2") edit.enters.value = "#field-name";
  else if (key === "Insert") void edit.insert();
  else if (key === "Escape") focusTree();
  else if (inTree && key === "Enter") edit.enters.value = "textarea";
  else if (inTree && /^[a-z]$/.test(key)) void edit.insert(event.key);
  else return false;
  return true;
}

export function startKeyboard(): void {
  addEventListener("keydown", (event) => {
    // A fast typist types on before the palette is open, or has closed it by then.
    if (edit.wants.value && event.key === "Escape" && !(event.target as HTMLElement).closest("dialog")) edit.wants.value = null;
    if (edit.wants.value && event.key.length === 1 && !(event.target as HTMLElement).closest("dialog")) {
      edit.typed.value += event.key;
      return event.preventDefault();
    }
    if (edited.value && !help.value && !edit.wants.value && !event.defaultPrevented && edits(event, event.target as HTMLElement)) return event.preventDefault();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
      event.preventDefault();
      focus(SEARCH);
      return;
    }
    if (event.altKey && /^Arrow(Left|Right)$/.test(event.key) && overview.value.kind !== "trees") {
      event.preventDefault();
      return stepEvent(event.key === "ArrowRight");
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || help.value || edit.wants.value) return;
    const at = event.target as HTMLElement;
    if (!/^F\d/.test(event.key) && at.closest("input:not([type=checkbox]), select, textarea")) {
      if (event.key === "Escape") (at.blur(), edited.value && focusTree());
      return;
    }
    // A button is pressed by the space bar.
    if (event.key === " " && at.closest("button, input, summary, [role=tab]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = KEYS[event.shiftKey && /^(Arrow|F\d)/.test(key) ? `Shift+${key}` : key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
