// A running game: what is new in it, and commands to it.

import { batch, computed, signal } from "@preact/signals";
import { ask, fails, frame, goTo, lookAt, messageOf, moment, momentAt, now, overview, playing, range, restart, selected, show, trackUntil, tree, view } from "./lens";
import type { BreakView, GameView, LiveView, Overview, ReloadView, Steer, TreeView } from "./model";
import { secondsAt } from "./times";

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
export const stoppedAt = signal<string | null>(null);

/** What happened to agents in the last reload, until someone has read it. */
export const reloaded = signal<ReloadView | null>(null);
let read = -1;

export function closeReload(): void {
  read = reloaded.value?.frame ?? read;
  reloaded.value = null;
}

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
  [stoppedAt.value, reloaded.value, read] = [null, null, -1];
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
    reloaded.value = it.reload && it.reload.frame !== read ? it.reload : null;
    if (performance.now() > asked + TRACK_EVERY) {
      asked = performance.now();
      trackUntil.value = last;
    }
    // The user has gone elsewhere in the meantime.
    if (frame.value !== shown || playing.value) following.value = false;
    if (!it.game.paused && !stopped) stoppedAt.value = null;
    if (stopped?.last) {
      following.value = false;
      stoppedAt.value = `${stopped.text}: agent ${stopped.last.agent}, frame ${stopped.last.frame}`;
      lookAt(stopped.last.agent, stopped.last.frame, stopped.last.node);
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

/** Sends a command to the game. Returns whether it was carried out. */
export async function steer(it: Steer): Promise<boolean> {
  try {
    await ask<"steer">({ ask: "steer", ...it });
    fails("steer", null);
    return true;
  } catch (error) {
    fails("steer", messageOf(error));
    return false;
  }
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
