// Editing of trees: the file that is shown, and the questions about it and changes of it.

import { batch, computed, effect, signal } from "@preact/signals";
import { agent, edited, folded, messageOf, moment, nodes, numberNodes, overview, selected, select, ask } from "./lens";
import type { Change, ChoiceView, DiffView, EditQuestion, EditView, FieldView, FileView, NodeView, Place, Side, TestsView, WhatIfView } from "./model";
import { pathsOf } from "./rows";

/** How often the files are compared with the disk, in milliseconds. */
const LOOK_EVERY = 2000;

export const files = signal<EditView>({ files: [], notes: [] });
/** The last refusal, until something succeeds. */
export const refusal = signal("");
export function closeNotice(text: string): void {
  if (text === refusal.value) refusal.value = "";
  else files.value = { ...files.value, notes: files.value.notes.filter((it) => it !== text) };
}
export const fields = signal<FieldView[]>([]);
/** The field that takes the focus once the fields are shown, or the text if that is shown. */
export const enters = signal<"textarea" | "#field-name" | null>(null);
/** What differs between the shown file and the disk, if that is shown. */
export const difference = signal<DiffView | null>(null);
/** What the palette asks for. */
export const wants = signal<Wanted | null>(null);
/** What is typed in it. */
export const typed = signal("");

/** Without choices any text can be typed. */
export type Wanted = { title: string; choices?: ChoiceView[]; sides?: Side; take: (text: string, side: Side) => void };

export const canEdit = (): boolean => overview.value.edits === true;
export const row = () => files.value.files.find((it) => it.name === edited.value?.name);
export const unsaved = () => files.value.files.filter((it) => it.state !== "saved" && it.state !== "closed").length;
export const chosen = (): NodeView | undefined => nodes.value[selected.value ?? -1];
export const problemsOf = (node: number, field?: string) => (edited.value?.problems ?? []).filter((it) => it.node === node && (field === undefined || it.field === field));

const question = <A>(it: EditQuestion): Promise<A> => ask({ ask: "edit", ...it }) as Promise<unknown> as Promise<A>;

/** The path of the selected node: its name after those of its ancestors. */
export const path = (): string => paths.value[selected.value ?? -1] ?? "";
const paths = computed(() => pathsOf(nodes.value));

/** A node to change. Its place is recorded when a key is pressed, and follows the changes made since. */
export interface Held {
  file: string;
  seen: number;
  node: number;
}

let holds: Held = { file: "", seen: 0, node: 0 };

/** The selected node: the same object while it is the same node of the same text. */
export function held(): Held {
  const now = { file: edited.value?.name ?? "", seen: edited.value?.seen ?? 0, node: selected.value ?? 0 };
  if (holds.file !== now.file || holds.seen !== now.seen || holds.node !== now.node) holds = now;
  return holds;
}

/** The first of the texts in which nodes have their current numbers: setting a field renumbers none. */
let since = 0;

function number(before: FileView | null, it: EditQuestion): void {
  const now = edited.value;
  if (!now || now.seen === before?.seen) return;
  const [old, nodes] = [before?.tree.nodes, now.tree.nodes];
  const isSet = it.edit === "do" && it.change.do === "set" && before?.name === now.name && old?.length === nodes.length;
  if (!isSet || nodes.some((node, id) => node.kind !== old?.[id]?.kind || node.parent !== old[id].parent)) since = now.seen;
}

/** One at a time: each change applies to the text that the previous one made. */
let last: Promise<unknown> = Promise.resolve();

/** The question that is not answered yet. */
let waiting: Promise<boolean> | null = null;

/** Asks, applies the answer, and shows a refusal. Returns whether it succeeded. */
function run(it: () => EditQuestion | undefined, answered?: (it: EditView) => void): Promise<boolean> {
  flush();
  const next = last.then(async () => {
    try {
      const asked = it();
      if (!asked) return true;
      const answer = await question<EditView>(asked);
      const before = edited.value;
      answered?.(answer);
      // A field is set when it is left: by then another node may be selected.
      take(asked.edit === "do" && asked.change.do === "set" ? { ...answer, node: undefined } : answer);
      number(before, asked);
      // Looks at the disk are automatic: the refusal stays, so that it can be read.
      if (asked.edit !== "files" || asked.seen === undefined) refusal.value = "";
      return true;
    } catch (error) {
      refusal.value = messageOf(error);
      return false;
    }
  });
  last = next;
  waiting = next;
  void next.then(() => waiting === next && (waiting = null));
  return next;
}

