// All agents of a recording, what the crowd does, and where something happened.

import { batch, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Bar } from "./bits";
import { agent, agents, agentsWanted, failures, find, found, look, pauseAt, select } from "./lens";
import type { Ended, Hit } from "./model";
import { onSize, sizeOf } from "./theme";
import { counted, seconds, whole } from "./times";

/** The height of a line, in CSS pixels; also in studio.css. */
const LINE = 30;
const MORE = 6;

const tab = signal<"agents" | "find">("agents");
export const showTab = (to: "agents" | "find"): void => void (tab.value = to);

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
    <button type="button" role="tab" aria-selected={tab.value === name} class="tab" onClick={() => showTab(name)}>
      {children}
    </button>
  );
}

const want = (find: string): void => void (agentsWanted.value = { find, limit: 200 });

function AgentList() {
  const it = agents.value;
  return (
    <>
      <input
        class="wide"
        id="agents-search"
        type="search"
        placeholder="fight & health < 0.3"
        title="Names of nodes that are active and expressions over keys, with & between them"
        aria-label="Only agents for which this holds"
        value={agentsWanted.value.find ?? ""}
        onInput={(event) => want(event.currentTarget.value)}
      />
      <Wrong what="agents" />
      {it && agentsWanted.value.find && !failures.value.has("agents") && <p class="hint">{`${whole(it.matching)} of ${counted(it.count, "agent")}`}</p>}
      <Rows
        label="Agents"
        count={it?.rows.length ?? 0}
        at={it?.rows.findIndex((row) => row.number === agent.value) ?? -1}
        choose={(at) => it?.rows[at] && look(it.rows[at].number)}
        more={() => it && it.rows.length < it.matching && (agentsWanted.value = { ...agentsWanted.value, limit: it.rows.length * 2 })}
        row={(at) => {
          const row = it?.rows[at];
          return (
            row && (
              <>
                <span class="number">#{row.number}</span>
                <span class="doing">{row.running}</span>
                {row.label && <span class="sort">{row.label}</span>}
              </>
            )
          );
        }}
      />
      <Crowd />
    </>
  );
}

function Wrong({ what }: { what: string }) {
  const it = failures.value.get(what);
  return it === undefined ? null : (
    <p class="hint wrong" role="alert">
      {it}
    </p>
  );
}

function Crowd() {
  const it = agents.value;
  if (!it || it.crowd.length === 0) return null;
  const most = Math.max(1, it.count);
  return (
    <section class="crowd" aria-label="What the crowd does">
      <h3>Crowd</h3>
      <ul>
        {it.crowd.slice(0, 12).map((share) => (
          <li key={share.behaviour} title={counted(share.count, "agent")}>
            <button type="button" class="doing link" onClick={() => want(share.behaviour)}>
              {share.behaviour}
            </button>
            <Bar share={share.count / most} />
            <span class="count">{percent(share.count / most)}</span>
          </li>
        ))}
      </ul>
      {it.crowd.length > 12 && <p class="hint">and {counted(it.crowd.length - 12, "other behaviour")}</p>}
    </section>
  );
}

const percent = (it: number): string => (it > 0 && it < 0.01 ? "<1 %" : `${Math.round(it * 100)} %`);

const form = signal({ node: "", ended: "", event: "", where: "", only: false });
const searching = signal(false);

function FindForm() {
  const it = form.value;
  const set = (name: "node" | "event" | "where" | "ended") => (event: { currentTarget: { value: string } }) =>
    (form.value = { ...form.value, [name]: event.currentTarget.value });
  const submit = async (event: Event) => {
    event.preventDefault();
    searching.value = true;
    await find({
      node: it.node.trim() || undefined,
      ended: it.node.trim() && it.ended ? (it.ended as Ended) : undefined,
      event: it.event.trim() || undefined,
      where: it.where.trim() || undefined,
      agent: it.only ? agent.value : undefined,
    });
    searching.value = false;
  };
  const ready = [it.node, it.event, it.where].some((text) => text.trim() !== "");
  return (
    <>
      <form class="finder" onSubmit={submit}>
        <label>
          node
          <input id="find-node" value={it.node} onInput={set("node")} placeholder="Attack, n9, fight/Attack" />
        </label>
        <label>
          has
          <select value={it.ended} onChange={set("ended")} disabled={it.node.trim() === ""}>
            <option value="">started</option>
            <option value="success">succeeded</option>
            <option value="failure">failed</option>
            <option value="aborted">been aborted</option>
          </select>
        </label>
        <label>
          event
          <input value={it.event} onInput={set("event")} placeholder="alarm" />
        </label>
        <label>
          where
          <input value={it.where} onInput={set("where")} placeholder="health < 0.3" />
        </label>
        <label class="check">
          <input type="checkbox" checked={it.only} onChange={(event) => (form.value = { ...it, only: event.currentTarget.checked })} />
          only agent #{agent.value}
        </label>
        <button type="submit" class="go" disabled={!ready || searching.value}>
          {searching.value ? "Searching …" : "Search the recording"}
        </button>
      </form>
      <Wrong what="find" />
      <Hits />
    </>
  );
}

