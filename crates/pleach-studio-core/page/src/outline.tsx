// The tree as an outline: a line for each node. Only the lines in sight are in the document.

import { Component } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ABORTS, Bar, called, Icon, isAbort, Marked, onReveal, signOf, soon, truth } from "./bits";
import { change, held, type Held } from "./edit";
import { edited, fold, live, matches, nodes, rows, running, select, selected } from "./lens";
import type { NodeView, Side } from "./model";
import { sizeOf, useSight } from "./theme";
import { above, type Row } from "./rows";
import { whole } from "./times";
import { type Facts, facts, flips, noteText, type Standing, standing, watched } from "./facts";

/** The height of a line, in CSS pixels; also in studio.css. */
const LINE = 26;
const MORE = 4;
/** How many levels have rails, from the node up. */
const RAILS = 24;

/** How far a line is indented. Deep levels take less, so that names stay in sight. */
const indent = (depth: number): number => Math.min(depth, 20) * 16 + Math.max(0, depth - 20) * 3;

export function Outline() {
  const box = useRef<HTMLDivElement>(null);
  const sight = useSight(box);
  const all = rows.value;
  const first = Math.max(0, Math.floor(sight.top / LINE) - MORE);
  const last = Math.min(all.length, Math.ceil((sight.top + sight.height) / LINE) + MORE);
  const at = all.findIndex((it) => it.node.id === selected.value);
  // The line that Tab reaches: the selected one, or else the first in sight.
  const tabbed = at >= first && at < last ? at : Math.min(Math.ceil(sight.top / LINE), all.length - 1);
  const reached = at >= 0 ? at : tabbed;
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place);
  // The selected line stays in the document out of sight, too: it may have the focus.
  if (at >= last) shown.push(at);
  else if (at >= 0 && at < first) shown.unshift(at);

  const bring = (line: number) => {
    const it = box.current;
    if (!it || line < 0) return;
    const [top, { height }, scrolled] = [line * LINE, sizeOf(it), it.scrollTop];
    const [above, below] = [scrolled - top, top + LINE - scrolled - height];
    if (above <= 0 && below <= 0) return;
    // A line that is cut at an edge moves no further than it must: it may have been clicked.
    if (above < LINE && below < LINE) it.scrollTop = above > 0 ? top : scrolled + below;
    // From the root on, if that is in sight together with the line.
    else if (top + LINE <= height) it.scrollTop = 0;
    else it.scrollTop = above > 0 ? top - LINE * 2 : top - height + LINE * 3;
  };
  onReveal(() => bring(rows.value.findIndex((it) => it.node.id === selected.value)));

  // The focus follows the selection while it is in the tree. A line that scrolls out of the
  // document takes the focus with it, so what counts is where it was last. It is tracked from
  // the first render on: an effect that waits for a frame misses the first key of a fast
  // typist.
  const inside = useRef(false);
  useLayoutEffect(() => {
    const note = (event: Event) => (inside.current = box.current?.contains(event.target as Node) ?? false);
    addEventListener("focusin", note);
    addEventListener("pointerdown", note);
    return () => {
      removeEventListener("focusin", note);
      removeEventListener("pointerdown", note);
    };
  }, []);

  // Scrolls to the selected node; without one, to the node that starts.
  const top = [...running.value].at(-1) ?? null;
  useLayoutEffect(() => bring(at), [selected.value]);
  useLayoutEffect(() => {
    if (top === null || selected.value !== null) return;
    return soon(() => {
      // A node may have been selected since.
      if (selected.value === null) bring(rows.value.findIndex((it) => it.node.id === top));
    });
  }, [top]);
  useLayoutEffect(() => {
    const line = inside.current && box.current?.querySelector<HTMLElement>(`[data-node="${selected.value}"]`);
    if (line && line !== document.activeElement) line.focus({ preventScroll: true });
  }, [selected.value, first, last]);

  const press = (event: KeyboardEvent) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = all[reached];
    if (!row) return;
    const to = (line: number) => {
      const it = all[Math.max(0, Math.min(all.length - 1, line))];
      if (it) select(it.node.id);
    };
    const page = Math.max(1, Math.floor(sight.height / LINE) - 1);
    const keys: Record<string, () => void> = {
      ArrowDown: () => to(at < 0 ? tabbed : at + 1),
      ArrowUp: () => to(reached - 1),
      PageDown: () => to(reached + page),
      PageUp: () => to(reached - page),
      Home: () => to(0),
      End: () => to(all.length - 1),
      ArrowRight: () => (row.kids && !row.open ? fold(row.node.id, false) : row.kids && to(reached + 1)),
      ArrowLeft: () => (row.open ? fold(row.node.id, true) : row.node.parent != null && select(row.node.parent)),
      Enter: () => select(row.node.id),
    };
    const act = keys[event.key];
    // While a file is edited, Enter goes to the fields.
    if (!act || (edited.value && event.key === "Enter")) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };

  const hits = new Set(matches.value);
  return (
    <div class="outline" role="tree" aria-label="Nodes of the tree" ref={box} onKeyDown={press}>
      <div class="lines" role="presentation" style={{ height: `${all.length * LINE}px` }}>
        {shown.map((line) => {
          const row = all[line] as Row;
          // Lines keep their order in the document: Chromium loses a change of the class of an element that moves.
          return <Line key={row.node.id} {...lineOf(row, line * LINE, line === tabbed, hits.has(row.node.id))} />;
        })}
      </div>
    </div>
  );
}

