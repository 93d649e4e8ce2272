// The tree as an outline: a line for each node. Only the lines in sight are in the document.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Bar, called, Icon, Marked, onReveal, signOf, truth } from "./bits";
import { fold, live, matches, nodes, rows, running, select, selected } from "./lens";
import type { NodeView } from "./model";
import { above, type Row } from "./rows";
import { type Facts, facts, flips, noteText, standing, watched } from "./facts";

/** The height of a line, in CSS pixels; also in studio.css. */
const LINE = 26;
const MORE = 8;

const ABORTS = "aborts ";
const isAbort = (text: string): boolean => text.startsWith(ABORTS);

/** How far a line is indented. Deep levels take less, so that names stay in sight. */
const indent = (depth: number): number => Math.min(depth, 20) * 16 + Math.max(0, depth - 20) * 3;

export function Outline() {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 800 });
  const all = rows.value;
  const first = Math.max(0, Math.floor(sight.top / LINE) - MORE);
  const last = Math.min(all.length, Math.ceil((sight.top + sight.height) / LINE) + MORE);
  const shown = all.slice(first, last);
  const at = all.findIndex((it) => it.node.id === selected.value);
  // The line that Tab reaches: the selected one, or else the first.
  const reached = at >= 0 ? at : 0;

  useLayoutEffect(() => {
    const it = box.current;
    if (!it) return;
    const measure = () => setSight({ top: it.scrollTop, height: it.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(it);
    it.addEventListener("scroll", measure, { passive: true });
    return () => {
      watch.disconnect();
      it.removeEventListener("scroll", measure);
    };
  }, []);

  const bring = (line: number) => {
    const it = box.current;
    if (!it || line < 0) return;
    const top = line * LINE;
    if (top < it.scrollTop + LINE) it.scrollTop = top - LINE * 2;
    else if (top > it.scrollTop + it.clientHeight - LINE * 2) it.scrollTop = top - it.clientHeight + LINE * 3;
  };
  onReveal(() => bring(rows.value.findIndex((it) => it.node.id === selected.value)));

  // What is selected comes into sight, and so does what begins to run.
  const top = [...running.value].at(-1) ?? null;
  useLayoutEffect(() => bring(at), [selected.value]);
  useLayoutEffect(() => {
    if (top !== null && document.activeElement?.closest("[role=tree]") !== box.current) {
      bring(all.findIndex((it) => it.node.id === top));
    }
  }, [top]);

  // The focus follows the selection, if it is in the tree.
  useLayoutEffect(() => {
    const it = box.current;
    if (!it || !it.contains(document.activeElement) || at < 0) return;
    it.querySelector<HTMLElement>(`[data-node="${selected.value}"]`)?.focus({ preventScroll: true });
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
      ArrowDown: () => to(at + 1),
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
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };

  const hits = new Set(matches.value);
  return (
    <div class="outline" role="tree" aria-label="Nodes of the tree" ref={box} onKeyDown={press}>
      <div class="lines" role="presentation" style={{ height: `${all.length * LINE}px` }}>
        {shown.map((row, place) => (
          <Line
            key={row.node.id}
            row={row}
            top={(first + place) * LINE}
            facts={facts.value.get(row.node.id)}
            reached={first + place === reached}
            hit={hits.has(row.node.id)}
          />
        ))}
      </div>
    </div>
  );
}

function Line(it: { row: Row; top: number; facts: Facts | undefined; reached: boolean; hit: boolean }) {
  const { node, kids, open, hidden } = it.row;
  const { state, glyph, words, runs } = standing(node.id);
  const held = it.facts?.condition;
  const here = selected.value === node.id;
  return (
    <div
      class={`line is-${state} ${node.kind_is} ${here ? "here" : ""} ${it.hit ? "hit" : ""}`}
      role="treeitem"
      data-node={node.id}
      aria-level={node.depth + 1}
      aria-expanded={kids ? open : undefined}
      aria-selected={here}
      aria-label={spoken(node, words, it.facts)}
      tabIndex={it.reached ? 0 : -1}
      style={{ transform: `translateY(${it.top}px)` }}
      onMouseDown={() => select(node.id)}
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
        <span class={`watch ${held.watched ? "watched" : ""} ${flips(held) ? "flips" : ""}`} title={watched(held)}>
          {held.watched && <span class="eye">◉</span>}
          {truth(held.stored)}
          {flips(held) && ` → ${truth(held.now)}`}
        </span>
      )}
      {it.facts?.notes.map((note) => (
        <span class="holds" key={note.word}>
          {note.share !== undefined && <Bar share={note.share} />}
          {noteText(note)}
        </span>
      ))}
      <span class="runs" title={`started ${runs} times in this stretch`}>
        {runs > 0 ? `${runs}×` : ""}
      </span>
    </div>
  );
}

function spoken(node: NodeView, words: string, facts: Facts | undefined): string {
  const parts = [node.edge, node.label, words, ...(facts?.notes.map(noteText) ?? [])];
  if (facts?.condition) parts.push(watched(facts.condition));
  return parts.filter((it) => it).join(", ");
}

/** A rail for each level; the rails of a part have its colour. */
function Guides({ node }: { node: NodeView }) {
  const over = above(nodes.value, node.id);
  return (
    <span class="guides" style={{ width: `${indent(node.depth)}px` }}>
      {over.map((id) => {
        const it = nodes.value[id] as NodeView;
        const on = live.value.has(id) && live.value.has(node.id);
        return <i key={id} class={`${it.part ? "of-part" : ""} ${on ? "on" : ""}`} style={{ left: `${indent(it.depth) + 7}px` }} />;
      })}
    </span>
  );
}
