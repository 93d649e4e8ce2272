// The panel of the tree: its tools, its search, and one of its two layouts.

import { computed } from "@preact/signals";
import { focusTree, Tool } from "./bits";
import { Boxes, boxes } from "./boxes";
import { canEdit, toggle } from "./edit";
import { crowded, edited, foldAll, folded, heated, heatSays, isOpening, jumpMatch, layout, matches, nodes, overview, selected, tree, waits, wanted } from "./lens";
import { Outline } from "./outline";
import { counted } from "./times";

export const SEARCH = "tree-search";

const hits = computed(() => {
  if (wanted.value.trim() === "") return "";
  const list = matches.value;
  if (list.length === 0) return "not found";
  const at = list.indexOf(selected.value ?? -1);
  return at < 0 ? `${list.length} found` : `${at + 1} of ${list.length}`;
});

export function TreePanel() {
  const outline = layout.value === "outline" || edited.value !== null;
  const version = tree.value.version > 1 ? `, version ${tree.value.version}` : "";
  return (
    <section class={`panel tree ${waits.value && !edited.value ? "waits" : ""}`} aria-label="Tree" id="panel-tree">
      <header class="head">
        <h2>Tree</h2>
        <span class="about">
          {tree.value.name}
          {version}
          <span class="count"> · {counted(nodes.value.length, "node")}</span>
        </span>
        <search class="find">
          <input
            id={SEARCH}
            type="search"
            placeholder="Find a node"
            aria-label="Find a node"
            title="Ctrl F, Enter: next, Shift Enter: previous"
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") jumpMatch(!event.shiftKey);
              else if (event.key === "Escape") leave(event.currentTarget);
            }}
          />
          <output aria-live="polite">{hits.value}</output>
        </search>
        <span class="tools">
          {outline ? (
            <Tool
              sign="foldAll"
              name={folded.value.size > 0 ? "Unfold all" : "Fold all but what runs"}
              keys="F"
              press={foldAll}
              pressed={folded.value.size > 0}
            />
          ) : (
            <>
              <Tool sign="minus" name="Smaller" keys="-" press={() => boxes.zoom(0.8)} />
              <Tool sign="plus" name="Larger" keys="+" press={() => boxes.zoom(1.25)} />
              <Tool sign="fit" name="Whole tree" keys="0" press={() => boxes.fit()} />
            </>
          )}
          {crowded.value && !edited.value && (
            <Tool sign="heat" name={heated.value ? "Counts of this agent" : "Counts of all agents"} keys="H" pressed={heated.value} press={() => (heated.value = !heated.value)} />
          )}
          {canEdit() && overview.value.kind !== "trees" && (
            <Tool sign="pencil" name={edited.value ? "Show the recording" : "Edit"} keys="F4" pressed={edited.value !== null} press={() => void toggle()} />
          )}
          <span class="pair" role="group" aria-label="Layout" hidden={edited.value !== null}>
            <Tool sign="outline" name="Outline" keys="O" pressed={outline} press={() => (layout.value = "outline")} />
            <Tool sign="boxes" name="Boxes" keys="O" pressed={!outline} press={() => (layout.value = "boxes")} />
          </span>
        </span>
      </header>
      {heatSays.value && (
        <p class="hint" role="status">
          {heatSays.value}
        </p>
      )}
      {isOpening.value && !edited.value ? <p class="empty">Opening the first moment …</p> : outline ? <Outline /> : <Boxes />}
    </section>
  );
}

function leave(it: HTMLInputElement): void {
  wanted.value = "";
  it.blur();
  if (edited.value) focusTree();
}
