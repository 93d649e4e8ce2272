// A running game: what is new in it, and commands to it.

import { batch, computed, effect, signal } from "@preact/signals";
import { agent, ask, edited, fails, frame, goTo, lookAt, messageOf, moment, momentAt, now, overview, playing, range, restart, selected, show, trackUntil, tree, view } from "./lens";
import type { BreakView, GameView, KeyView, LiveView, Overview, ReloadView, Steer, TreeView } from "./model";
import { secondsAt, whole } from "./times";

/** How long the page waits before it asks again, and how often it asks what one agent did. */
const PAUSE = 15;
const TRACK_EVERY = 250;
const AFTER_FAILURE = 1000;
/** How much of the past is visible at first, in frames. */
const SIGHT = 1200;

export const game = signal<GameView>({ state: 0, begun: 0, paused: false, speed: 1, late: 0, forced: [] });
export const breaks = signal<BreakView[]>([]);
/** Whether the page shows each new frame. */
export const following = signal(true);
/** Where a breakpoint stopped the game last, until it goes on. */
export const stoppedAt = signal<{ text: string; frame: number } | null>(null);

/** What happened to agents in the last reload. */
export const reloaded = signal<ReloadView | null>(null);

/** When the studio last answered, and how long it has not done so, in seconds. */
let heard = performance.now();
const silent = signal(0);
/** An answer takes up to a second, if there is nothing new. */
const PATIENCE = 1.5;
/** By how many seconds what is shown is older than what the game plays; what is less than one counts as none. */
export const late = computed(() => {
  const behind = following.value && moment.value ? now.value - secondsAt(overview.value.times, momentAt.value) : 0;
  return Math.floor(game.value.late + Math.max(0, behind) + silent.value);
});

const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Asks for what is new, for as long as the page is open. */
export async function watchGame(): Promise<void> {
  let begun: number | null = null;
  show(overview.value.last - SIGHT, overview.value.last);
  followGame();
  setInterval(() => {
    const it = (performance.now() - heard) / 1000;
    silent.value = it > PATIENCE ? it : 0;
  }, 500);
  effect(seeGiven);
  for (;;) {
    try {
      const it = await ask<"live">({ ask: "live", after: overview.peek().last, state: game.peek().state });
      heard = performance.now();
      if (it.game.begun !== (begun ??= it.game.begun)) {
        const answer = await ask<"overview">({ ask: "overview" });
        begun = it.game.begun;
        restarted(answer);
        continue;
      }
      const known = overview.peek().trees;
      take(it, it.trees > known.length ? (await ask<"overview">({ ask: "overview" })).trees : known);
      fails("live", it.game.gone === undefined ? null : `Nothing more comes from the game: ${it.game.gone}. The page waits for it.`);
      await wait(PAUSE);
    } catch (error) {
      fails("live", messageOf(error));
      await wait(AFTER_FAILURE);
    }
  }
}

/** The last frame that the page went to by itself. */
let shown = -1;
let asked = 0;

function restarted(it: Overview): void {
  [stoppedAt.value, reloaded.value] = [null, null];
  const stays = restart(it);
  if (stays && !following.value) return;
  show(it.last - SIGHT, it.last);
  followGame();
}

function take(it: LiveView, trees: TreeView[]): void {
  const stopped = it.breaks.find((now) => {
    const before = breaks.value.find((old) => old.id === now.id)?.hits ?? 0;
    return before < now.hits && now.nth <= now.hits;
  });
  batch(() => {
    const { first, last, agents, notes } = it;
    overview.value = { ...overview.value, first, last, agents, notes, trees, times: joined(overview.value.times, it.times) };
    game.value = it.game;
    breaks.value = it.breaks;
    keysEvery = it.keys_every;
    reloaded.value = it.reload ?? null;
    if (performance.now() > asked + TRACK_EVERY) {
      asked = performance.now();
      trackUntil.value = last;
    }
    // The user has gone elsewhere in the meantime.
    if (frame.value !== shown || playing.value) following.value = false;
    if (!it.game.paused && !stopped) stoppedAt.value = null;
    if (stopped?.last) {
      following.value = false;
      stoppedAt.value = { text: `${stopped.text}: agent #${stopped.last.agent}, frame ${whole(stopped.last.frame)}`, frame: stopped.last.frame };
      // Who edits keeps the place and the keyboard.
      if (!edited.value) lookAt(stopped.last.agent, stopped.last.frame, stopped.last.node);
    } else if (following.value) {
      toLast();
    }
  });
}

