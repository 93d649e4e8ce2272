// The answers in a report.

import type { KeyText, MomentView, Question, Report, WhyNotView } from "./model";
import { type Answers, type Asked, lastAtOrBefore, type Source } from "./source";
import { secondsAt } from "./times";

/** The version of the form that this page reads. */
const VERSION = 1;

export const DAMAGED = "This report is damaged. Write it again with `pleach replay --report`.";

export class ReportSource implements Source {
  private readonly moments: MomentView[] = [];

  constructor(private readonly report: Report) {
    const version = report?.version ?? VERSION;
    if (version !== VERSION) throw new Error(`This report has version ${version}, and its page reads version ${VERSION}.`);
    const { overview, track, lines, notes, moments, why_not } = report ?? {};
    const lists = [overview?.times, overview?.trees, overview?.notes, track?.spans, track?.marks, track?.keys];
    if (![...lists, lines, notes, moments, why_not].every(Array.isArray)) throw new Error(DAMAGED);
  }

  async ask<K extends Question["ask"]>(question: Asked<K>): Promise<Answers[K]> {
    return this.answer(question) as Answers[K];
  }

  async load(): Promise<Blob> {
    throw new Error("This is a report already.");
  }

  private answer(question: Question): Answers[Question["ask"]] {
    switch (question.ask) {
      case "overview":
        return this.report.overview;
      case "track":
        return this.report.track;
      case "moment":
        return this.moment(question.frame);
      case "why_not":
        return this.whyNot(question.frame, question.node);
      case "steps":
        throw new Error("A report has no steps within a frame. Open the recording with `pleach studio` to see them.");
      case "agents":
      case "find":
      case "heat":
      case "crowd":
      case "live":
      case "steer":
      case "edit":
      case "report":
      case "recording":
        throw new Error("A report holds one agent. Open the recording with `pleach studio` to see the others.");
    }
  }

  private moment(frame: number): MomentView {
    const at = Math.max(0, lastAtOrBefore(this.report.moments, (it) => it.frame, frame));
    while (this.moments.length <= at) this.moments.push(this.next());
    return this.moments[at] as MomentView;
  }

  /** The moment after the last known one: unchanged parts are shared with it. */
  private next(): MomentView {
    const change = this.report.moments[this.moments.length];
    if (!change) throw new Error("This report holds no moments.");
    const before = this.moments.at(-1);
    const { track, overview } = this.report;
    return {
      agent: track.agent,
      label: changed(change.label, before?.label),
      frame: change.frame,
      seconds: secondsAt(overview.times, change.frame),
      tree: change.tree ?? before?.tree ?? 0,
      phase: change.phase ?? before?.phase ?? "",
      running: change.running ?? before?.running ?? [],
      active: change.active ?? before?.active ?? [],
      nodes: change.nodes ? placed(this.report.notes, change.nodes) : (before?.nodes ?? []),
      conditions: change.conditions ?? before?.conditions ?? [],
      explain: change.explain ? placed(this.report.lines, change.explain) : (before?.explain ?? []),
      last_abort: changed(change.last_abort, before?.last_abort),
      keys: change.keys ? merged(change.tree === undefined ? before?.keys : [], change.keys) : (before?.keys ?? []),
    };
  }

  private whyNot(frame: number, node: number): WhyNotView {
    const answers = this.report.why_not[this.moment(frame).tree]?.[node] ?? [];
    const answer = answers[lastAtOrBefore(answers, (it) => it[0], frame)];
    const lines = placed(this.report.lines, answer?.[1] ?? []);
    return { agent: this.report.track.agent, frame, node, active: answer?.[1] === null, lines };
  }
}

const placed = <T>(all: readonly T[], places: readonly number[]): T[] =>
  places.map((it) => all[it]).filter((it) => it !== undefined);

/** The value now: `undefined` is unchanged, `null` is none. */
const changed = <T>(now: T | null | undefined, before: T | undefined): T | undefined =>
  now === undefined ? before : (now ?? undefined);

function merged(before: readonly KeyText[] | undefined, changed: readonly KeyText[]): KeyText[] {
  const all = new Map([...(before ?? []), ...changed].map((it) => [it.key, it]));
  return [...all.values()].sort((a, b) => a.key - b.key);
}
