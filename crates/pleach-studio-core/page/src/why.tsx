// Why the agent does what it does, why the selected node runs or does not, and what the keys hold.

import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { called, Icon, Linked, NodeLink, signOf } from "./bits";
import { enteredIn, facts, HOWS, leftOf, noteText, standing, watched, within } from "./facts";
import { ForceResult } from "./game";
import { Keys } from "./keys";
import { agent, frame, live, moment, momentAt, node, now, overview, pauseAt, range, running, select, selected, spans, stepNow, treeAt, waits, whyNot } from "./lens";
import type { Line, MomentView, NodeView, Span } from "./model";
import { GLYPHS } from "./spans";
import { counted, lasted, seconds, secondsAt } from "./times";

/** What the agent does, from the branch to the leaf. */
export const headline = computed(() => {
  const it = moment.value;
  if (!it) return "";
  const tops = it.running.map((id) => path(id).map(called).join(" › "));
  if (tops.length === 0) return it.phase === "active" ? "nothing runs" : it.phase;
  return tops.join(" and ");
});

/** The nodes that locate a node: its named ancestors, and the node itself. */
function path(id: number): NodeView[] {
  const steps: NodeView[] = [];
  for (let at = node(id); at && at.parent != null; at = node(at.parent)) {
    if (at.id === id || at.name !== undefined) steps.unshift(at);
  }
  return steps.length > 0 ? steps : [node(id)].filter((it) => it !== undefined);
}

