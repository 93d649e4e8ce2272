// The facts of a moment about each node, and the state of the node.

import { computed } from "@preact/signals";
import { answerWord, called } from "./bits";
import { tested } from "./edit";
import { agent, crowdHeat, edited, frame, life, live, node, now, overview, present, running, spans, treeAt } from "./lens";
import { game } from "./live";
import type { ConditionView, Entered, FileView, NodeNote } from "./model";
import { GLYPHS, timesOf } from "./spans";
import { lasted, secondsAt, whole } from "./times";

export interface Facts {
  notes: NodeNote[];
  condition?: ConditionView;
  /** Whether the node caused the last abort. */
  abort?: boolean;
}

export const facts = computed(() => {
  const it = present.value;
  const all = new Map<number, Facts>();
  const of = (node: number): Facts => {
    let known = all.get(node);
    if (!known) all.set(node, (known = { notes: [] }));
    return known;
  };
  for (const note of it?.nodes ?? []) of(note.node).notes.push(note);
  for (const condition of it?.conditions ?? []) of(condition.node).condition = condition;
  for (const { agent: whose, node, result } of game.value.forced) {
    if (whose === agent.value) of(node).notes.push({ node, word: "forced", text: result });
  }
  if (it?.last_abort) of(it.last_abort.node).abort = true;
  return all;
});

/** How much time is left until a time of the game. */
export const leftOf = (until: number): string => `${lasted(Math.max(0, until - now.value))} left`;

function nameOf(id: number): string | undefined {
  const it = node(id);
  return it && called(it);
}

/** A note in words, at the lens's frame. */
export function noteText(it: NodeNote): string {
  if (it.until !== undefined) return leftOf(it.until);
  if (it.word === "score") return it.text;
  if (it.word === "order") return `order: ${it.text.replace(/\bn(\d+)/g, (number, id) => nameOf(Number(id)) ?? number)}`;
  return it.word === "left" ? `${it.text} left` : `${it.word} ${it.text}`;
}

/** Whether a condition's result differs from the stored one. */
export const flips = (it: ConditionView): boolean => it.now !== null && it.now !== it.stored;

export function watched(it: ConditionView): string {
  const is = it.now === null ? "only the game knows what it is now" : `is ${answerWord(it.now)}`;
  return `${it.watched ? "watched: " : ""}was ${answerWord(it.stored)}, ${is}`;
}

export interface Standing {
  /** A word that is also a class of the style sheet. */
  state: string;
  glyph: string;
  words: string;
  /** How often it was entered: in the track, or by all agents. */
  runs: number;
  /** The same in words. */
  told: string;
  /** Its share of the maximum, from 0 to 1. */
  share?: number;
}

/** The entry count of the most entered node. */
const mostOf = (nodes: readonly (readonly number[] | null | undefined)[]): number => nodes.reduce((most, it) => Math.max(most, it?.[0] ?? 0), 0);
const crowdMost = computed(() => mostOf(crowdHeat.value?.nodes ?? []));

/** The state of a node at the lens's frame. */
export function standing(node: number): Standing {
  if (edited.value) {
    const tests = tested.value?.nodes;
    const is = written(edited.value, node);
    return tests?.[node] && is.state === "written" ? hot(is, tests[node], mostOf(tests), "the tests") : is;
  }
  const all = crowdHeat.value?.nodes;
  return all?.[node] ? hot(ofAgent(node), all[node], crowdMost.value, "all agents") : ofAgent(node);
}

/** How often the agent entered a node: in its whole recorded life, or in the stretch of a report. */
export function enteredIn(node: number): Pick<Entered, "times" | "ended" | "before"> {
  if (life.value) return life.value.get(node) ?? { times: 0, ended: [0, 0, 0, 0] };
  const all = spans.value?.of(treeAt.value, node) ?? [];
  const ended = HOWS.map((how) => timesOf(all.filter((it) => it.how === how))) as Entered["ended"];
  return { times: timesOf(all), ended };
}

/** The ways to end, in the order of the counts. */
export const HOWS = ["success", "failure", "aborted", "outside"] as const;

/** What counts are about, if that is not everything that is recorded of the agent. */
export const within = (): string => (life.value ? "" : " in this stretch");

function ofAgent(node: number): Standing {
  if (!spans.value) return { state: "later", glyph: "", words: "", runs: 0, told: "" };
  const { times: runs, before } = enteredIn(node);
  const told = `entered ${runs === 1 ? "once" : `${whole(runs)} times`}${within()}`;
  if (running.value.has(node)) return { state: "top", glyph: "●", words: "running", runs, told };
  if (live.value.has(node)) return { state: "live", glyph: "•", words: "on the live path", runs, told };
  const inside = spans.value?.last(treeAt.value, node, frame.value);
  const last = inside ?? (before && before[0] <= frame.value ? { to: before[0], how: before[1] } : undefined);
  if (!last) {
    return runs > 0
      ? { state: "later", glyph: "", words: "not entered yet", runs, told }
      : { state: "never", glyph: "", words: `never entered${within()}`, runs, told };
  }
  const { glyph, word } = GLYPHS[last.how];
  const at = secondsAt(overview.value.times, Math.min(last.to, frame.value));
  return { state: last.how, glyph, words: `${word} at ${at.toFixed(2)} s`, runs, told };
}

/** The state of a node, with the counts of all agents, or of the tests. */
function hot(usual: Standing, [started = 0, success = 0, failure = 0, aborted = 0]: readonly number[], most: number, who: string): Standing {
  const told = started === 0 ? `${who}: never entered` : `${who}: entered ${whole(started)}, succeeded ${whole(success)}, failed ${whole(failure)}, aborted ${whole(aborted)} times`;
  const runs = { runs: started, told, share: Math.log1p(started) / Math.log1p(Math.max(most, 1)) };
  if (usual.state === "top" || usual.state === "live") return { ...usual, ...runs };
  return { state: started > 0 ? "later" : "never", glyph: "", words: told, ...runs };
}

/** The state of a node in an edited file. */
function written(it: FileView, node: number): Standing {
  const wrong = it.problems.filter((problem) => problem.node === node);
  const error = wrong.some((problem) => problem.error);
  if (wrong.length > 0) return { state: error ? "error" : "warning", glyph: "!", words: wrong.map((problem) => problem.message).join(". "), runs: 0, told: "" };
  return it.off.includes(node) ? { state: "off", glyph: "–", words: "disabled", runs: 0, told: "" } : { state: "written", glyph: "", words: "", runs: 0, told: "" };
}
