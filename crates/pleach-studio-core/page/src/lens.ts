// The lens: which agent is looked at, when, and how. Everything else on the page is an answer about it.

import { batch, computed, effect, signal } from "@preact/signals";
import type { AgentsView, CrowdTrack, FileView, FindQuestion, FoundView, HeatView, MomentView, NodeView, Overview, StepView, TrackView, TreeView, WhyNotView } from "./model";
import { above, ends, pathsOf, type Row, rowsOf, search } from "./rows";
import { type FileQuestion, lastAtOrBefore, Refused, type Source } from "./source";
import { lanesOf, Spans } from "./spans";
import { counted, frameAt, secondsAt, whole } from "./times";

/** Trees with more nodes, or wider than this part of the window, begin as an outline. */
const BOXES_AT_MOST = 200;
const PART = 0.7;

export type Layout = "outline" | "boxes";
export type Theme = "auto" | "light" | "dark";

let source: Source;

export const overview = signal<Overview>({ title: "", kind: "report", first: 0, last: 0, times: [], agents: 0, trees: [], notes: [] });
export const agent = signal(0);
export const frame = signal(0);
export const selected = signal<number | null>(null);
export const folded = signal<ReadonlySet<number>>(new Set());
export const layout = signal<Layout>("outline");
export const theme = signal<Theme>("auto");
export const playing = signal(false);
export const wanted = signal("");
/** The range of the time line, in frames. */
export const view = signal<{ from: number; to: number }>({ from: 0, to: 1 });
export const help = signal(false);

/** The last answers. They may still be those about the agent before. */
const lastTrack = signal<TrackView | null>(null);
const lastMoment = signal<MomentView | null>(null);
/** What the agent did, and what it does now: nothing until that is known of this agent. */
export const track = computed(() => (lastTrack.value?.agent === agent.value ? lastTrack.value : null));
export const moment = computed(() => (lastMoment.value?.agent === agent.value ? lastMoment.value : null));
export const isOpening = computed(() => lastMoment.value === null);
/** The frame of the last moment. */
export const momentAt = signal(0);
/** A moment that is further away than this, in frames, is not the one that is looked at. */
const NEAR = 30;
/** Whether the panels wait for the agent or the moment that is looked at. */
export const waits = computed(() => moment.value === null || Math.abs(momentAt.value - frame.value) > NEAR);
export const whyNot = signal<WhyNotView | null>(null);
export const agents = signal<AgentsView | null>(null);
/** The agents that stay on the time line, and what they did. */
export const compared = signal<readonly number[]>([]);
export const others = signal<readonly TrackView[]>([]);
/** Whether nodes show what all agents did, and the data for that. */
export const heated = signal(false);
const heat = signal<HeatView | null>(null);
/** How far that is counted, in words. */
export const heatSays = computed(() => {
  if (!heated.value || edited.value) return "";
  const [it, { first, last }] = [crowdHeat.value, overview.value];
  if (!it) return "Counting what all agents did …";
  const isLate = it.last < last - HEAT_LATE;
  const share = Math.floor((100 * (it.last - first)) / Math.max(1, last - first));
  return `Counts of ${counted(it.agents, "agent")} up to frame ${whole(it.last)}${isLate ? ` of ${whole(last)}: counting, ${share} %` : ""}`;
});
/** What all agents did in the nodes of the tree that is shown. */
export const crowdHeat = computed(() => (heated.value && heat.value?.tree === treeAt.value ? heat.value : null));
/** Whether the time line shows what all agents did, and the data for that. */
export const timed = signal(false);
export const crowd = signal<CrowdTrack | null>(null);
export const agentsWanted = signal({ find: "", limit: 200 });
export const found = signal<FoundView | null>(null);
/** The errors, by what was asked, until the same question succeeds. */
export const failures = signal<ReadonlyMap<string, string>>(new Map());

/** Whether all agents can be looked at, and not just the one of a report. */
export const crowded = computed(() => overview.value.kind === "recording" || overview.value.kind === "live");
/** How many frames of a game are requested at a time, and up to which one. */
const STRETCH = 3600;
/** After this many frames of a game, the counts and shares of all agents are requested again. */
const HEAT_EVERY = 120;
const HEAT_LATE = 3 * HEAT_EVERY;
const CROWD_FRAMES = 30;
export const trackUntil = signal<number | null>(null);
/** How often a game has begun. Answers from before its last begin are those of another recording. */
const begun = signal(0);

