// Where answers come from: the report that the page is in, or the `pleach studio` that served it.

import type { AgentsView, CrowdTrack, FoundView, HeatView, LiveView, MomentView, Overview, Problem, Question, Report, StepView, TrackView, WhyNotView } from "./model";
import { DAMAGED, ReportSource } from "./report";

/** The type of the answer to each question, by the question's `ask`. */
export interface Answers {
  overview: Overview;
  agents: AgentsView;
  track: TrackView;
  moment: MomentView;
  steps: StepView[];
  why_not: WhyNotView;
  find: FoundView;
  heat: HeatView;
  crowd: CrowdTrack;
  live: LiveView;
  steer: null;
  /** A file: see `Source.load`. */
  report: never;
  recording: never;
  /** One of several answers: see `EditQuestion`. */
  edit: unknown;
}

export type Asked<K extends Question["ask"]> = Extract<Question, { ask: K }>;

/** A question that a file answers. */
export type FileQuestion = Asked<"report" | "recording">;

export interface Source {
  /** The bytes of a file. */
  load(question: FileQuestion): Promise<Blob>;
  /** Rejects with an `Error` whose message says what is wrong and what to do. */
  ask<K extends Question["ask"]>(question: Asked<K>): Promise<Answers[K]>;
}

const REPORT = "pleach-report";
const TOKEN = "pleach-token";

/** The source that this page was built for. */
export async function openSource(): Promise<Source> {
  const report = document.getElementById(REPORT);
  if (!report) return new Studio(takeToken());
  if (typeof DecompressionStream === "undefined") throw new Error("This browser is too old for reports: it has to know `DecompressionStream`.");
  let data: Report;
  try {
    const bytes = Uint8Array.from(atob(report.textContent ?? ""), (it) => it.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    data = (await new Response(plain).json()) as Report;
  } catch {
    throw new Error(DAMAGED);
  }
  return new ReportSource(data);
}

/** An answer that says that a question is wrong. */
export class Refused extends Error {}

class Studio implements Source {
  constructor(private readonly token: string) {}

  async ask<K extends Question["ask"]>(question: Asked<K>): Promise<Answers[K]> {
    return (await (await this.send(question)).json()) as Answers[K];
  }

  async load(question: FileQuestion): Promise<Blob> {
    return (await this.send(question)).blob();
  }

  private async send(question: Question): Promise<Response> {
    let response: Response;
    try {
      response = await fetch("/ask", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${this.token}` },
        body: JSON.stringify(question),
      });
    } catch {
      throw new Error("`pleach studio` does not answer. Start it again and open the address that it prints.");
    }
    if (response.ok) return response;
    throw new (response.status === 400 ? Refused : Error)(await problem(response));
  }
}

async function problem(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as Problem).error;
  } catch {
    return text || `\`pleach studio\` answers with status ${response.status}.`;
  }
}

/** The token in the address, which is removed from there. A tab keeps it for a reload. */
function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (token === null) return sessionStorage.getItem(TOKEN) ?? "";
  sessionStorage.setItem(TOKEN, token);
  given.delete("token");
  const rest = given.toString();
  history.replaceState(null, "", location.pathname + location.search + (rest && `#${rest}`));
  return token;
}

/** The place of the last item whose number is at most `most`, or -1. The items are sorted. */
export function lastAtOrBefore<T>(items: readonly T[], number: (item: T) => number, most: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (number(items[middle] as T) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
