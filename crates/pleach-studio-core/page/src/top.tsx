// The bar at the top: what is shown, and the transport.

import { Tool } from "./bits";
import { GameBar } from "./game";
import { following } from "./live";
import { agent, changeSpeed, frame, help, jumpChange, moment, now, overview, pauseAt, play, playing, range, speed, step, theme } from "./lens";
import { frameAt, whole } from "./times";
import { dark } from "./theme";

export const TIME_FIELD = "time-field";

export function TopBar() {
  const { first, last } = range.value;
  const it = moment.value;
  const isLive = overview.value.kind === "live";
  // A page that follows the game has nothing to play: the game does.
  const follows = isLive && following.value;
  return (
    <header class="banner">
      <svg class="logo" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M10 18V11M10 11C10 7 4 8 4 2M10 11c0-4 6-3 6-9M10 7V2" />
      </svg>
      <h1 title={overview.value.title}>{overview.value.title}</h1>
      <p class="who" hidden={overview.value.kind === "trees"}>
        agent <b>#{agent.value}</b> {it && (it.label ?? overview.value.trees[it.tree]?.name)}
        {it && it.phase !== "active" && <span class={`phase is-${it.phase}`}>{it.phase}</span>}
      </p>
      <div class={`transport ${follows ? "follows" : ""}`} role="toolbar" aria-label="Time" hidden={overview.value.kind === "trees"}>
        {isLive && (
          <span class="group" title="What this page shows. The game goes on.">
            View
          </span>
        )}
        <Tool sign="changeBack" name="Previous change" keys="P" press={() => jumpChange(false)} />
        <Tool sign="back" name="One frame back" keys="←" press={() => step(-1)} off={frame.value <= first} />
        <Tool sign={playing.value ? "pause" : "play"} name={playing.value ? "Pause" : "Play"} keys="Space" press={play} class="main" />
        <Tool sign="forward" name="One frame forward" keys="→" press={() => step(1)} off={frame.value >= last} />
        <Tool sign="changeForward" name="Next change" keys="N" press={() => jumpChange(true)} />
        <button
          type="button"
          class="speed"
          aria-label={`Speed ${speed.value}`}
          title="Slower or faster ( , and . )"
          onClick={() => (speed.value === 4 ? (speed.value = 0.1) : changeSpeed(1))}
        >
          {speed.value}×
        </button>
      </div>
      {isLive && <GameBar />}
      <form
        class="clock"
        hidden={overview.value.kind === "trees"}
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.querySelector("input") as HTMLInputElement;
          goToText(field.value);
          field.blur();
        }}
      >
        <input
          id={TIME_FIELD}
          aria-label="Time in seconds, or a frame as f745"
          title="Seconds, or a frame as f745 (G)"
          value={now.value.toFixed(3)}
          spellcheck={false}
          autocomplete="off"
          onFocus={(event) => event.currentTarget.select()}
          onBlur={(event) => (event.currentTarget.value = now.value.toFixed(3))}
        />
        <span class="unit">s</span>
        <span class="frame">frame {whole(frame.value)}</span>
      </form>
      <span class="tools">
        <Tool sign={theme.value === "auto" ? "half" : dark.value ? "moon" : "sun"} name={`Theme: ${theme.value}`} keys="T" press={nextTheme} />
        <button type="button" class="tool" aria-label="Keys" title="Keys (?)" onClick={() => (help.value = true)}>
          ?
        </button>
      </span>
    </header>
  );
}

export function nextTheme(): void {
  theme.value = theme.value === "auto" ? (dark.value ? "light" : "dark") : theme.value === "dark" ? "light" : "dark";
}

/** Goes to `12.5`, seconds, or to `f745`, a frame. Anything else goes nowhere. */
function goToText(text: string): void {
  const frame = /^\s*f\s*(\d+)\s*$/i.exec(text);
  const seconds = /^\s*(\d+\.?\d*|\.\d+)\s*s?\s*$/i.exec(text);
  if (frame) pauseAt(Number(frame[1]));
  else if (seconds) pauseAt(frameAt(overview.value.times, Number(seconds[1])));
}