function Hits() {
  const it = found.value;
  if (!it && failures.value.has("find")) return null;
  if (!it) return <p class="hint">Fill in one field or more. What is found is also marked on the time line.</p>;
  const go = (hit: Hit) =>
    batch(() => {
      look(hit.agent);
      pauseAt(hit.frame);
      if (hit.node !== undefined) select(hit.node);
    });
  return (
    <>
      <p class="hint" aria-live="polite">
        {it.count === 0 ? "Not found." : `${counted(it.count, "time")}, ${counted(it.agents, "agent")}`}
        {it.hits.length < it.count && `; the first ${whole(it.hits.length)} are listed`}
        {it.note && `. ${it.note}`}
      </p>
      <Rows
        label="Found"
        count={it.hits.length}
        at={-1}
        choose={(at) => it.hits[at] && go(it.hits[at])}
        more={() => {}}
        row={(at) => {
          const hit = it.hits[at];
          return (
            hit && (
              <>
                <span class="when">{seconds(hit.seconds)}</span>
                <span class="number">#{hit.agent}</span>
                <span class="doing" title={hit.text}>
                  {hit.text}
                </span>
              </>
            )
          );
        }}
      />
    </>
  );
}

/** A list of any length, of which the document has the lines in sight. Enter chooses one. */
function Rows(it: {
  label: string;
  count: number;
  /** The line that is chosen, or -1. */
  at: number;
  choose: (at: number) => void;
  /** Called at the end of the list. */
  more: () => void;
  row: (at: number) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const [reached, setReached] = useState(0);
  const first = Math.max(0, Math.floor(sight.top / LINE) - MORE);
  const last = Math.min(it.count, Math.ceil((sight.top + sight.height) / LINE) + MORE);
  useLayoutEffect(() => {
    const outer = box.current;
    if (!outer) return;
    const measure = () => setSight({ top: outer.scrollTop, height: sizeOf(outer).height });
    const unwatch = onSize(outer, measure);
    outer.addEventListener("scroll", measure, { passive: true });
    return () => {
      unwatch();
      outer.removeEventListener("scroll", measure);
    };
  }, []);
  const end = last === it.count && it.count > 0;
  useLayoutEffect(() => {
    if (end) it.more();
  }, [end, it.count]);
  const walk = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (event.shiftKey || (by === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (by === undefined) return it.choose(reached);
    const to = Math.max(0, Math.min(it.count - 1, reached + by));
    setReached(to);
    const outer = box.current;
    if (!outer) return;
    if (to * LINE < outer.scrollTop) outer.scrollTop = to * LINE;
    if ((to + 1) * LINE > outer.scrollTop + outer.clientHeight) outer.scrollTop = (to + 1) * LINE - outer.clientHeight;
  };
  const id = (at: number) => `${it.label}-${at}`;
  return (
    <div
      class="rows"
      role="listbox"
      aria-label={it.label}
      aria-activedescendant={it.count > 0 ? id(reached) : undefined}
      tabIndex={0}
      ref={box}
      onKeyDown={walk}
    >
      <div role="presentation" style={{ height: `${it.count * LINE}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place).map((at) => (
          <div
            key={at}
            id={id(at)}
            role="option"
            aria-selected={at === it.at}
            class={`row ${at === it.at ? "here" : ""} ${at === reached ? "reached" : ""}`}
            style={{ transform: `translateY(${at * LINE}px)` }}
            onClick={() => {
              setReached(at);
              it.choose(at);
            }}
          >
            {it.row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
