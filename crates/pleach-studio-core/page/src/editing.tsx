// The panels of editing: the files, the fields of a node, its text, and the palette.

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { called, focusTree, isFocusLost, Tool, useOneStop } from "./bits";
import * as edit from "./edit";
import { type Buttons, Choices, Conflict } from "./differs";
import { edited, overview, selected } from "./lens";
import type { ChoiceView, FieldView, FileState, FileView, ProblemView, Side } from "./model";
import { MOST_NOTICES, Notice } from "./notices";
import { counted } from "./times";

const SIGNS: Record<FileState, [sign: string, word: string]> = { saved: ["", "saved"], unsaved: ["●", "not saved"], conflict: ["⚠", "changed here and on the disk"], deleted: ["⚠", "gone from the disk"], closed: ["⊘", "cannot be read"] };

export function FilesPanel() {
  const list = useRef<HTMLUListElement>(null);
  useOneStop(list);
  // Brings the open file into sight.
  useLayoutEffect(() => {
    list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [edited.value?.name, edit.files.value.files.length]);
  return (
    <section class="panel agents" aria-label="Files" id="panel-files">
      <header class="head">
        <h2>Files</h2>
        <span class="about">{edit.unsaved() > 0 ? `${edit.unsaved()} not saved` : ""}</span>
      </header>
      <ul class="scroll files" ref={list}>
        {edit.files.value.files.map((it) => (
          <li key={it.name}>
            <button type="button" class={`file is-${it.state}`} aria-current={it.name === edited.value?.name} title={`${it.name}: ${SIGNS[it.state][1]}`} onClick={() => void edit.openFile(it.name)}>
              <span class="doing">{it.name}</span>
              {it.errors > 0 ? <span class="errors">{counted(it.errors, "error")}</span> : it.warnings > 0 && <span class="sort">{counted(it.warnings, "warning")}</span>}
              <span class="unsaved" role="img" aria-label={SIGNS[it.state][1]}>
                {SIGNS[it.state][0]}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const asText = signal(false);

function toggleText(): void {
  asText.value = !asText.value;
  if (asText.value) edit.enters.value = "textarea";
  else focusTree();
}

/** A number for the node whose fields are shown: they are rebuilt for another node, but not when the node is renamed. */
function useNumberOfNode(): number {
  const file = edited.value?.name;
  const now = { file, path: edit.path(), id: selected.value, count: edited.value?.tree.nodes.length };
  const last = useRef({ ...now, number: 0 });
  const { path, id, count, number } = last.current;
  const same = file === last.current.file && (path === now.path || (id === now.id && count === now.count));
  last.current = { ...now, number: same ? number : number + 1 };
  return last.current.number;
}

/** The tree has the focus first, and gets it back when the focused element is gone. */
function useFocusOfTree(): void {
  useEffect(() => {
    focusTree();
    return () => void requestAnimationFrame(focusTree);
  }, []);
  useEffect(() => {
    if (isFocusLost() && !edit.wants.value) focusTree();
  }, [edit.files.value, edit.refusal.value, edit.wants.value]);
}

export function EditPanel() {
  const it = edited.value;
  const node = edit.chosen();
  const { undo, redo, notes } = edit.files.value;
  const number = useNumberOfNode();
  useFocusOfTree();
  return (
    <section class="panel why edit" aria-label="Edit" id="panel-why" tabIndex={-1}>
      <Conflict state={edit.row()?.state ?? "saved"} />
      <header class="head">
        <h2>Edit</h2>
        <span class="tools">
          <Tool sign="undo" name={undo ? `Undo ${undo}` : "Undo"} keys="Ctrl Z" off={!undo} press={edit.undo} />
          <Tool sign="redo" name={redo ? `Redo ${redo}` : "Redo"} keys="Ctrl Shift Z" off={!redo} press={edit.redo} />
          {overview.value.kind === "recording" && (
            <button type="button" class="jump" id="what-if" title="The recording under these trees (Shift F4)" aria-pressed={edit.whatIf.value !== null} onClick={edit.toggleWhatIf}>
              What if
            </button>
          )}
          <button type="button" class="jump" id="tests" title="Play the tests of this file (F9)" aria-pressed={edit.tests.value !== null} onClick={edit.toggleTests}>
            Tests
          </button>
          <button type="button" class="jump" id="as-text" aria-pressed={asText.value} onClick={toggleText}>
            Text
          </button>
          <button type="button" class="jump" id="difference" title="What differs from the disk (5)" disabled={edit.row()?.state !== "unsaved"} aria-pressed={edit.difference.value !== null} onClick={edit.compare}>
            Changes
          </button>
          <button type="button" class="jump" id="save" title="Ctrl S" disabled={edit.unsaved() === 0} onClick={edit.save}>
            Save
          </button>
        </span>
      </header>
      <div class={`scroll ${asText.value ? "as-text" : ""}`}>
        {[...notes, edit.refusal.value].filter(Boolean).slice(-MOST_NOTICES).map((text) => (
          <Notice key={text} text={text} role="alert" wrong close={() => edit.closeNotice(text)} />
        ))}
        <Tests />
        <Problems of={it?.problems.filter((problem) => asText.value || problem.node == null) ?? []} />
        {it && (asText.value ? <TextEditor key={it.name} it={it} /> : node && <Fields key={number} />)}
        {!asText.value && node && <Excerpt />}
      </div>
    </section>
  );
}

/** The results of the tests. The tree shows what they did in its nodes. */
function Tests() {
  const it = edit.tests.value;
  if (it === null) return null;
  if (typeof it === "string") return <p class="notice" role="status">{it}</p>;
  const failed = it.cases.filter((one) => !one.passed);
  const played = it.nodes.filter((node) => node !== null);
  const started = played.filter(([count]) => count > 0).length;
  const none = it.cases.length === 0 && it.left_out === 0;
  return (
    <section class="tests" aria-label="Tests">
      <p role="status" class={failed.length > 0 ? "wrong" : ""}>
        {none ? "No test names this tree." : `${it.cases.length - failed.length} passed, ${failed.length} failed`}
        {played.length > 0 && ` · ${started} of ${counted(played.length, "node")} started`}
        {it.left_out > 0 && ` · ${counted(it.left_out, "case")} of the game's world left out: pleach test plays them`}
      </p>
      {failed.map((one) => (
        <details key={`${one.file} ${one.name}`} open={failed.length === 1}>
          <summary>{one.name}</summary>
          <p class="sort">
            {one.file}, line {one.line}
          </p>
          <pre class="excerpt" tabIndex={0} aria-label={`Why it failed: ${one.name}`}>
            {one.text}
          </pre>
        </details>
      ))}
    </section>
  );
}

function Problems({ of }: { of: ProblemView[] }) {
  return (
    <>
      {of.map((it, at) => (
        <p key={at} class={`problem ${it.error ? "wrong" : ""}`}>
          {asText.value ? <button type="button" class="link" onClick={() => showLine(it.line)}>{`line ${it.line}`}</button> : it.node == null && `line ${it.line}`}
          {(asText.value || it.node == null) && ": "}
          {it.message} {it.code && <span class="sort">{it.code}</span>}
        </p>
      ))}
    </>
  );
}

function Fields() {
  const node = edit.chosen();
  const box = useRef<HTMLFormElement>(null);
  /** Whether each field is in the first group: it stays there, and so keeps the focus, when it gets a value. */
  const shown = useRef(new Map<string, boolean>());
  const all = edit.fields.value;
  useEffect(() => {
    const field = edit.enters.value && box.current?.querySelector<HTMLTextAreaElement>(edit.enters.value);
    // A node without such a field is not waited for.
    if (all.length > 0) edit.enters.value = null;
    if (!field) return;
    field.focus();
    field.select();
  }, [edit.enters.value, all]);
  // A press elsewhere may select another node: what is typed is committed first.
  useEffect(() => {
    const leave = (event: Event) => {
      const field = document.activeElement as HTMLElement | null;
      if (box.current?.contains(field) && !box.current.contains(event.target as Node)) field?.blur();
    };
    addEventListener("mousedown", leave, true);
    return () => removeEventListener("mousedown", leave, true);
  }, []);
  if (!node) return null;
  const of = edit.held();
  for (const it of all) if (!shown.current.has(it.name)) shown.current.set(it.name, it.value !== undefined || it.required || !it.common || it.name === "name");
  const is = (it: FieldView) => shown.current.get(it.name);
  const rest = all.filter((it) => !is(it));
  const inner: Buttons = [
    ["Wrap", "Ctrl G", () => edit.choose("wrap")],
    ["Unwrap", "Ctrl Shift G", edit.unwrap],
    ["Copy", "Ctrl D", edit.duplicate],
    [edited.value?.off.includes(node.id) ? "Enable" : "Disable", "Ctrl /", edit.disable],
    ["Kind", "Ctrl K", () => edit.choose("become")],
    ["Extract", "Ctrl E", edit.extract],
    ["Delete", "Del", edit.remove],
  ];
  const tools: Buttons = [["Insert", "type in the tree", () => edit.insert()], ...(node.parent === undefined ? [] : inner)];
  return (
    <form class="fields" ref={box} aria-label={`Fields of ${called(node)}`} onSubmit={(event) => event.preventDefault()}>
      <h3>
        {called(node)} <span class="sort">{node.name === undefined ? "" : node.kind}</span>
      </h3>
      <Choices of={tools} />
      <Problems of={edit.problemsOf(node.id).filter((it) => !all.some((field) => field.name === it.field))} />
      {all.filter(is).map((it) => <Field key={it.name} it={it} of={of} />)}
      {rest.length > 0 && (
        <details>
          <summary>{counted(rest.length, "other field")}</summary>
          {rest.map((it) => <Field key={it.name} it={it} of={of} />)}
        </details>
      )}
    </form>
  );
}

function Field({ it, of }: { it: FieldView; of: edit.Held }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const [list, setList] = useState<ChoiceView[]>([]);
  const [at, setAt] = useState(-1);
  const value = it.value ?? "";
  // What the box holds when no one is typing: the value, or the typed text that was sent.
  const held = useRef(value);
  // Another edit may have changed it; text being typed stays.
  useEffect(() => {
    const field = box.current;
    if (field && (field.value === held.current || document.activeElement !== field)) field.value = value;
    held.current = value;
  }, [value]);
  const wrong = edit.problemsOf(selected.value ?? -1, it.name);
  // Counts questions: only the last answer is shown, and none once the list is closed.
  const asked = useRef(0);
  const offer = async (field: HTMLTextAreaElement) => {
    const mine = ++asked.current;
    setAt(-1);
    const { value: typed, selectionStart: cursor } = field;
    const all = await edit.complete(it.name, typed.slice(0, cursor), typed.slice(cursor)).catch(() => []);
    if (mine !== asked.current || document.activeElement !== field) return;
    setList(all.filter((choice) => choice.text !== typed && choice.label.toLowerCase().includes(typed.slice(choice.from, cursor).toLowerCase())).slice(0, 12));
  };
  const close = () => (++asked.current, setList([]));
  const accept = (choice: ChoiceView | undefined) => {
    const field = box.current;
    if (!field || !choice) return;
    // More may have been typed since.
    field.setRangeText(choice.text, choice.from, Math.max(choice.to, field.selectionStart), "end");
    close();
    field.focus();
  };
  /** Sets the field to what is typed in it. Returns whether it was accepted. The field may be gone by now: another line was clicked. */
  const commit = async (field = box.current): Promise<boolean> => {
    close();
    const typed = field?.value;
    if (typed === undefined || typed === held.current) return true;
    held.current = typed;
    const taken = await edit.change((node) => ({ do: "set", node, field: it.name, value: typed || undefined }), of);
    if (!taken) held.current = value;
    return taken;
  };
  const commitAndLeave = async () => {
    const taken = commit();
    focusTree();
    if (!(await taken)) box.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const field = box.current;
    const step = { ArrowDown: 1, ArrowUp: list.length - 1 }[event.key];
    const key = event.ctrlKey || event.metaKey ? `Ctrl+${event.key.toLowerCase()}` : event.key;
    if (!field) return;
    if (key === "Escape") {
      field.value = held.current;
      close();
      focusTree();
    } else if (key === "Ctrl+s") {
      void commit().then((taken) => taken && edit.save());
      forgetTyping(field);
    }
    else if ((key === "Ctrl+z" || key === "Ctrl+y") && field.value === held.current) void (key === "Ctrl+y" || event.shiftKey ? edit.redo() : edit.undo());
    else if (key === "F2" && event.shiftKey && it.is_name) edit.rename(it.name, value, of);
    else if (step && list.length > 0) setAt((Math.max(at, step === 1 ? -1 : 0) + step) % list.length);
    else if ((key === "Enter" || key === "Tab") && list[at]) accept(list[at]);
    else if (key === "Enter" && !event.shiftKey) void commitAndLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const id = `field-${it.name}`;
  return (
    <div class="field">
      <label for={id} title={`${it.doc} ${it.what}`}>
        {it.name}
        {it.required && <span aria-hidden="true"> *</span>}
        {it.is_name && (
          <button type="button" class="link" tabIndex={-1} title="Rename it in all files (Shift F2 in the field)" onClick={() => edit.rename(it.name, value, of)}>
            rename
          </button>
        )}
      </label>
      <textarea
        {...{ id, ref: box, spellcheck: false, defaultValue: value, placeholder: hint(it), title: it.what, rows: Math.min(12, value.split("\n").length) }}
        {...{ onKeyDown: press, onBlur: (event: FocusEvent) => void commit(event.currentTarget as HTMLTextAreaElement) }}
        aria-autocomplete="list"
        aria-controls={list.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        aria-invalid={wrong.some((problem) => problem.error)}
        aria-description={it.what}
        onInput={(event) => void offer(event.currentTarget)}
        onFocus={(event) => it.words.length > 0 && void offer(event.currentTarget)}
      />
      {list.length > 0 && <Offers id={id} label={`Values of ${it.name}`} list={list} at={at} take={accept} />}
      <Problems of={wrong} />
    </div>
  );
}

/** The browser's undo goes back to this text, and not beyond it. */
function forgetTyping(field: HTMLTextAreaElement): void {
  const { value, selectionStart, selectionEnd } = field;
  field.value = "";
  field.value = value;
  field.setSelectionRange(selectionStart, selectionEnd);
}

/** What an empty field shows: it must not look like a value. */
function hint(it: FieldView): string {
  if (it.default !== undefined) return `default: ${it.default}`;
  const example = /, as in `(.*)`$/.exec(it.what)?.[1];
  return example === undefined ? it.what : `for example ${example}`;
}

/** What a choice does, without the name and the kind in front of it. */
const doc = ({ label, detail, doc }: ChoiceView): string => [label, detail].reduce((text, it) => (text.startsWith(`${it}: `) ? text.slice(it.length + 2) : text === it ? "" : text), doc);

function Offers(it: { id: string; label: string; list: ChoiceView[]; at: number; take: (choice: ChoiceView) => void }) {
  return (
    <ul class="offers" role="listbox" tabIndex={-1} id={`${it.id}-list`} aria-label={it.label}>
      {it.list.map((choice, place) => (
        // A press would take the focus away from the field.
        <li key={`${choice.label} ${choice.detail}`} id={`${it.id}-${place}`} role="option" aria-selected={place === it.at} onMouseDown={(event) => (event.preventDefault(), it.take(choice))}>
          <b>{choice.label}</b> <span class="sort">{choice.detail}</span> <span class="hint">{doc(choice)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The lines of the node in the text of its file. */
function Excerpt() {
  const it = edited.value;
  const [from, to] = it?.lines[selected.value ?? -1] ?? [1, 0];
  if (!it || to < from) return null;
  const first = Math.max(1, from - 3);
  const lines = it.text.split("\n").slice(first - 1, Math.min(to + 3, first + 60));
  return (
    <pre class="excerpt" aria-label={`${it.name}, lines ${from} to ${to}`} tabIndex={0}>
      {lines.map((text, at) => {
        const line = first + at;
        return <div key={line} class={line >= from && line <= to ? "own" : ""}>{`${String(line).padStart(4)}  ${text}`}</div>;
      })}
    </pre>
  );
}

const LINE = 18;
const linesOf = (text: string): number => text.split("\n").length;

/** Puts the text cursor on a line and scrolls to it. */
function showLine(line: number): void {
  const box = document.getElementById("file-text");
  if (!(box instanceof HTMLTextAreaElement)) return;
  const at = box.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  box.focus();
  box.setSelectionRange(at, at);
  box.scrollTop = Math.max(0, line - 4) * LINE;
}

function TextEditor({ it }: { it: FileView }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const base = useRef(edit.baseOf(it));
  const [lines, setLines] = useState(linesOf(it.text));
  useEffect(() => {
    if (!edit.enters.value) return;
    edit.enters.value = null;
    showLine(it.lines[selected.value ?? -1]?.[0] ?? 1);
  }, [edit.enters.value]);
  // Text being typed stays, as a change of the text in which it was typed.
  useEffect(() => {
    if (!box.current || edit.isTyping()) return;
    if (box.current.value !== it.text) box.current.value = it.text;
    base.current = edit.typeAnew(it);
    setLines(linesOf(it.text));
  }, [it.seen]);
  // Scrolls to the node's own lines.
  useEffect(() => {
    const [from] = it.lines[selected.value ?? -1] ?? [1];
    if (box.current && document.activeElement !== box.current) box.current.scrollTop = Math.max(0, from - 4) * LINE;
  }, [selected.value]);
  const type = (field: HTMLTextAreaElement) => edit.typeText(field.value, base.current);
  return (
    <div class="whole">
      <pre ref={numbers} aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => at + 1).join("\n")}
      </pre>
      <textarea
        {...{ id: "file-text", ref: box, wrap: "off", spellcheck: false, defaultValue: it.text }}
        aria-label={`Text of ${it.name}`}
        onInput={({ currentTarget: field }) => {
          edit.typing(() => type(field));
          setLines(linesOf(field.value));
        }}
        onScroll={() => numbers.current && (numbers.current.scrollTop = box.current?.scrollTop ?? 0)}
        onBlur={(event) => type(event.currentTarget)}
      />
    </div>
  );
}

/** Asks for a node or a name. */
export function Palette() {
  const it = edit.wants.value;
  const box = useRef<HTMLDialogElement>(null);
  const typed = edit.typed.value;
  const [at, setAt] = useState(0);
  const [side, setSide] = useState<Side>("after");
  const open = it !== null;
  useEffect(() => {
    if (!open) return box.current?.close();
    setAt(0);
    if (it.sides) setSide(it.sides);
    box.current?.showModal();
    const field = box.current?.querySelector("input");
    field?.setSelectionRange(it.choices ? field.value.length : 0, field.value.length);
  }, [open]);
  const close = () => (edit.wants.value = null);
  const wanted = typed.trim().toLowerCase();
  const rank = (choice: ChoiceView) => (choice.label.toLowerCase().startsWith(wanted) ? 0 : 1);
  const list = (it?.choices ?? []).filter((choice) => choice.label.toLowerCase().includes(wanted)).sort((a, b) => rank(a) - rank(b));
  const take = (text: string | undefined) => {
    if (!it || !text?.trim()) return;
    close();
    it.take(text.trim(), side);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(list.length - 1, at + step)));
    else if (event.key === "Enter") take(list[at]?.text ?? typed);
    else return;
    event.preventDefault();
  };
  return (
    <dialog class="palette" ref={box} aria-label={it?.title ?? "Insert"} onClose={close} onClick={(event) => event.target === box.current && close()}>
      {it && (
        <>
          <h2>{it.title}</h2>
          <input id="palette" autofocus value={typed} aria-label={it.title} spellcheck={false} autocomplete="off" role="combobox" aria-expanded={list.length > 0} aria-controls={list.length > 0 ? "palette-list" : undefined} aria-activedescendant={list.length > 0 ? `palette-${at}` : undefined} onInput={(event) => (edit.typed.value = event.currentTarget.value, setAt(0))} onKeyDown={press} />
          {it.sides && (
            <label>
              where{" "}
              <select id="palette-side" value={side} onChange={(event) => setSide(event.currentTarget.value as Side)}>
                <option value="into">into the node</option>
                <option value="before">before the node</option>
                <option value="after">behind the node</option>
              </select>
            </label>
          )}
          {it.choices && <Offers id="palette" label="What can be chosen" list={list.slice(0, 60)} at={at} take={(choice) => take(choice.text)} />}
        </>
      )}
    </dialog>
  );
}
