// All keys, in a dialog.

import { useEffect, useRef } from "preact/hooks";
import { canEdit } from "./edit";
import { crowded, edited, help, overview } from "./lens";

const KEYS: Record<string, [keys: string, what: string][]> = {
  Time: [
    ["← →", "a frame back, forward"],
    ["Shift ← →", "ten frames"],
    ["Alt ← →", "an event back, forward, within a frame"],
    ["P N", "change before, after"],
    ["[ ]", "abort before, after"],
    ["Home End", "first, last frame"],
    ["Space", "play, pause"],
    [", .", "slower, faster"],
    ["G", "go to a time or a frame"],
    ["+ - 0", "less time, more time, whole time"],
  ],
  Tree: [
    ["↑ ↓", "walk through the tree"],
    ["← →", "fold and unfold, in the tree"],
    ["Ctrl F", "find a node; Enter: next"],
    ["F", "fold all but what runs"],
    ["R", "select what runs"],
    ["O", "outline or boxes"],
    ["Esc", "select nothing"],
  ],
  Page: [
    ["1 2 3", "to the tree, to why, to time"],
    ["T", "light or dark"],
    ["?", "this list"],
  ],
};

const BEGIN: [string, string][] = [["E F4", "edit the trees"]];
const END: [string, string][] = [["F4", "show the recording"]];
const EDIT: [string, string][] = [
  ["Shift F4", "what if: the recording under these trees"],
  ["F9", "play the tests of this file"],
  ["A … Z", "in the tree: insert the node whose name you type"], ["4", "to the files"], ["5", "to what differs from the disk; there Enter: to the node"],
  ["Enter", "to the fields; there: set, back to the tree"], ["Tab", "in a field: set, to the next"], ["Esc", "to the tree; a field stays as it was"],
  ["F2", "to the name"], ["Shift F2", "in the field of a name: rename in all files"], ["Del", "delete"],
  ["Alt ↑ ↓", "move up, down"], ["Alt ← →", "move out, into the node above"],
  ["Ctrl G", "wrap it; with Shift: unwrap"], ["Ctrl D", "copy"],
  ["Ctrl /", "disable, enable"], ["Ctrl K", "make it another kind"], ["Ctrl E", "extract to a template or a file"],
  ["Ctrl Z", "undo; with Shift: redo"], ["Ctrl S", "save"],
];

const AGENTS: [string, string][] = [
  ["4", "to the agents"],
  ["/", "find agents"],
  ["S", "search the recording"],
  ["C", "keep this agent on the time line"],
  ["H", "counts of this agent, or of all agents"],
  ["A", "what all agents did over time"],
];

const GAME: [string, string][] = [
  ["F8", "stop the game, let it go on"],
  ["F10", "one frame of the game"],
  ["L", "follow the game"],
  ["B", "stop when this node starts, or no longer"],
];

export function Help() {
  const box = useRef<HTMLDialogElement>(null);
  const { Time, ...others } = KEYS;
  const timed = { ...(overview.value.kind !== "trees" && { Time }), ...others };
  // What is shown comes first.
  const end = overview.value.kind === "trees" ? [] : END;
  const all = edited.value ? { Edit: [...end, ...EDIT], ...timed } : canEdit() ? { ...timed, Edit: [...BEGIN, ...EDIT] } : timed;
  const more = [...(crowded.value ? AGENTS : []), ...(overview.value.kind === "live" ? GAME : [])];
  useEffect(() => {
    if (help.value) box.current?.showModal();
    else box.current?.close();
  }, [help.value]);
  return (
    <dialog class="help" ref={box} aria-label="Keys" onClose={() => (help.value = false)} onClick={(event) => event.target === box.current && (help.value = false)}>
      <header>
        <h2>Keys</h2>
        <button type="button" class="jump" onClick={() => (help.value = false)}>
          close
        </button>
      </header>
      <div class="columns">
        {Object.entries(all).map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {[...keys, ...(title === "Page" ? more : [])].map(([key, what]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((it) => (
                      <kbd key={it}>{it}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <section class="signs">
        <h3>Signs</h3>
        <ul>
          <li><b class="status top">●</b> runs</li>
          <li><b class="status live">•</b> leads to what runs</li>
          <li><b class="status success">✓</b> succeeded last</li>
          <li><b class="status failure">✗</b> failed last</li>
          <li><b class="status aborted">↷</b> aborted last</li>
          <li><b class="status outside">⊘</b> ended by the game</li>
          <li><b class="watch watched"><span class="eye">◉</span> ✓</b> watched: its change can abort</li>
          <li><b class="runs">12×</b> entered so often{overview.value.kind === "report" && " in this stretch"}</li>
          <li><b class="unused">grey</b> and no count: never entered</li>
          <li><b class="cause">↯</b> caused the last abort</li>
        </ul>
      </section>
    </dialog>
  );
}
