// The panels of editing: the files, the fields of a node, its text, and the palette.

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { called, Tool } from "./bits";
import * as edit from "./edit";
import { edited, overview, selected } from "./lens";
import type { ChoiceView, FieldView, FileState, FileView, ProblemView, Side } from "./model";
import { counted } from "./times";

const SIGNS: Record<FileState, [sign: string, word: string]> = { saved: ["", "saved"], unsaved: ["●", "not saved"], conflict: ["⚠", "changed here and on the disk"], closed: ["⊘", "cannot be read"] };

export function FilesPanel() {
  return (
    <section class="panel agents" aria-label="Files" id="panel-files">
      <header class="head">
        <h2>Files</h2>
        <span class="about">{edit.unsaved() > 0 ? `${edit.unsaved()} not saved` : ""}</span>
      </header>
      <ul class="scroll files">
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

export function EditPanel() {
  const it = edited.value;
  const node = edit.chosen();
  const { undo, redo, notes } = edit.files.value;
  return (
    <section class="panel why edit" aria-label="Edit" id="panel-why" tabIndex={-1}>
      <header class="head">
        <h2>Edit</h2>
        <span class="tools">
          <Tool sign="undo" name={undo ? `Undo ${undo}` : "Undo"} keys="Ctrl Z" off={!undo} press={edit.undo} />
          <Tool sign="redo" name={redo ? `Redo ${redo}` : "Redo"} keys="Ctrl Shift Z" off={!redo} press={edit.redo} />
          {overview.value.kind === "recording" && (
            <button type="button" class="jump" id="what-if" title="The recording under these trees (W)" aria-pressed={edit.whatIf.value !== null} onClick={edit.toggleWhatIf}>
              What if
            </button>
          )}
          <button type="button" class="jump" id="as-text" aria-pressed={asText.value} onClick={() => (asText.value = !asText.value)}>
            Text
          </button>
          <button type="button" class="jump" id="save" title="Ctrl S" disabled={edit.unsaved() === 0} onClick={edit.save}>
            Save
          </button>
        </span>
      </header>
      <div class="scroll">
        {[...notes, edit.refusal.value].filter(Boolean).map((text) => (
          <p class="notice wrong" role="alert" key={text}>
            {text}
          </p>
        ))}
        {edit.row()?.state === "conflict" && <Conflict />}
        {it && (asText.value ? <TextEditor key={it.name} it={it} /> : node && <Fields key={`${it.name} ${edit.path()}`} />)}
        <Problems of={it?.problems.filter((problem) => asText.value || problem.node == null) ?? []} />
        {!asText.value && node && <Excerpt />}
      </div>
    </section>
  );
}

type Buttons = [text: string, keys: string, press: () => unknown][];

function Choices({ of }: { of: Buttons }) {
  return (
    <p class="choices">
      {of.map(([text, keys, press]) => (
        <button type="button" class="jump" key={text} title={keys || undefined} onClick={() => void press()}>
          {text}
        </button>
      ))}
    </p>
  );
}

function Conflict() {
  const choices: Buttons = [["Keep mine", "", () => edit.settle(true)], ["Take theirs", "", () => edit.settle(false)], ["Show difference", "", edit.compare]];
  return (
    <div class="notice" role="alertdialog" aria-label="Conflict" id="conflict">
      <p>{edited.value?.name} has changed on the disk, and here, too. Nothing is merged by itself: choose which text stays.</p>
      <Choices of={choices} />
      {edit.difference.value && (
        <pre class="excerpt" aria-label="Difference: - on the disk, + here" tabIndex={0}>
          {edit.difference.value.map((it, at) => (
            <div key={at} class={it.sign === "+" ? "added" : it.sign === "-" ? "gone" : ""}>{`${it.sign} ${it.text}`}</div>
          ))}
        </pre>
      )}
    </div>
  );
}

function Problems({ of }: { of: ProblemView[] }) {
  return (
    <>
      {of.map((it, at) => (
        <p key={at} class={`problem ${it.error ? "wrong" : ""}`}>
          {it.node == null || asText.value ? `line ${it.line}: ` : ""}
          {it.message} {it.code && <span class="sort">{it.code}</span>}
        </p>
      ))}
    </>
  );
}

function Fields() {
  const node = edit.chosen();
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = edit.enters.value && box.current?.querySelector("textarea");
    if (!field) return;
    edit.enters.value = false;
    field.focus();
    field.select();
  }, [edit.enters.value, edit.fields.value]);
  if (!node) return null;
  const of = edit.held();
  const is = (it: FieldView) => it.value !== undefined || it.required || !it.common || it.name === "name";
  const all = edit.fields.value;
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
  // What another edit has made of it; what is being typed stays.
  useEffect(() => {
    if (box.current && document.activeElement !== box.current) box.current.value = value;
  }, [value]);
  const wrong = edit.problemsOf(selected.value ?? -1, it.name);
  // Counts questions: only the answer to the last one is shown, and none once the list is closed.
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
  // The field, since it is left also when it goes: another line was clicked.
  const commit = (field: HTMLTextAreaElement) => {
    close();
    const typed = field.value;
    if (typed !== value) void edit.change((node) => ({ do: "set", node, field: it.name, value: typed || undefined }), of);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: list.length - 1 }[event.key];
    if (event.key === "Escape" && list.length === 0) return void (box.current && (box.current.value = value));
    if (event.key === "Escape") close();
    else if (step && list.length > 0) setAt((Math.max(at, step === 1 ? -1 : 0) + step) % list.length);
    else if ((event.key === "Enter" || event.key === "Tab") && list[at]) accept(list[at]);
    else if (event.key === "Enter" && !event.shiftKey) commit(event.currentTarget as HTMLTextAreaElement);
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
          <button type="button" class="link" title="Rename it in all files" onClick={() => edit.rename(it.name, value, of)}>
            rename
          </button>
        )}
      </label>
      <textarea
        {...{ id, ref: box, spellcheck: false, defaultValue: value, placeholder: it.default ?? it.what, rows: Math.min(12, value.split("\n").length) }}
        {...{ onKeyDown: press, onBlur: (event: FocusEvent) => commit(event.currentTarget as HTMLTextAreaElement) }}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
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