export const stretch = computed(() => {
  const it = overview.value;
  return { first: it.from ?? it.first, last: it.to ?? it.last };
});
/** The frames that can be looked at: those in which the agent exists. */
export const range = computed(() => {
  const { first, last } = stretch.value;
  const it = track.value;
  if (!it) return { first, last };
  // An agent that was there at the end may still be there, if the game goes on.
  const end = overview.value.kind === "live" && it.last >= it.to ? last : it.last;
  return { first: Math.max(first, it.first), last: Math.min(last, end) };
});
export const now = computed(() => secondsAt(overview.value.times, frame.value));

const NO_TREE: TreeView = { name: "", version: 0, nodes: [], keys: [], events: [], width: 0, height: 0 };
/** The index of the agent's tree among all trees. */
export const treeAt = computed(() => (edited.value ? -1 : (lastMoment.value?.tree ?? 0)));
/** The file that is edited instead. */
export const edited = signal<FileView | null>(null);
export const tree = computed<TreeView>(() => edited.value?.tree ?? overview.value.trees[treeAt.value] ?? NO_TREE);
/** The events of a frame, one of which is selected. */
const stepped = signal<{ agent: number; frame: number; all: StepView[]; at: number } | null>(null);
/** The selected event, if the frame has not changed. */
export const stepNow = computed(() => {
  const it = stepped.value;
  const now = it?.agent === agent.value && it.frame === frame.value && !edited.value ? it : null;
  const step = now?.all[now.at];
  return now && step ? { ...step, number: now.at + 1, count: now.all.length } : null;
});
/** The moment that the tree shows: none for an edited file; within a frame, the one after an event. */
export const present = computed(() => {
  const it = edited.value ? null : moment.value;
  const step = stepNow.value;
  return it && step && it.frame === frame.value ? { ...it, running: step.running, active: step.active } : it;
});
export const nodes = computed<readonly NodeView[]>(() => tree.value.nodes);
const treeEnds = computed(() => ends(nodes.value));
export const running = computed<ReadonlySet<number>>(() => new Set(present.value?.running));
/** The nodes on the paths to running nodes, including those. */
export const live = computed<ReadonlySet<number>>(() => new Set([...(present.value?.active ?? []), ...running.value]));
const NOTHING: ReadonlySet<number> = new Set();
export const rows = computed<Row[]>(() => {
  // Live nodes affect the lines only if something is folded.
  const shown = folded.value.size > 0 ? live.value : NOTHING;
  return rowsOf(nodes.value, treeEnds.value, folded.value, shown);
});
export const matches = computed(() => search(nodes.value, wanted.value));
/** The start of the time line, if the track of a game starts later. */
const beyond = computed(() => (trackUntil.value !== null && lastTrack.value && view.value.from < lastTrack.value.from ? Math.floor(view.value.from) : 0));
export const spans = computed(() => (track.value ? new Spans(track.value) : null));
/** What the nodes of the agent's tree did in its whole recorded life; not known in a report. */
export const life = computed(() => {
  const all = track.value?.life;
  return all && new Map(all.filter((it) => it.tree === treeAt.value).map((it) => [it.node, it]));
});
const lastLanes = computed(() => (lastTrack.value ? lanesOf(lastTrack.value, overview.value.trees) : { spans: [], count: 0 }));
/** While another agent is played, the time line keeps its height. */
export const lanes = computed(() => (track.value ? lastLanes.value : { spans: [], count: lastLanes.value.count }));
const inOrder = (frames: number[]): number[] => [...new Set(frames)].sort((a, b) => a - b);
/** The frames at which what the agent does changed, and those of marks; keys may always change. */
export const changes = computed(() => {
  const told = lanes.value.spans.filter((it) => it.to > it.from);
  return inOrder([...told.flatMap((it) => [it.from, it.to]), ...(track.value?.marks.map((it) => it.frame) ?? [])]);
});
const aborts = computed(() => inOrder(track.value?.marks.filter((it) => it.kind === "abort").map((it) => it.frame) ?? []));