const NODE = "application/x-pleach-node";
const nodeOf = (event: DragEvent): number => Number((event.currentTarget as HTMLElement).dataset.node);
/** Where a node dropped here would go: the upper part of a line is before its node, the lower part after it. */
function sideOf(event: DragEvent): Side {
  const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const share = (event.clientY - top) / height;
  return share < 0.3 ? "before" : share > 0.7 ? "after" : "into";
}
const mark = (event: DragEvent, side?: Side) => ((event.currentTarget as HTMLElement).dataset.drop = side ?? "");

/** A line of a file that is edited can be dragged to another. */
const DRAGS = {
  onDragStart: (event: DragEvent) => event.dataTransfer?.setData(NODE, JSON.stringify({ ...held(), node: nodeOf(event) })),
  onDragOver: (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes(NODE)) return;
    mark(event, sideOf(event));
    event.preventDefault();
  },
  onDragLeave: (event: DragEvent) => mark(event),
  onDrop: (event: DragEvent) => {
    mark(event);
    event.preventDefault();
    // Both numbers belong to one version of the text, so once that has changed the node is not moved.
    const of = JSON.parse(event.dataTransfer?.getData(NODE) ?? "") as Held;
    const [to, side] = [nodeOf(event), sideOf(event)];
    void change((node) => ({ do: "move", node, to, side }), of);
  },
};

/** What a line shows. */
interface Shown extends Standing {
  row: Row;
  top: number;
  facts: Facts | undefined;
  texts: string[];
  reached: boolean;
  hit: boolean;
  here: boolean;
  /** Equal for equal lines, so that a line is redrawn only if it changes. */
  sign: string;
}

function lineOf(row: Row, top: number, reached: boolean, hit: boolean): Shown {
  const { node, open, hidden } = row;
  const fact = facts.value.get(node.id);
  const texts = fact?.notes.map(noteText) ?? [];
  const here = selected.value === node.id;
  const how = standing(node.id);
  const held = fact?.condition;
  const parts = [top, reached, hit, here, open, hidden, how.state, how.words, how.runs, how.told, fact?.abort, live.value.has(node.id)];
  const sign = [...parts, ...texts, how.share, held?.stored, held?.now, held?.watched, ...(fact?.notes.map((it) => it.share) ?? [])].join("|");
  return { ...how, row, top, facts: fact, texts, reached, hit, here, sign };
}

/** Reads no signals: everything that changes is in its props. */
class Line extends Component<Shown> {
  override shouldComponentUpdate(next: Shown): boolean {
    return next.sign !== this.props.sign || next.row.node !== this.props.row.node;
  }

