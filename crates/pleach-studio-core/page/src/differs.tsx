// What differs between a file and the disk, and what can be done about that; buttons beside each other.

import { useRef } from "preact/hooks";
import { useOneStop } from "./bits";
import * as edit from "./edit";
import { edited } from "./lens";
import type { FileState } from "./model";

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

/** What differs between a file and the disk, and what is to be decided about that. */
export function Differs({ state }: { state: FileState }) {
  const [name, text, mine, theirs] = DECIDE[state] ?? [];
  if (!name) return state === "unsaved" ? <Difference /> : null;
  const show: Buttons = state === "conflict" ? [[edit.difference.value ? "Hide difference" : "Show difference", "", edit.compare]] : [];
  const choices: Buttons = [[mine ?? "", "", () => edit.settle(true)], [theirs ?? "", "", () => edit.settle(false)], ...show];
  return (
    <div class="notice" role="alertdialog" aria-label={name} id="conflict">
      <p>
        {edited.value?.name} {text}
      </p>
      <Choices of={choices} />
      <Difference />
    </div>
  );
}

function Difference() {
  const lines = edit.difference.value;
  return (
    lines && (
      <pre class="excerpt difference" aria-label="Difference: - on the disk, + here" tabIndex={0}>
        {lines.length === 0 && "No line differs."}
        {lines.map((it, at) => (
          <div key={at} class={it.sign === "+" ? "added" : it.sign === "-" ? "gone" : ""}>{`${it.sign} ${it.text}`}</div>
        ))}
      </pre>
    )
  );
}