function Offers(it: { id: string; label: string; list: ChoiceView[]; at: number; take: (choice: ChoiceView) => void }) {
  return (
    <ul class="offers" role="listbox" id={`${it.id}-list`} aria-label={it.label}>
      {it.list.map((choice, place) => (
        // A press would take the focus from the field.
        <li key={`${choice.label} ${choice.detail}`} id={`${it.id}-${place}`} role="option" aria-selected={place === it.at} onMouseDown={(event) => (event.preventDefault(), it.take(choice))}>
          <b>{choice.label}</b> <span class="sort">{choice.detail}</span> <span class="hint">{choice.doc}</span>
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

function TextEditor({ it }: { it: FileView }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const base = useRef(edit.baseOf(it));
  // What is being typed stays, and stays a change of the text that it was typed in.
  useEffect(() => {
    if (!box.current || edit.isTyping()) return;
    if (box.current.value !== it.text) box.current.value = it.text;
    base.current = edit.typeAnew(it);
  }, [it.seen]);
  // The node's own lines come into sight.
  useEffect(() => {
    const [from] = it.lines[selected.value ?? -1] ?? [1];
    if (box.current && document.activeElement !== box.current) box.current.scrollTop = Math.max(0, from - 4) * 18;
  }, [selected.value]);
  const type = (field: HTMLTextAreaElement) => edit.typeText(field.value, base.current);
  return (
    <textarea
      {...{ class: "whole", id: "file-text", ref: box, wrap: "off", spellcheck: false, defaultValue: it.text }}
      aria-label={`Text of ${it.name}`}
      onInput={({ currentTarget: field }) => edit.typing(() => type(field))}
      onBlur={(event) => type(event.currentTarget)}
    />
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
          <input id="palette" autofocus value={typed} aria-label={it.title} spellcheck={false} autocomplete="off" role="combobox" aria-expanded={list.length > 0} aria-controls="palette-list" aria-activedescendant={`palette-${at}`} onInput={(event) => (edit.typed.value = event.currentTarget.value, setAt(0))} onKeyDown={press} />
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