/** Changes a node. The change is chosen after all earlier ones are done, from the nodes as they are then. */
export function change(make: (node: number) => Change | undefined, of: Held = held()): Promise<boolean> {
  const ask = (): EditQuestion | undefined => {
    const now = edited.value;
    if (of.file !== now?.name || of.seen < since) throw new Error(`The change came too late: ${of.file} is not as it was shown. Look at it again, and repeat the change.`);
    const it = make(of.node);
    return it && { edit: "do", file: of.file, seen: now.seen, change: it };
  };
  return run(ask, (it) => {
    if (it.shown && it.node !== undefined) Object.assign(of, { seen: it.shown.seen, node: it.node });
  });
}

/** Sends the typed text that is not sent yet. */
let send: (() => void) | null = null;
/** How many texts were sent and not answered yet. */
let sent = 0;
export const isTyping = (): boolean => send !== null || sent > 0;
let sendSoon = 0;

function flush(): void {
  const it = send;
  send = null;
  clearTimeout(sendSoon);
  it?.();
}

/** Sends text once typing pauses, or before anything else is asked. */
export function typing(it: () => void): void {
  send = it;
  clearTimeout(sendSoon);
  sendSoon = setTimeout(flush, 500);
}

function take(it: EditView): void {
  batch(() => {
    files.value = it.shown || it.notes.length > 0 ? it : { ...it, notes: files.value.notes };
    if (it.shown) showFile(it.shown, it.node);
    if (difference.value) void compareAnew();
  });
}

function showFile(it: FileView, node?: number): void {
  const other = it.name !== edited.value?.name;
  // A node is found again by its path, even if other things have changed.
  const at = selected.value === null || other ? undefined : path();
  edited.value = it;
  if (other) {
    folded.value = new Set();
    difference.value = null;
  }
  const most = it.tree.nodes.length - 1;
  const kept = at === undefined ? -1 : pathsOf(it.tree.nodes).indexOf(at);
  const to = node ?? (kept >= 0 ? kept : other ? 0 : (selected.value ?? 0));
  if (most >= 0) select(Math.min(to, most));
  else selected.value = null;
}

export const openFile = (file: string): Promise<boolean> => run(() => ({ edit: "files", file }));
export const undo = (): Promise<boolean> => run(() => ({ edit: "undo" }));
export const redo = (): Promise<boolean> => run(() => ({ edit: "redo" }));

/** Why the typed text is not in the file's text: saving that text would then be wrong. */
let untaken = "";

/** Saves everything typed so far, or nothing if that is refused. */
export async function save(): Promise<boolean> {
  flush();
  if (waiting && !(await waiting)) return false;
  return run(() => {
    if (untaken) throw new Error(`Nothing is saved, since what is typed is not taken: ${untaken}`);
    return { edit: "save" };
  });
}

export const settle = (mine: boolean): Promise<unknown> => run(() => ({ edit: "settle", file: edited.value?.name ?? "", mine })).then(() => (difference.value = null));

/** Takes the text of the disk. */
export const revert = (): Promise<boolean> => change(() => ({ do: "revert" }));

/** Shows or hides the difference between the file and the disk. */
export const compare = (): unknown => (difference.value ? (difference.value = null) : compareAnew());

/** Asks for the difference, or hides it if there is none. */
export async function compareAnew(): Promise<void> {
  const file = edited.value?.name ?? "";
  const differs = () => edited.value?.name === file && /unsaved|conflict/.test(row()?.state ?? "");
  const answer = differs() ? await question<DiffView>({ edit: "difference", file }) : null;
  difference.value = differs() ? answer : null;
}

export const complete = (field: string, before: string, after: string): Promise<ChoiceView[]> =>
  question({ edit: "complete", file: edited.value?.name ?? "", node: selected.value ?? 0, field, before, after });

/** The files as they are on the disk now; the one that is shown only if it has changed. */
const look = (): Promise<boolean> => run(() => ({ edit: "files", file: edited.value?.name, seen: edited.value?.seen }));

let ends: (() => void) | null = null;
let before: { agent: number; selected: number | null; folded: ReadonlySet<number> } | null = null;

