// All agents of a recording, what the crowd does, and where things happened.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Bar } from "./bits";
import { agent, agents, agentsWanted, fails, failures, find, found, look, lookAt, numberOf, overview, timed } from "./lens";
import { Breaks } from "./game";
import { breaks, tell } from "./live";
import type { Ended, FindQuestion } from "./model";
import { useSight } from "./theme";
import { counted, percent, seconds, whole } from "./times";

/** The height of a line, in CSS pixels; also in studio.css. */
const LINE = 30;
const MORE = 6;

const tab = signal<"agents" | "find">("agents");
const FIRST = { agents: "agents-search", find: "find-node" };

/** Shows a tab, and leads to its first field. */
export function showTab(to: "agents" | "find"): void {
  tab.value = to;
  // The page is redrawn in a microtask, before the next key press.
  queueMicrotask(() => {
    const it = document.getElementById(FIRST[to]);
    it?.focus();
    if (it instanceof HTMLInputElement) it.select();
  });
}

export function AgentsPanel() {
  return (
    <section class="panel agents" aria-label="Agents" id="panel-agents">
      <header class="head">
        <div role="tablist" aria-label="Agents or search">
          <Tab name="agents">Agents</Tab>
          <Tab name="find">Find</Tab>
        </div>
        {tab.value === "agents" && <span class="about">{agents.value ? whole(agents.value.count) : ""}</span>}
      </header>
      {tab.value === "agents" ? <AgentList /> : <FindForm />}
    </section>
  );
}

function Tab({ name, children }: { name: "agents" | "find"; children: string }) {
  return (
    <button type="button" role="tab" aria-selected={tab.value === name} class="tab" onClick={() => (name === "find" ? showTab(name) : (tab.value = name))}>
      {children}
    </button>
  );
}

const want = (find: string, limit = 200): void => void (agentsWanted.value = { find, limit });

/** Goes to the agent, and asks for enough lines to include its own. */
function goToAgent(number: number): void {
  want("", Math.max(200, Math.min(number + 50, overview.value.agents)));
  look(number);
}

