// What the page tells its user above the panels: the newest notice of each kind, and few at a time.

import { computed, signal } from "@preact/signals";
import { Tool } from "./bits";
import { failures, overview } from "./lens";
import { game, reloaded, stoppedAt } from "./live";
import { whole } from "./times";

/** How many notices are shown; the older ones show once newer ones are closed. */
export const MOST_NOTICES = 3;

interface Told {
  kind: string;
  text: string;
  /** What makes it another notice, if not each change of the text does. */
  key?: string;
  role?: "alert" | "note";
  id?: string;
  wrong?: boolean;
}

/** All that is to be told now, one of each kind. */
function told(): Told[] {
  const all: Told[] = [];
  const { says } = game.value;
  const [stop, reload, notes] = [stoppedAt.value, reloaded.value, overview.value.notes.join("\n")];
  // Counts in these go up while a game plays.
  if (notes) all.push({ kind: "notes", text: notes, key: notes.replace(/\d/g, ""), role: "note" });
  if (reload) all.push({ kind: "reload", id: "reloaded", text: `Reloaded in frame ${whole(reload.frame)}: ${reload.text}.` });
  if (says !== undefined) all.push({ kind: "says", id: "says", text: `The game says: ${says}`, wrong: true });
  if (stop) {
    const on = overview.value.last > stop.frame ? ` The game has played on up to frame ${whole(overview.value.last)}.` : "";
    all.push({ kind: "stop", text: `Stopped by a breakpoint: ${stop.text}.${on}`, key: stop.text });
  }
  // Errors of a search are shown beside its fields. Many questions may fail for one reason.
  const wrong = [...failures.value].filter(([what]) => what !== "agents" && what !== "find").map((it) => it[1]);
  for (const text of new Set(wrong)) all.push({ kind: `wrong ${text}`, text, role: "alert", wrong: true });
  return all;
}

let count = 0;
let before: (Told & { number: number })[] = [];
/** Numbered in the order in which they came. */
const numbered = computed(() => {
  const of = (it: Told) => before.find((old) => old.kind === it.kind && (old.key ?? old.text) === (it.key ?? it.text))?.number;
  before = told().map((it) => ({ ...it, number: of(it) ?? ++count }));
  return before.sort((a, b) => b.number - a.number);
});

const closed = signal<ReadonlySet<number>>(new Set());

export function Notes() {
  const shown = numbered.value.filter((it) => !closed.value.has(it.number)).slice(0, MOST_NOTICES);
  return (
    <>
      {shown.map((it) => (
        <Notice key={it.number} {...it} close={() => (closed.value = new Set([...closed.value, it.number]))} />
      ))}
    </>
  );
}

export function Notice({ text, role, id, wrong, close }: Omit<Told, "kind" | "key"> & { close: () => void }) {
  return (
    <div class={`notice closes ${wrong ? "wrong" : ""}`} role={role ?? "status"} id={id}>
      <span>{text}</span>
      <Tool sign="close" name="Close this notice" press={close} class="small" />
    </div>
  );
}