export const node = (id: number | null | undefined): NodeView | undefined => (id == null ? undefined : nodes.value[id]);

/** Opens the page on a source: asks for its overview, and sets the lens on its first moment. */
export async function open(it: Source): Promise<void> {
  source = it;
  const answer = await source.ask<"overview">({ ask: "overview" });
  batch(() => {
    overview.value = answer;
    agent.value = answer.agent ?? 0;
    const { first, last } = stretch.value;
    frame.value = first;
    view.value = { from: first, to: Math.max(last, first + 1) };
    const largest = Math.max(0, ...answer.trees.map((it) => it.nodes.length));
    const widest = Math.max(0, ...answer.trees.map((it) => it.width));
    layout.value = largest <= BOXES_AT_MOST && widest < innerWidth * PART ? "boxes" : "outline";
    followAddress(location.hash);
  });
  if (answer.kind === "trees") return;
  follow("track", () => ({ agent: agent.value, until: trackUntil.value, from: beyond.value }), (it) => askTrack(it.agent, it.until), takeTrack);
  follow("moment", momentWanted, askMoment, takeMoment);
  follow("why_not", whyNotWanted, askWhyNot, (it) => (whyNot.value = it));
  if (crowded.value) {
    const wantedNow = () => ({ frame: frame.value, ...agentsWanted.value });
    follow("agents", wantedNow, askAgents, (it) => (agents.value = it));
    const comparedNow = () => ({ who: compared.value, until: trackUntil.value });
    follow("compared", comparedNow, (it) => Promise.all(it.who.map((who) => trackOf(who, it.until))), (it) => (others.value = it));
    // In a game it is recounted only now and then, since that replays all agents.
    const heatWanted = () => (heated.value && !edited.value ? { tree: treeAt.value, at: Math.floor((trackUntil.value ?? 0) / HEAT_EVERY) } : null);
    follow("heat", heatWanted, askHeat, (it) => (heat.value = it));
    const timedWanted = () => (timed.value ? { at: Math.floor((trackUntil.value ?? 0) / CROWD_FRAMES) } : null);
    follow("crowd", timedWanted, async (it) => it && source.ask<"crowd">({ ask: "crowd" }), (it) => (crowd.value = it));
  }
  effect(keepAddress);
}

/**
 * Shows a recording that has begun again: that of another game, or what this game still has. What is edited, and how the
 * page looks, stays. Returns whether the frame that was shown stays, too.
 */
export function restart(it: Overview): boolean {
  const goesOn = it.last >= overview.value.last;
  const stays = goesOn && it.first <= frame.value;
  batch(() => {
    begun.value += 1;
    numbered = null;
    overview.value = it;
    trackUntil.value = it.last;
    lastTrack.value = lastMoment.value = whyNot.value = agents.value = found.value = heat.value = crowd.value = stepped.value = null;
    others.value = [];
    if (!goesOn) compared.value = [];
    if (!edited.value) [selected.value, folded.value] = [null, new Set()];
    if (!stays) frame.value = it.last;
    show(view.value.from, view.value.to);
  });
  return stays;
}

function trackOf(who: number, until: number | null): Promise<TrackView> {
  const { first, last } = stretch.peek();
  const from = until === null ? first : Math.max(first, Math.min(until - STRETCH, Math.floor(view.peek().from)));
  return source.ask<"track">({ ask: "track", agent: who, from, to: until ?? last });
}

async function askTrack(it: number, until: number | null): Promise<TrackView | null> {
  try {
    return await trackOf(it, until);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const first = () => source.ask<"agents">({ ask: "agents", frame: frame.peek(), limit: 1 });
    const other = lastTrack.peek()?.agent ?? (await first()).rows[0]?.number ?? 0;
    if (it === other) throw error;
    if (it === agent.peek()) {
      look(other);
      fails("agent", `${error.message}. This is agent ${other}.`);
    }
    return null;
  }
}

function takeTrack(it: TrackView | null): void {
  // The user may look at another agent by now.
  if (it?.agent !== agent.value) return;
  lastTrack.value = it;
  goTo(frame.value);
}

