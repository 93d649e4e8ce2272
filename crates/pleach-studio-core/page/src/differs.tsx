// What differs between a file and the disk, and what can be done about that; buttons beside each other.

import { useEffect, useRef } from "preact/hooks";
import { focusTree, isFocusLost, reveal, Tool, useOneStop } from "./bits";
import * as edit from "./edit";
import { edited } from "./lens";
import { canRevert, revertNode } from "./revert";
import type { FileState, NodeChange, ValueChange } from "./model";

export type Buttons = [text: string, keys: string, press: () => unknown][];

export function Choices({ of }: { of: Buttons }) {
  const box = useRef<HTMLParagraphElement>(null);
  useOneStop(box);
  return (
    <p class="choices" ref={box}>
      {of.map(([text, keys, press]) => (
        <button type="button" class="jump" key={text} title={keys || undefined} onClick={() => void press()}>
          {text}
        </button>
      ))}
    </p>
  );
}

/** What is to be decided about a file that has changed, or has gone, on the disk. */
const DECIDE: Partial<Record<FileState, [name: string, text: string, mine: string, theirs: string]>> = {
  conflict: ["Conflict", "has changed on the disk, and here, too. Nothing is merged by itself: choose which text stays.", "Keep mine", "Take theirs"],
  deleted: ["Gone from the disk", "is gone from the disk. Its text is still here: keep it, and Save writes it again; or remove it here, too.", "Keep it", "Remove it"],
};

/** What is to be decided about a file that has changed, or has gone, on the disk. */
export function Conflict({ state }: { state: FileState }) {
  const [name, text, mine, theirs] = DECIDE[state] ?? [];
  if (!name) return null;
  const show: Buttons = state === "conflict" ? [[edit.difference.value ? "Hide difference" : "Show difference", "5", edit.compare]] : [];
  const choices: Buttons = [[mine ?? "", "", () => edit.settle(true)], [theirs ?? "", "", () => edit.settle(false)], ...show];
  return (
    <div class="notice" role="alertdialog" aria-label={name} id="conflict">
      <p>
        {edited.value?.name} {text}
      </p>
      <Choices of={choices} />
    </div>
  );
}

/** The node of the file itself: it has the declared keys and events. */
const FILE = 0;

const SIGNS: Record<string, [kind: string, word: string]> = { "+": ["added", "added"], "-": ["gone", "removed"], ">": ["moved", "moved"], "~": ["changed", "changed"] };

/** What differs between the file and the disk: its nodes, and the lines of its text. */
export function DiffPanel() {
  const list = useRef<HTMLUListElement>(null);
  useOneStop(list);
  // A button of the panel that had the focus is gone with it.
  useEffect(() => () => void requestAnimationFrame(() => isFocusLost() && focusTree()), []);
  const it = edit.difference.value;
  if (!it) return null;
  return (
    <section class="panel time diff" aria-label="Changes" id="panel-diff">
      <header class="head">
        <h2>Changes</h2>
        <span class="about">{it.file}</span>
        <span class="summary" role="status">
          {it.summary}
        </span>
        <span class="tools">
          {edit.row()?.state === "unsaved" && (
            <>
              <button type="button" class="jump" id="revert" title="Take the text of the disk; Undo brings this text back" onClick={edit.revert}>
                Revert file
              </button>
              <button type="button" class="jump" title="Write all files (Ctrl S)" onClick={edit.save}>
                Save
              </button>
            </>
          )}
          <Tool sign="close" name="Close the changes" press={edit.compare} />
        </span>
      </header>
      <div class="sides">
        <div class="scroll">
          <ul ref={list} aria-label="Nodes that differ">
            {it.declared.map((one) => (
              <ChangeRow key={one.what} it={{ sign: "~", path: "", text: "", node: FILE, fields: [one] }} />
            ))}
            {it.nodes.map((one, at) => (
              <ChangeRow key={at} it={one} />
            ))}
          </ul>
          {it.restarts.length > 0 && (
            <ul class="restarts" aria-label="What a reload restarts">
              {it.restarts.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </div>
        <pre class="excerpt difference" aria-label="Lines that differ: - on the disk, + here" tabIndex={0}>
          {it.lines.length === 0 && "No line differs."}
          {it.lines.map((line, at) => (
            <div key={at} class={line.sign === " " ? "" : SIGNS[line.sign]?.[0]}>{`${line.sign}${String(line.line).padStart(4)}  ${line.text}`}</div>
          ))}
        </pre>
      </div>
    </section>
  );
}

/** A change, which leads to its node. */
function ChangeRow({ it }: { it: NodeChange }) {
  const { node } = it;
  const [kind, word] = SIGNS[it.sign] ?? [];
  const name = it.path.lastIndexOf("/") + 1;
  const jump = (id: number) => {
    reveal(id);
    focusTree();
  };
  const row = (
    <>
      <span class={`sign ${kind}`} role="img" aria-label={word}>
        {it.sign}
      </span>
      <span class="what">
        <span class="sort">{it.path.slice(0, name)}</span>
        <b>{it.path.slice(name)}</b>
        {it.text}
        {it.fields.map((field) => (
          <Values key={field.what} it={field} />
        ))}
      </span>
    </>
  );
  return (
    <li class="differing">
      {node === undefined ? (
        <div class="change">{row}</div>
      ) : (
        <button type="button" class="change" onClick={() => jump(node)}>
          {row}
        </button>
      )}
      {it.sign === "~" && node !== undefined && edit.row()?.state === "unsaved" && canRevert(node) && (
        <button type="button" class="jump" aria-label={`Revert this change: ${it.path}`} title="Take the lines of this node from the disk; Undo brings yours back" onClick={() => void revertNode(node)}>
          Revert this change
        </button>
      )}
    </li>
  );
}

function Values({ it }: { it: ValueChange }) {
  return (
    <span class="values">
      {it.what}: <del>{it.old}</del> <span aria-label="becomes">→</span> <ins>{it.new}</ins>
    </span>
  );
}