function AgentList() {
  const it = agents.value;
  const { find } = agentsWanted.value;
  const number = numberOf(find);
  return (
    <>
      <input
        class="wide"
        id="agents-search"
        type="search"
        placeholder="fight & health < 0.3"
        title="Names of nodes that are active, expressions over keys and labels in quotes, with & between them; or an agent, as 17 or #17"
        aria-label="Only agents for which this holds, or the number of one"
        value={find}
        onInput={(event) => want(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && number !== null && goToAgent(number)}
      />
      <Wrong what="agents" />
      {number !== null && <p class="hint">Enter goes to agent #{number}.</p>}
      {it && find && number === null && !failures.value.has("agents") && <p class="hint">{`${whole(it.matching)} of ${counted(it.count, "agent")}`}</p>}
      <Rows
        label="Agents"
        of={it?.rows ?? []}
        at={it?.rows.findIndex((row) => row.number === agent.value) ?? -1}
        choose={(row) => look(row.number)}
        more={() => it && it.rows.length < it.matching && (agentsWanted.value = { ...agentsWanted.value, limit: it.rows.length * 2 })}
        row={(row) => (
          <>
            <span class="number">#{row.number}</span>
            <span class="doing">{row.running}</span>
            {row.label && <span class="sort">{row.label}</span>}
          </>
        )}
      />
      <Crowd />
    </>
  );
}

function Wrong({ what }: { what: string }) {
  const it = failures.value.get(what);
  return it === undefined ? null : (
    <div class="hint wrong" role="alert">
      <details>
        <summary title={it}>{it}</summary>
      </details>
    </div>
  );
}

/** The behaviour of agents that run no node: no node of this name can be searched for. */
const NOTHING = "(nothing)";

/** The most behaviours that have a line of their own. */
const MOST_SHARES = 12;

function Crowd() {
  const it = agents.value;
  if (!it || it.crowd.length === 0) return null;
  const most = Math.max(1, it.count);
  const rest = it.crowd.slice(MOST_SHARES);
  return (
    <section class="crowd" aria-label="What the crowd does">
      <header>
        <h2>Crowd</h2>
        <button type="button" class="jump" aria-pressed={timed.value} title="What all agents did, on the time line (A)" onClick={() => (timed.value = !timed.value)}>
          over time
        </button>
      </header>
      <ul>
        {it.crowd.slice(0, MOST_SHARES).map((share) => (
          <li key={share.behaviour} title={counted(share.count, "agent")}>
            {share.behaviour === NOTHING ? (
              <span class="doing">{NOTHING}</span>
            ) : (
              <button type="button" class="doing link" onClick={() => want(share.behaviour)}>
                {share.behaviour}
              </button>
            )}
            <Bar share={share.count / most} />
            <span class="count">{percent(share.count / most)}</span>
          </li>
        ))}
      </ul>
      {rest.length > 0 && (
        <p class="hint">
          and {counted(rest.length, "other behaviour")}, {percent(rest.reduce((sum, one) => sum + one.count, 0) / most)}
        </p>
      )}
    </section>
  );
}

const form = signal({ node: "", ended: "", by: "", event: "", where: "", only: false, nth: "1" });

/** What the form asks for. */
function wantedIn(it: typeof form.value): FindQuestion {
  const node = it.node.trim() || undefined;
  return {
    node,
    ended: node && it.ended ? (it.ended as Ended) : undefined,
    by: (it.ended === "aborted" && node && it.by.trim()) || undefined,
    event: it.event.trim() || undefined,
    where: it.where.trim() || undefined,
    agent: it.only ? agent.value : undefined,
  };
}
const searching = signal(false);

function FindForm() {
  const it = form.value;
  const set = (name: "node" | "by" | "event" | "where" | "ended") => (event: { currentTarget: { value: string } }) =>
    (form.value = { ...form.value, [name]: event.currentTarget.value });
  const submit = async (event: Event) => {
    event.preventDefault();
    searching.value = true;
    await find(wantedIn(it));
    searching.value = false;
  };
  const stop = async () => {
    // What was found before has nothing to do with the breakpoint.
    const why = await tell({ do: "break", find: wantedIn(it), nth: Math.max(1, Math.round(Number(it.nth)) || 1) });
    fails("find", why || null);
    if (!why) found.value = null;
  };
  const ready = [it.node, it.event, it.where].some((text) => text.trim() !== "");
  return (
    <div class="finding">
      <form class="finder" onSubmit={submit}>
        <label>
          node
          <input id="find-node" value={it.node} onInput={set("node")} placeholder="Attack, n9, fight/Attack" />
        </label>
        <label>
          what happened
          <select value={it.ended} onChange={set("ended")} disabled={it.node.trim() === ""}>
            <option value="">started</option>
            <option value="success">succeeded</option>
            <option value="failure">failed</option>
            <option value="aborted">was aborted</option>
          </select>
        </label>
        {it.ended === "aborted" && (
          <label>
            by
            <input value={it.by} onInput={set("by")} placeholder="sees_enemy, n9" />
          </label>
        )}
        {(["event", "where"] as const).map((name) => (
          <label key={name}>
            {name}
            <input value={it[name]} onInput={set(name)} placeholder={name === "event" ? "alarm" : "health < 0.3"} />
          </label>
        ))}
        <label class="check">
          <input type="checkbox" checked={it.only} onChange={(event) => (form.value = { ...it, only: event.currentTarget.checked })} />
          only agent #{agent.value}
        </label>
        <button type="submit" class="go" disabled={!ready || searching.value}>
          {searching.value ? "Searching …" : "Search the recording"}
        </button>
        {overview.value.kind === "live" && (
          <>
            <label title="1: it stops at the first hit, and at each one after it. 3: it plays on at the first two.">
              from hit no.
              <input id="find-nth" type="number" min="1" step="1" value={it.nth} onInput={(event) => (form.value = { ...it, nth: event.currentTarget.value })} />
            </label>
            <button type="button" class="go" disabled={!ready} onClick={stop}>
              Stop the game when it happens
            </button>
          </>
        )}
      </form>
      <Wrong what="find" />
      <Breaks />
      <Hits />
    </div>
  );
}

function Hits() {
  const it = found.value;
  if (!it && (failures.value.has("find") || breaks.value.length > 0)) return null;
  if (!it) return <p class="hint">Fill in one field or more. What is found is also marked on the time line.</p>;
  return (
    <>
      <p class="hint" aria-live="polite">
        {it.count === 0 ? "Not found." : `${counted(it.count, "time")}, ${counted(it.agents, "agent")}`}
        {it.hits.length < it.count && `; the first ${whole(Math.ceil(it.hits.length / 2))} and the last ${whole(Math.floor(it.hits.length / 2))} are listed`}
        {it.note && `${it.count === 0 ? "" : "."} ${it.note}`}
      </p>
      <Rows
        label="Found"
        of={it.hits}
        at={-1}
        choose={(hit) => lookAt(hit.agent, hit.frame, hit.node)}
        more={() => {}}
        row={(hit) => (
          <>
            <span class="when">{seconds(hit.seconds)}</span>
            <span class="number">#{hit.agent}</span>
            <span class="doing" title={hit.text}>
              {hit.text}
            </span>
          </>
        )}
      />
    </>
  );
}

/** A list of any length; only visible lines are in the document. Enter chooses one. */
function Rows<T>(it: {
  label: string;
  of: readonly T[];
  /** The line that is chosen, or -1. */
  at: number;
  choose: (it: T) => void;
  /** Called at the end of the list. */
  more: () => void;
  row: (it: T) => ComponentChildren;
}) {
  const count = it.of.length;
  const box = useRef<HTMLDivElement>(null);
  const sight = useSight(box);
  const [reached, setReached] = useState(0);
  const first = Math.max(0, Math.floor(sight.top / LINE) - MORE);
  const last = Math.min(count, Math.ceil((sight.top + sight.height) / LINE) + MORE);
  const end = last === count && count > 0;
  useLayoutEffect(() => {
    if (end) it.more();
  }, [end, count]);
  const walk = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -count, End: count }[event.key];
    if (event.shiftKey || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (by === undefined) return choose(reached);
    reach(Math.max(0, Math.min(count - 1, reached + by)));
  };
  const choose = (at: number) => {
    setReached(at);
    if (at < count) it.choose(it.of[at] as T);
  };
  const reach = (to: number) => {
    setReached(to);
    const outer = box.current;
    if (!outer) return;
    if (to * LINE < outer.scrollTop) outer.scrollTop = to * LINE;
    if ((to + 1) * LINE > outer.scrollTop + outer.clientHeight) outer.scrollTop = (to + 1) * LINE - outer.clientHeight;
  };
  useLayoutEffect(() => {
    if (it.at >= 0) reach(it.at);
  }, [it.at]);
  const id = (at: number) => `${it.label}-${at}`;
  return (
    <div
      class="rows"
      role="listbox"
      aria-label={it.label}
      aria-activedescendant={count > 0 ? id(reached) : undefined}
      tabIndex={0}
      ref={box}
      onKeyDown={walk}
    >
      <div role="presentation" style={{ height: `${count * LINE}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place).map((at) => (
          <div
            key={at}
            id={id(at)}
            role="option"
            aria-selected={at === it.at}
            class={`row ${at === it.at ? "here" : ""} ${at === reached ? "reached" : ""}`}
            style={{ transform: `translateY(${at * LINE}px)` }}
            onClick={() => choose(at)}
          >
            {it.row(it.of[at] as T)}
          </div>
        ))}
      </div>
    </div>
  );
}