/** Only once it is known when the agent exists. */
const momentWanted = () => (track.value ? { agent: agent.value, frame: frame.value } : null);

async function askMoment(it: ReturnType<typeof momentWanted>) {
  return it && source.ask<"moment">({ ask: "moment", ...it });
}

/** The tree of the selected and folded nodes; `null` is that of the next moment. */
let numbered: TreeView | null = null;

/** Applies a moment. If the tree is another one, nodes are found again by name, or dropped. */
function takeMoment(it: MomentView | null, asked: ReturnType<typeof momentWanted>): void {
  // The user may look at another agent by now.
  if (!asked || it?.agent !== agent.value) return;
  lastMoment.value = it;
  momentAt.value = asked.frame;
  if (edited.value) return;
  if (tree.value === numbered || (asked.frame !== frame.value && !numbered)) return;
  const to = numbered && new Map(pathsOf(nodes.value).map((path, id) => [path, id]));
  const from = numbered ? pathsOf(numbered.nodes) : [];
  const now = (id: number) => (to ? to.get(from[id] ?? "") : node(id)?.id);
  numbered = tree.value;
  if (selected.value !== null) selected.value = now(selected.value) ?? null;
  folded.value = new Set([...folded.value].map(now).filter((id) => id !== undefined));
}

/** Marks the selected and folded nodes as those of the tree that is shown. */
export const numberNodes = (): void => void (numbered = tree.value);

/** Asks the source of the page. */
export const ask: Source["ask"] = (question) => source.ask(question);

/** What is being saved as a file. */
export const saving = signal<FileQuestion["ask"] | null>(null);

/** Saves an answer as a file of this name. */
async function saveAs(question: FileQuestion, name: string): Promise<void> {
  saving.value = question.ask;
  try {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await source.load(question));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    fails("save", null);
  } catch (error) {
    fails("save", messageOf(error));
  }
  saving.value = null;
}

/** Saves the visible part of the time line as a report about the agent. */
export function saveReport(): void {
  const [from, to] = [Math.max(0, Math.floor(view.value.from)), Math.ceil(view.value.to)];
  void saveAs({ ask: "report", agent: agent.value, from, to }, `agent${agent.value}.html`);
}

export const saveRecording = (): void => void saveAs({ ask: "recording" }, `${overview.value.title.replace(/\W+/g, "-")}.rec`);

/** The number of an agent, written as `17` or `#17`. */
export function numberOf(text: string): number | null {
  const found = /^\s*#?(\d{1,15})\s*$/.exec(text);
  return found && Number(found[1]);
}

/** A question about all agents takes longer than one about a moment, so it is asked less often. */
const CROWD_EVERY = 150;

async function askAgents(it: { frame: number; find: string; limit: number }) {
  await new Promise((done) => setTimeout(done, CROWD_EVERY));
  const find = numberOf(it.find) === null ? it.find.trim() : "";
  return source.ask<"agents">({ ask: "agents", ...it, find: find || undefined });
}

function whyNotWanted() {
  const it = selected.value;
  const shown = present.value;
  if (it === null || !shown || live.value.has(it) || !nodes.value[it]) return null;
  return { agent: shown.agent, frame: frame.value, node: it };
}

async function askWhyNot(it: ReturnType<typeof whyNotWanted>) {
  return it && source.ask<"why_not">({ ask: "why_not", ...it });
}

/** Counts what all agents did. What is counted so far is shown at once. */
async function askHeat(it: { tree: number } | null): Promise<HeatView | null> {
  let last = -1;
  for (;;) {
    const answer = it && (await source.ask<"heat">({ ask: "heat", tree: it.tree }));
    if (!answer || !heated.peek() || answer.tree !== treeAt.peek() || answer.last >= overview.peek().last || answer.last <= last) return answer;
    last = answer.last;
    heat.value = answer;
  }
}

/** Answers a search over the recording. */
export async function find(it: FindQuestion): Promise<void> {
  try {
    found.value = await source.ask<"find">({ ask: "find", ...it });
    fails("find", null);
  } catch (error) {
    found.value = null;
    fails("find", messageOf(error));
  }
}