export function WhyPanel() {
  const it = moment.value;
  return (
    <section class={`panel why ${waits.value ? "waits" : ""}`} aria-label="Why" id="panel-why" tabIndex={-1}>
      <header class="head">
        <h2>Why</h2>
        <span class="about">at {seconds(it ? secondsAt(overview.value.times, momentAt.value) : now.value)}</span>
      </header>
      <div class="scroll">
        <Step />
        {!it && <p class="empty">Playing agent #{agent.value} …</p>}
        {it && (
          <>
            <Does it={it} />
            <LastAbort />
            <Selected />
            <section>
              <Lines lines={it.explain.filter((line) => line.word !== "does" && line.word !== "aborted")} />
            </section>
            <Keys />
          </>
        )}
      </div>
    </section>
  );
}

/** The selected event within the frame. */
function Step() {
  const it = stepNow.value;
  return (
    <p class={it ? "step" : "spoken"} role="status" id="step">
      {it && (
        <>
          <b>
            {it.number} of {it.count}
          </b>{" "}
          in this frame: <Linked text={it.text} about={it.node} />
        </>
      )}
    </p>
  );
}

function Does({ it }: { it: MomentView }) {
  return (
    <div class={`does is-${it.phase}`}>
      {it.running.length === 0 && <p class="doing">{it.phase === "active" ? "Nothing runs." : `The agent is ${it.phase}.`}</p>}
      {it.running.map((id) => {
        const steps = path(id);
        const since = spans.value?.last(treeAt.value, id, frame.value);
        return (
          <p class="doing" key={id}>
            <span class="status top" aria-hidden="true">
              ●
            </span>{" "}
            {steps.map((step, at) => (
              <span key={step.id} class={at === steps.length - 1 ? "leaf" : "branch"}>
                <NodeLink id={step.id} />
                {at < steps.length - 1 && <span class="then"> › </span>}
              </span>
            ))}
            {since && <span class="since"> {sinceWords(since.from)}</span>}
          </p>
        );
      })}
    </div>
  );
}

function sinceWords(from: number): string {
  if (from === frame.value) return "since this frame";
  return `for ${lasted(now.value - secondsAt(overview.value.times, from))}`;
}

function Lines({ lines }: { lines: readonly Line[] }) {
  if (lines.length === 0) return null;
  return (
    <dl class="lines-of">
      {lines.map((line, at) => (
        <div key={at}>
          <dt>{lines[at - 1]?.word === line.word ? "" : line.word}</dt>
          <dd>
            <Linked text={line.text} about={line.node} />
            {line.until !== undefined && <b> {leftOf(line.until)}</b>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function LastAbort() {
  const it = moment.value?.last_abort;
  if (!it) return null;
  const at = it.frame;
  const inside = at !== undefined && at >= range.value.first && at <= range.value.last;
  return (
    <section class="last-abort">
      <h3>
        <span class="glyph" aria-hidden="true">
          ↷
        </span>{" "}
        Last abort{!inside && ` at ${seconds(it.time)}`}
        {inside && (
          <button type="button" class="jump" onClick={() => pauseAt(at)} disabled={at === frame.value}>
            {at === frame.value ? "this frame" : `go to ${seconds(secondsAt(overview.value.times, at))}`}
          </button>
        )}
      </h3>
      <p>
        <Linked text={it.text} about={it.node} />
      </p>
    </section>
  );
}

function Selected() {
  const it = node(selected.value);
  if (!it) {
    return (
      <section class="chosen none">
        <h3>No node selected</h3>
        <p>
          Click a node in the tree or a span in the time line: this panel shows why it runs, or why it does not. <kbd>?</kbd> lists all
          keys.
        </p>
      </section>
    );
  }
  const runs = spans.value?.of(treeAt.value, it.id) ?? [];
  const { words, glyph, state } = standing(it.id);
  const fact = facts.value.get(it.id);
  return (
    <section class="chosen" aria-label="Selected node">
      <h3>
        <Icon of={signOf(it)} class={`kind ${it.kind_is}`} />
        <span class="name">{called(it)}</span>
        {it.name !== undefined && <span class="sort">{it.kind}</span>}
        <span class="number">n{it.id}</span>
        <button type="button" class="tool small" aria-label="Select nothing" title="Select nothing (Esc)" onClick={() => select(null)}>
          <Icon of="close" />
        </button>
      </h3>
      {it.detail.length > 0 && <p class="code">{it.detail.join(", ")}</p>}
      {it.note && <p class="note">{it.note}</p>}
      <WhyNot of={it} />
      <ForceResult of={it} key={it.id} />
      <dl class="lines-of">
        <Told of="now">
          {glyph !== "" && (
            <span class={`status ${state}`} aria-hidden="true">
              {glyph}{" "}
            </span>
          )}
          {words}
        </Told>
        {fact?.notes.map((note) => (
          <Told of={note.word} key={note.word}>
            {noteText(note)}
          </Told>
        ))}
        {fact?.condition && <Told of="answer">{watched(fact.condition)}</Told>}
        {it.edge && <Told of="edge">{it.edge}</Told>}
        {it.conditionals.length > 0 && (
          <Told of="watches">
            {it.conditionals.map((id, at) => (
              <span key={id}>
                {at > 0 && ", "}
                <NodeLink id={id} />
              </span>
            ))}
          </Told>
        )}
        {it.place && (
          <Told of="written">
            <span class="code">{`${it.place.file}:${it.place.line}`}</span>
          </Told>
        )}
        <Runs of={it.id} runs={runs} />
      </dl>
    </section>
  );
}

function Told({ of, children }: { of: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{of}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** How often a node ran and how its runs ended, with links to the previous and next run. */
function Runs({ of, runs }: { of: number; runs: readonly Span[] }) {
  const { times, ended } = enteredIn(of);
  const before = runs.findLast((it) => it.from < frame.value);
  const after = runs.find((it) => it.from > frame.value);
  return (
    <Told of="entered">
      {times === 0 ? `never${within()}` : counted(times, "time")}
      {HOWS.map((how, at) => ended[at] !== 0 && (
        <span key={how} class={`ended ${how}`} title={GLYPHS[how].word}>
          <span aria-hidden="true">{GLYPHS[how].glyph}</span>
          {ended[at]}
          <span class="spoken"> {GLYPHS[how].word}</span>
        </span>
      ))}
      {runs.length > 0 && (
        <span class="ways">
          <button type="button" class="jump" disabled={!before} onClick={() => before && pauseAt(before.from)}>
            previous
          </button>
          <button type="button" class="jump" disabled={!after} onClick={() => after && pauseAt(after.from)}>
            next
          </button>
        </span>
      )}
    </Told>
  );
}

/** Where the node itself is in its way, the line says so instead of what the node requires. */
function ofItself(it: Line, node: number): Line {
  if (it.word !== "requires" || it.node !== node) return it;
  const [, answer, values = ""] = /^n.*?: (is failure|only the game knows)(.*)$/s.exec(it.text) ?? [];
  if (answer === undefined) return it;
  return { ...it, word: "itself", text: `${answer === "is failure" ? "does not hold now" : "only the game knows whether it holds now"}${values}` };
}

function WhyNot({ of }: { of: NodeView }) {
  const answer = whyNot.value;
  if (running.value.has(of.id)) return null;
  if (live.value.has(of.id)) return <p class="because">It is active: what runs is below it.</p>;
  if (answer?.node !== of.id || answer.agent !== agent.value) return null;
  return (
    <div class="because" role="region" aria-label="Why it does not run">
      <h4>Why it does not run</h4>
      {answer.lines.length > 0 ? <Lines lines={answer.lines.map((it) => ofItself(it, of.id))} /> : <p>This report does not say why.</p>}
    </div>
  );
}