/** Starts editing: where the selected node is written, or in the first file. */
export async function begin(): Promise<void> {
  if (edited.value || !canEdit()) return;
  const at = moment.value ? (chosen() ?? nodes.value[0])?.place : undefined;
  before = { agent: agent.value, selected: selected.value, folded: folded.value };
  await run(() => ({ edit: "files" }));
  const all = files.value.files;
  const found = at && fileOf(at, all.map((it) => it.name));
  const first = found ?? all.find((it) => it.state !== "closed")?.name;
  if (first === undefined) return;
  await openFile(first);
  const node = found === undefined ? undefined : (edited.value as FileView | null)?.tree.nodes.findLast((it) => it.place?.line === at?.line && (it.place?.column ?? 0) <= (at?.column ?? 0));
  if (node) select(node.id);
  const timer = setInterval(() => document.visibilityState === "visible" && !wants.value && void look(), LOOK_EVERY);
  const stops = [effect(() => void (edited.value && selected.value !== null && askFields(edited.value, selected.value))), followTests()];
  ends = () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    tests.value = null;
  };
}

/** Shows the recording again. The studio keeps what is not saved. */
export function leave(): void {
  if (!edited.value || overview.value.kind === "trees") return;
  ends?.();
  // Another agent may have another tree.
  const kept = before?.agent === agent.value ? before : null;
  batch(() => {
    edited.value = null;
    selected.value = kept?.selected ?? null;
    folded.value = kept?.folded ?? new Set();
    numberNodes();
  });
}

export const toggle = (): unknown => (edited.value ? leave() : begin());

/** The file of these in which a recorded node is written: a recording may call it by a longer path. */
function fileOf(place: Place, names: string[]): string | undefined {
  const same = (name: string) => `/${place.file}`.endsWith(`/${name}`) || `/${name}`.endsWith(`/${place.file}`);
  return names.filter(same).sort((a, b) => b.length - a.length)[0];
}

/** The node whose fields these are. */
let fieldsOf = "";

async function askFields(it: FileView, node: number): Promise<void> {
  const of = `${it.name} ${node}`;
  if (of !== fieldsOf) fields.value = [];
  fieldsOf = of;
  const all = await question<FieldView[]>({ edit: "fields", file: it.name, node }).catch(() => []);
  if (edited.value === it && selected.value === node) fields.value = all;
}

const beside = (it: NodeView, by: number): NodeView | undefined => {
  const all = nodes.value.filter((other) => other.parent === it.parent);
  return all[all.indexOf(it) + by];
};

/** Moves the selected node: before or after its neighbour, out of its parent, into the node before it. */
export const move = (key: string): unknown =>
  chosen() &&
  change((node) => {
    const it = nodes.value[node] as NodeView;
    const places: Record<string, [NodeView | undefined, Side]> = {
      ArrowUp: [beside(it, -1), "before"],
      ArrowDown: [beside(it, 1), "after"],
      ArrowLeft: [nodes.value[it.parent ?? -1], "after"],
      ArrowRight: [beside(it, -1), "into"],
    };
    const [to, side] = places[key] ?? [undefined, "after"];
    return to && { do: "move", node, to: to.id, side };
  });

export const remove = (): unknown => chosen() && change((node) => ({ do: "delete", node }));
export const duplicate = (): unknown => chosen() && change((node) => ({ do: "duplicate", node }));
export const unwrap = (): unknown => chosen() && change((node) => ({ do: "unwrap", node }));

export const disable = (): unknown => chosen() && change((node) => ({ do: "set", node, field: "disabled", value: edited.value?.off.includes(node) ? undefined : "true" }));

const kinds = (): Promise<ChoiceView[]> => question({ edit: "kinds", file: edited.value?.name ?? "", node: selected.value ?? 0 });

/** Asks for a kind of node, and inserts one. */
export async function insert(text = ""): Promise<void> {
  const it = chosen();
  if (!it || wants.value) return;
  const empty = it.kind_is === "decorator" && !nodes.value.some((other) => other.parent === it.id);
  const sides: Side = it.kind_is === "composite" || empty ? "into" : "after";
  const of = held();
  typed.value = text;
  wants.value = { title: "Insert a node", choices: [], sides, take: (text, side) => void change((node) => ({ do: "insert", node, side, text }), of) };
  const choices = await kinds();
  if (wants.value) wants.value = { ...wants.value, choices };
}

/** Asks for a kind, and wraps the selected node in it, or turns it into one. */
export async function choose(what: "wrap" | "become"): Promise<void> {
  const it = chosen();
  if (!it) return;
  const of = held();
  const all = await kinds();
  const outer = ["composite", "decorator"];
  const choices = all.filter((kind) => (what === "wrap" ? outer.includes(kind.detail) : /^\w+$/.test(kind.label)));
  const name = (text: string) => /^\w+/.exec(text)?.[0] ?? text;
  const title = what === "wrap" ? `Wrap ${it.name ?? it.kind} in` : `Make ${it.name ?? it.kind} a`;
  typed.value = "";
  wants.value = { title, choices, take: (text) => void change((node) => ({ do: what, node, kind: name(text) }), of) };
}