export function fails(what: string, message: string | null): void {
  if ((failures.value.get(what) ?? null) === message) return;
  const rest = new Map(failures.value);
  if (message === null) rest.delete(what);
  else rest.set(what, message);
  failures.value = rest;
}

/**
 * Asks whenever what `read` reads changes. While an answer is under way, only the newest question
 * waits for it, so fast input never builds up a queue.
 */
function follow<Q, A>(what: string, read: () => Q, ask: (question: Q) => Promise<A>, say: (answer: A, to: Q) => void): void {
  let busy = false;
  let next: { question: Q } | null = null;
  const run = async () => {
    busy = true;
    while (next) {
      const { question } = next;
      const begin = begun.peek();
      next = null;
      try {
        const answer = await ask(question);
        if (begin !== begun.peek()) continue;
        batch(() => {
          say(answer, question);
          fails(what, null);
        });
      } catch (error) {
        if (begin === begun.peek()) fails(what, messageOf(error));
      }
    }
    busy = false;
  };
  effect(() => {
    void begun.value;
    next = { question: read() };
    if (!busy) void run();
  });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Keeps the moment in the address: a reload returns to it, as does a copied address of a report. */
function keepAddress(): () => void {
  const it = new URLSearchParams();
  if (crowded.value) it.set("agent", String(agent.value));
  it.set("frame", String(frame.value));
  if (selected.value !== null && !edited.value) it.set("node", String(selected.value));
  // Browsers refuse more than a few address changes a second.
  const timer = setTimeout(() => history.replaceState(null, "", `#${it}`), 300);
  return () => clearTimeout(timer);
}

/** Goes where the address says. What it does not name, or what does not exist, stays as it is. */
export function followAddress(hash: string): void {
  const given = new URLSearchParams(hash.slice(1));
  const number = (name: string) => (/^\d{1,15}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : undefined);
  const { first, last } = stretch.value;
  const to = number("frame") ?? -1;
  const inside = to >= first && to <= last;
  lookAt(overview.value.agent ?? number("agent") ?? agent.value, inside ? to : frame.value, number("node"));
}

/** Goes to an agent, a frame, and a node of the tree that the agent has then. */
export function lookAt(who: number, when: number, what?: number): void {
  batch(() => {
    const moves = who !== agent.value || when !== frame.value;
    look(who);
    pauseAt(when);
    if (what === undefined || edited.value) return;
    select(what);
    if (moves) numbered = null;
  });
}

/** Goes to a frame, and scrolls the time line to it. */
export function goTo(to: number): void {
  const { first, last } = range.value;
  const next = Math.round(Math.max(first, Math.min(last, to)));
  batch(() => {
    frame.value = next;
    const { from, to: until } = view.value;
    const width = until - from;
    if (next < from || next > until) show(next - width / 2, next + width / 2);
  });
}

/** Shows a range of the time line, within its ends and no shorter than ten frames. */
export function show(from: number, to: number): void {
  const { first, last } = stretch.value;
  const whole = Math.max(last - first, 1);
  const width = Math.max(Math.min(to - from, whole), Math.min(10, whole));
  const middle = (from + to) / 2;
  const begin = Math.max(first, Math.min(middle - width / 2, first + whole - width));
  view.value = { from: begin, to: begin + width };
}

/** Zooms the time line around a frame. */
export function zoom(by: number, around: number): void {
  const { from, to } = view.value;
  show(around - (around - from) * by, around + (to - around) * by);
}

export const step = (by: number): void => pauseAt(frame.value + by);

let stepping: Promise<void> = Promise.resolve();

/** Goes to the previous or next event: of this frame, or of the nearest one in which something happens. */
export function stepEvent(forward: boolean): void {
  stepping = stepping.then(() => takeStep(forward)).then(() => fails("steps", null), (error: unknown) => fails("steps", messageOf(error)));
}

async function takeStep(forward: boolean): Promise<void> {
  playing.value = false;
  const begun = { agent: agent.value, frame: frame.value };
  const it = stepNow.value && stepped.value;
  const to = it ? it.at + (forward ? 1 : -1) : -1;
  if (it?.all[to]) return goToStep({ ...it, at: to });
  const { changes } = track.value ?? (await trackOf(begun.agent, trackUntil.value));
  // With no event selected, the frame itself is next.
  const all = inOrder([...(it ? [] : [begun.frame]), ...changes]);
  const frames = forward ? all.filter((at) => at > begun.frame || (!it && at === begun.frame)) : all.filter((at) => at < begun.frame || (!it && at === begun.frame)).reverse();
  for (const at of frames) {
    const events = await source.ask<"steps">({ ask: "steps", agent: begun.agent, frame: at });
    if (agent.value !== begun.agent || frame.value !== begun.frame) return;
    if (events.length > 0) return goToStep({ agent: begun.agent, frame: at, all: events, at: forward ? 0 : events.length - 1 });
  }
}

function goToStep(it: NonNullable<typeof stepped.value>): void {
  batch(() => {
    stepped.value = it;
    goTo(it.frame);
    const node = it.all[it.at]?.node;
    if (node !== undefined) select(node);
  });
}

export function pauseAt(to: number): void {
  playing.value = false;
  goTo(to);
}

/** Goes to the next or previous frame of a sorted list. Returns whether there is one. */
function jump(list: readonly number[], forward: boolean): boolean {
  const at = lastAtOrBefore(list, (it) => it, forward ? frame.value : frame.value - 1);
  const to = list[forward ? at + 1 : at];
  if (to === undefined) return false;
  pauseAt(to);
  return true;
}

export const jumpChange = (forward: boolean): boolean => jump(changes.value, forward);
export const jumpAbort = (forward: boolean): boolean => jump(aborts.value, forward);

export function look(at: number): void {
  fails("agent", null);
  if (at === agent.value) return;
  batch(() => {
    numbered = null;
    agent.value = at;
    // The nodes of a file that is edited are the same for all agents.
    if (!edited.value) [selected.value, folded.value] = [null, new Set()];
  });
}

/** Selects a node, and unfolds its ancestors. */
export function select(id: number | null): void {
  batch(() => {
    selected.value = id;
    if (id === null) return;
    const over = above(nodes.value, id).filter((it) => folded.value.has(it));
    if (over.length > 0 && !live.value.has(id)) {
      const rest = new Set(folded.value);
      for (const it of over) rest.delete(it);
      folded.value = rest;
    }
  });
}

export function fold(id: number, away: boolean): void {
  const next = new Set(folded.value);
  if (away) next.add(id);
  else next.delete(id);
  folded.value = next;
}

/** Folds every branch, so that only the live path is shown, or unfolds all. */
export function foldAll(): void {
  if (folded.value.size > 0) {
    folded.value = new Set();
    return;
  }
  const all = nodes.value;
  folded.value = new Set(all.filter((it) => (treeEnds.value[it.id] as number) > it.id + 1).map((it) => it.id));
}

/** Selects the next or previous node that the search finds. */
export function jumpMatch(forward: boolean): void {
  const list = matches.value;
  const from = selected.value ?? -1;
  const next = forward ? list.find((it) => it > from) : list.findLast((it) => it < from);
  const to = next ?? (forward ? list[0] : list.at(-1));
  if (to !== undefined) select(to);
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
export const speed = signal(1);

export function changeSpeed(by: number): void {
  const at = SPEEDS.indexOf(speed.value) + by;
  speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))] as number;
}

let ticking = 0;

/** Plays in the time of the game, or pauses. At the end it starts again. */
export function play(): void {
  cancelAnimationFrame(ticking);
  playing.value = !playing.value;
  if (!playing.value) return;
  if (frame.value >= range.value.last) goTo(range.value.first);
  let before = performance.now();
  let time = now.value;
  let shown = frame.value;
  const tick = (at: number) => {
    if (!playing.value) return;
    // The user has gone elsewhere in the meantime.
    if (frame.value !== shown) time = now.value;
    time += (Math.max(0, at - before) / 1000) * speed.value;
    before = at;
    goTo(Math.max(frame.value, frameAt(overview.value.times, time)));
    shown = frame.value;
    if (shown >= range.value.last) playing.value = false;
    else ticking = requestAnimationFrame(tick);
  };
  ticking = requestAnimationFrame(tick);
}