function toLast(): void {
  const { from, to } = view.value;
  const grows = from <= range.value.first && to - from < SIGHT;
  const { last } = range.value;
  // A game that has just begun has fewer frames: its time line grows.
  if (last > to) show(last - (grows ? SIGHT : to - from), last);
  goTo(last);
  shown = frame.value;
}

/** Times with those from their last one on. Where time runs on as before, its end moves. */
function joined(times: Overview["times"], more: Overview["times"]): Overview["times"] {
  const all = times.filter((it) => it[0] < (more[0]?.[0] ?? 0));
  for (const it of more) {
    const [a, b] = all.slice(-2);
    const even = a && b && Math.abs((b[1] - a[1]) / (b[0] - a[0]) - (it[1] - b[1]) / (it[0] - b[0])) < 1e-5;
    if (even) all.pop();
    all.push(it);
  }
  return all;
}

export function followGame(): void {
  playing.value = false;
  following.value = true;
  toLast();
}

/** Sends a command to the game. Returns why it was not carried out, or nothing. */
export async function tell(it: Steer): Promise<string> {
  try {
    await ask<"steer">({ ask: "steer", ...it });
    return "";
  } catch (error) {
    return messageOf(error);
  }
}

/** A value that a key was given. */
interface Given {
  value: string;
  /** What the key held before. */
  before: string;
  /** The last frame that was known then, and the one that shows the value at the latest. */
  from: number;
  until: number;
}

/** Values that are not seen yet, by agent and key. */
const given = signal<ReadonlyMap<string, Given>>(new Map());
let keysEvery = 1;
/** How many frames a game that runs may be ahead of the page, by seconds of delay. */
const AHEAD = 60;

function keep(of: string, it?: Given): void {
  const rest = new Map(given.value);
  if (it) rest.set(of, it);
  else rest.delete(of);
  given.value = rest;
}

/** Sets a key of the agent. Returns why that failed, or nothing. */
export async function setKey(key: KeyView, name: string, value: string, before: string): Promise<string> {
  const who = agent.value;
  const wrong = await tell({ do: "set", agent: who, key: name, value });
  const from = overview.value.last;
  const until = from + Math.max(1, keysEvery) + (game.value.paused ? 0 : AHEAD * (1 + late.value));
  // Without all keys, a value that no expression reads is not seen.
  if (!wrong && (keysEvery > 0 || key.recorded)) keep(`${who} ${key.name}`, { value, before, from, until });
  return wrong;
}

/** Whether a key holds what was typed. An expression is known only by the change that it makes. */
function holds(text: string, { value, before }: Given): boolean {
  const plain = value.trim().replace(/^vec[23] *|"/g, "");
  if (text === plain || text !== before && !/^[-\d.]+$|^true$|^false$/.test(plain)) return true;
  return plain !== "" && Math.abs(Number(text) - Number(plain)) < 1e-5;
}

/** What has become of the value that a key was given. */
export function givenSays(key: string): string {
  const it = given.value.get(`${agent.value} ${key}`);
  if (!it) return "";
  const at = momentAt.value;
  if (at >= it.until) return `The game has overwritten ${it.value}.`;
  return at <= it.from && game.value.paused ? `${it.value} from the next frame on` : `${it.value} is on its way`;
}

/** Forgets values that the moment shows. */
function seeGiven(): void {
  const it = moment.value;
  const keys = it && overview.value.trees[it.tree]?.keys;
  for (const { key, text } of it?.keys ?? []) {
    const of = `${it?.agent} ${keys?.[key]?.name}`;
    const one = given.peek().get(of);
    if (one && momentAt.value > one.from && holds(text, one)) keep(of);
  }
}

/** Sends a command to the game. Returns whether it was carried out. */
export async function steer(it: Steer): Promise<boolean> {
  const wrong = await tell(it);
  fails("steer", wrong || null);
  return !wrong;
}

export function toggleGame(): void {
  if (!game.value.paused) void steer({ do: "pause" });
  else void steer({ do: "go" }).then(followGame);
}

export function stepGame(): void {
  stoppedAt.value = null;
  void steer({ do: "step", frames: 1 }).then(followGame);
}

/** Sets or clears a breakpoint on the selected node: the game stops when it starts. */
export function breakHere(): void {
  if (selected.value === null) return;
  const find = { tree: tree.value.name, node: `n${selected.value}` };
  const set = breaks.value.find(({ find: it }) => it.tree === find.tree && it.node === find.node && !it.ended && !it.where && it.agent == null);
  void steer(set ? { do: "unbreak", id: set.id } : { do: "break", find, nth: 1 });
}