  override render(it: Shown) {
    return drawn(it);
  }
}

function drawn(it: Shown) {
  const { row, state, glyph, words, runs, told, share, here } = it;
  const { node, kids, open, hidden } = row;
  const held = it.facts?.condition;
  return (
    <div
      class={`line is-${state} ${node.kind_is} ${here ? "here" : ""} ${it.hit ? "hit" : ""}`}
      role="treeitem"
      data-node={node.id}
      aria-level={node.depth + 1}
      aria-expanded={kids ? open : undefined}
      aria-selected={here}
      aria-label={spoken(it, words)}
      tabIndex={it.reached ? 0 : -1}
      style={{ top: `${it.top}px` }}
      onMouseDown={() => select(node.id)}
      draggable={edited.peek() !== null}
      {...(edited.peek() && DRAGS)}
    >
      <span class={`status ${state}`}>{glyph}</span>
      <Guides node={node} />
      <span
        class={`twist ${open ? "open" : ""}`}
        onMouseDown={(event) => {
          if (!kids) return;
          fold(node.id, open);
          event.stopPropagation();
          event.preventDefault();
        }}
      >
        {kids && <Icon of="fold" />}
      </span>
      <Icon of={signOf(node)} class="kind" />
      {node.edge && <span class="edge">{node.edge}</span>}
      <span class="name">
        <Marked text={called(node)} />
      </span>
      {node.name !== undefined && (
        <span class="sort">
          <Marked text={node.kind} />
        </span>
      )}
      {node.detail.filter(isAbort).map((text) => (
        <span class="pill" key={text} title={text}>
          {text.slice(ABORTS.length)}
        </span>
      ))}
      {node.part && <span class="part">{node.part}</span>}
      <span class="detail">
        <Marked text={node.detail.filter((text) => !isAbort(text)).join("  ")} />
      </span>
      {hidden > 0 && <span class="hidden">+{hidden}</span>}
      {it.facts?.abort && (
        <span class="cause" title="caused the last abort">
          ↯
        </span>
      )}
      {held && (
        <span class={`watch ${held.watched ? "watched" : ""} ${held.watched && flips(held) ? "flips" : ""}`} title={watched(held)}>
          {held.watched && <span class="eye">◉</span>}
          {truth(held.stored)}
          {flips(held) && ` → ${truth(held.now)}`}
        </span>
      )}
      {it.facts?.notes.map((note, at) => (
        <span class="holds" key={note.word} title={it.texts[at]}>
          {note.share !== undefined && <Bar share={note.share} />}
          <span>{it.texts[at]}</span>
        </span>
      ))}
      <span class="runs" title={told}>
        {share !== undefined && <Bar share={share} />}
        {runs > 0 ? `${whole(runs)}×` : ""}
      </span>
    </div>
  );
}

function spoken(it: Shown, words: string): string {
  const { node } = it.row;
  const parts = [node.edge, node.label, words, ...it.texts];
  if (it.facts?.condition) parts.push(watched(it.facts.condition));
  return parts.filter((part) => part).join(", ");
}

/** A rail for each level, as one background. Rails of parts and of the live path are coloured. */
function Guides({ node }: { node: NodeView }) {
  const all = nodes.peek();
  const on = live.peek().has(node.id);
  const rails = above(all, node.id)
    .slice(0, RAILS)
    .map((id) => {
      const it = all[id] as NodeView;
      const left = indent(it.depth) + 7;
      if (on) return `linear-gradient(var(--run) 0 0) ${left}px 0 / 2px 100% no-repeat`;
      if (!it.part) return `linear-gradient(var(--line) 0 0) ${left}px 0 / 1px 100% no-repeat`;
      return `linear-gradient(var(--place) 4px, transparent 4px) ${left}px 0 / 1.5px 6.5px repeat-y`;
    });
  return <span class="guides" style={{ width: `${indent(node.depth)}px`, background: rails.join() }} />;
}