export function extract(): void {
  const it = chosen();
  if (!it) return;
  const of = held();
  typed.value = it.name ?? it.kind.toLowerCase();
  const take = (text: string) => void change((node) => (text.endsWith(".ron") ? { do: "extract", node, path: text } : { do: "template", node, name: text }), of);
  wants.value = { title: "Extract to a template, or to a file as parts/name.ron", take };
}

export function rename(field: string, name: string, of: Held): void {
  typed.value = name;
  wants.value = { title: `Rename ${name} in all files`, take: (name) => void change((node) => ({ do: "rename", node, field, name }), of) };
}

/** The text of a file when the typed text last matched it. */
export interface Base {
  file: string;
  seen: number;
  text: string;
}

export const baseOf = ({ name, seen, text }: FileView): Base => ({ file: name, seen, text });

/** From now on, typing starts from the text of the file as it is. */
export function typeAnew(it: FileView): Base {
  untaken = "";
  return baseOf(it);
}

/** Replaces the text of the file with the typed one: only what differs from its base is sent. */
export function typeText(text: string, of: Base): void {
  const ask = (): EditQuestion | undefined => {
    const old = of.text;
    if (old === text) return undefined;
    let from = 0;
    const most = Math.min(old.length, text.length);
    while (from < most && old[from] === text[from]) from += 1;
    let end = 0;
    while (end < most - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    return { edit: "do", file: of.file, seen: of.seen, change: { do: "text", from, to: old.length - end, text: text.slice(from, text.length - end) } };
  };
  sent += 1;
  void run(ask, (it) => it.shown && Object.assign(of, baseOf(it.shown))).then((isTaken) => {
    sent -= 1;
    untaken = isTaken ? "" : refusal.value;
  });
}

/** What the agent would have done under the edited trees, if shown, or why that is unknown. */
export const whatIf = signal<WhatIfView | string | null>(null);

const PLAYING = "Playing the recording …";
/** The same, unless it is about the agent before. */
export const whatIfNow = computed(() => {
  const it = whatIf.value;
  return it !== null && typeof it !== "string" && it.track.agent !== agent.value ? PLAYING : it;
});

let isWhatIfFollowed = false;

/** It stays on when the recording is shown again, and can be switched off there. */
export function toggleWhatIf(): void {
  if (overview.value.kind !== "recording" || (!edited.value && whatIf.value === null)) return;
  if (!isWhatIfFollowed) followWhatIf();
  isWhatIfFollowed = true;
  [whatIf.value, difference.value] = [whatIf.value === null ? PLAYING : null, null];
}

/** The results of the file's tests, if shown, or why they are unknown. */
export const tests = signal<TestsView | string | null>(null);

export function toggleTests(): void {
  if (edited.value) tests.value = tests.value === null ? "Playing the tests …" : null;
}

/** The results for the text that is shown. */
export const tested = computed(() => {
  const it = tests.value;
  return it !== null && typeof it !== "string" && it.file === edited.value?.name && it.seen === edited.value.seen ? it : null;
});

const asksTests = computed(() => tests.value !== null);

/** Runs them whenever the shown text changes. Tests are in other files, so they may also have changed when the user returns to one. */
function followTests(): () => void {
  return answers(
    () => (asksTests.value && edited.value ? { file: edited.value.name, seen: edited.value.seen } : null),
    async ({ file }) => {
      const answer = await question<TestsView>({ edit: "tests", file }).catch(messageOf);
      return () => tests.peek() !== null && (tests.value = answer);
    },
  );
}

const asksWhatIf = computed(() => whatIf.value !== null);

/** Asks for it whenever the texts or the agent change. */
function followWhatIf(): () => void {
  return answers(
    () => (asksWhatIf.value ? { seen: edited.value?.seen, who: agent.value } : null),
    async ({ who }) => {
      const answer = await question<WhatIfView>({ edit: "what_if", agent: who }).catch(messageOf);
      return () => whatIf.peek() !== null && (whatIf.value = answer);
    },
  );
}

/** Asks shortly after `wanted` changes. Only the answer to the last question is used. */
function answers<W>(wanted: () => W | null, asks: (it: W) => Promise<() => unknown>): () => void {
  let asked = 0;
  let timer = 0;
  return effect(() => {
    const it = wanted();
    if (it === null) return;
    asked += 1;
    const mine = asked;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const take = await asks(it);
      if (mine === asked) take();
    }, 200);
  });
}
