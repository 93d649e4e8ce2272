// What is asked of a game that runs: its clock, its keys, its events, its breakpoints.

import { useState } from "preact/hooks";
import { Icon, Tool } from "./bits";
import { agent, lookAt, overview, tree } from "./lens";
import { breaks, followGame, following, game, givenSays, late, setKey, stepGame, steer, toggleGame } from "./live";
import type { KeyView, NodeResult, NodeView } from "./model";
import { counted, ordinal, seconds } from "./times";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export function GameBar() {
  const { paused, speed, gone } = game.value;
  const word = gone !== undefined ? "gone" : paused ? "stopped" : "live";
  const behind = word === "live" && late.value > 0;
  const toggle = paused ? "Let the game go on" : "Stop the game";
  return (
    <div class={`transport game is-${behind ? "late" : word}`} role="toolbar" aria-label="Game">
      <span class="group" title="The game itself: all who watch it see what you do here.">
        Game
      </span>
      <button type="button" class="follow" aria-pressed={following.value} title="Show each new frame (L)" onClick={followGame}>
        ● {word}
        {behind && `, ${late.value} s behind`}
      </button>
      <button type="button" class="jump stop" title={`${toggle} (F8)`} aria-label={toggle} onClick={toggleGame}>
        <Icon of={paused ? "play" : "pause"} />
        {paused ? "Go on" : "Stop"}
      </button>
      <Tool sign="forward" name="One frame of the game" keys="F10" press={stepGame} />
      <select aria-label="Speed of the game" value={String(speed)} onChange={(it) => void steer({ do: "speed", times: Number(it.currentTarget.value) })}>
        {[...new Set([...SPEEDS, speed])].map((it) => (
          <option key={it} value={String(it)}>
            {it}×
          </option>
        ))}
      </select>
    </div>
  );
}

/** Keys of nodes belong to the runtime. */
export const canSet = (key: KeyView): boolean => overview.value.kind === "live" && !/^n\d/.test(key.of);

export function SetKey({ of: key, text }: { of: KeyView; text: string }) {
  const [edited, edit] = useState<string | null>(null);
  const [wrong, refuse] = useState("");
  const says = givenSays(key.name);
  if (edited === null) {
    return (
      <>
      <button type="button" class="link" title={`Set ${key.name}`} aria-label={`Set ${key.name}, now ${text}`} onClick={() => edit(text)}>
        {text || "–"}
      </button>
      {says && (
        <p class="hint" role="status">
          {says}
        </p>
      )}
      </>
    );
  }
  const name = key.of === "agent" ? key.name : `${key.of}.${key.name}`;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void setKey(key, name, edited, text).then((why) => (why ? refuse(why) : (refuse(""), edit(null))));
      }}
    >
      <input
        aria-label={`Value of ${key.name}`}
        title="A value, or an expression over keys. Enter sets it, Escape leaves it."
        value={edited}
        ref={(it) => it?.focus()}
        onInput={(event) => edit(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && (refuse(""), edit(null))}
      />
      {wrong && (
        <p class="hint wrong" role="alert">
          {wrong}
        </p>
      )}
    </form>
  );
}

export function SendEvent() {
  const events = tree.value.events;
  const [name, choose] = useState("");
  const [payload, write] = useState("");
  if (overview.value.kind !== "live" || events.length === 0) return null;
  const event = events.find((it) => it[0] === name) ?? events[0];
  if (!event) return null;
  return (
    <form
      class="send"
      onSubmit={(it) => {
        it.preventDefault();
        void steer({ do: "send", agent: agent.value, event: event[0], payload: event[1] ? payload : "" });
      }}
    >
      <select aria-label="Event" value={event[0]} onChange={(it) => choose(it.currentTarget.value)}>
        {events.map((it) => (
          <option key={it[0]}>{it[0]}</option>
        ))}
      </select>
      {event[1] && <input aria-label={`Payload: ${event[1]}`} placeholder={event[1]} value={payload} onInput={(it) => write(it.currentTarget.value)} />}
      <button type="submit" class="jump">
        send to #{agent.value}
      </button>
    </form>
  );
}

const RESULTS: NodeResult[] = ["success", "failure", "running"];

/** Forces the result of a leaf for a time. */
export function ForceResult({ of: node }: { of: NodeView }) {
  const [result, choose] = useState<NodeResult>("success");
  const [time, write] = useState("3");
  if (overview.value.kind !== "live" || !node.of_game) return null;
  const of = { agent: agent.value, node: node.id };
  const forced = game.value.forced.find((it) => it.agent === of.agent && it.node === of.node);
  if (forced) {
    return (
      <p class="send">
        <span class="hint">forced: {forced.result}</span>
        <button type="button" class="jump" onClick={() => void steer({ do: "force", ...of, result: null, seconds: 0 })}>
          let it answer by itself
        </button>
      </p>
    );
  }
  return (
    <form
      class="send"
      title="The leaf gives this result without being updated."
      onSubmit={(it) => {
        it.preventDefault();
        void steer({ do: "force", ...of, result, seconds: Number(time) });
      }}
    >
      <select aria-label="Result" value={result} onChange={(it) => choose(it.currentTarget.value as NodeResult)}>
        {RESULTS.map((it) => (
          <option key={it}>{it}</option>
        ))}
      </select>
      <input aria-label="Seconds" type="number" min="0.1" step="any" value={time} onInput={(it) => write(it.currentTarget.value)} />
      <button type="submit" class="jump">
        force for #{of.agent}
      </button>
    </form>
  );
}

export function Breaks() {
  if (breaks.value.length === 0) return null;
  return (
    <ul class="breaks" aria-label="Breakpoints">
      {breaks.value.map(({ id, text, nth, hits, last, wrong }) => (
        <li key={id}>
          <button type="button" class="jump" aria-label={`Remove the breakpoint: ${text}`} onClick={() => void steer({ do: "unbreak", id })}>
            ×
          </button>
          <span>
            {text}
            {nth > 1 && `, from the ${ordinal(nth)} hit on`}
          </span>
          {hits === 0 && wrong === undefined && <span class="hint">not yet</span>}
          {wrong !== undefined && <span class="hint wrong">{wrong}</span>}
          {last && (
            <button type="button" class="link" title={last.text} onClick={() => lookAt(last.agent, last.frame, last.node)}>
              {counted(hits, "time")}, last #{last.agent} at {seconds(last.seconds)}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
