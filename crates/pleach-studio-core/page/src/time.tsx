// The panel of time: what the agent did, and the cursor that is dragged over it.

import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { called, Tool } from "./bits";
import { compare, keyChanges, shownLanes, stacks } from "./bands";
import { toggleWhatIf, whatIfNow } from "./edit";
import { agent, compared, crowded, found, frame, goTo, lookAt, now, overview, playing, range, saveRecording, saveReport, saving, select, selected, show, stretch, track, treeAt, view, zoom } from "./lens";
import { headline } from "./why";
import { endOf, type LaneSpan } from "./spans";
import { dark, listen, onSize, sizeOf } from "./theme";
import { drawTime, heightOf, hitTime, MARK_LOOKS, type Marked, scale } from "./time-draw";
import { seconds, secondsAt, whole } from "./times";

export const zoomTime = (by: number): void => zoom(by, frame.value);
export const wholeTime = (): void => show(stretch.value.first, stretch.value.last);

export function TimePanel() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [tip, setTip] = useState<{ x: number; y: number; text: string } | null>(null);

  useEffect(() => {
    const it = canvas.current;
    const outer = box.current;
    if (!it || !outer) return;
    let due = 0;
    let hover: number | null = null;
    const redraw = () => {
      due ||= requestAnimationFrame(() => {
        due = 0;
        drawTime(it, hover);
      });
    };
    let drag: { x: number; left: number; pan: boolean; moved: boolean } | null = null;
    const scrub = (x: number) => goTo(scale(sizeOf(it).width).frame(x));
    const down = (event: PointerEvent) => {
      if (event.button > 1) return;
      it.setPointerCapture(event.pointerId);
      playing.value = false;
      const pan = event.shiftKey || event.button === 1;
      drag = { x: event.offsetX, left: event.clientX - event.offsetX, pan, moved: false };
      const { mark } = hitTime(sizeOf(it).width, event.offsetX, event.offsetY);
      if (mark) goTo(mark.frame);
      else if (!pan) scrub(event.offsetX);
    };
    const move = (event: PointerEvent) => {
      // Asking an event for its place in the canvas may cost a layout.
      const x = drag ? event.clientX - drag.left : event.offsetX;
      hover = x;
      redraw();
      if (!drag) return point(event);
      setTip(null);
      if (Math.abs(x - drag.x) < 3 && !drag.moved) return;
      drag.moved = true;
      if (!drag.pan) return scrub(x);
      const by = ((drag.x - x) / sizeOf(it).width) * (view.value.to - view.value.from);
      drag.x = x;
      show(view.value.from + by, view.value.to + by);
    };
    const point = (event: PointerEvent) => {
      const { mark, span, share } = hitTime(sizeOf(it).width, event.offsetX, event.offsetY);
      it.style.cursor = mark ? "pointer" : "default";
      const text = mark ? `${seconds(secondsAt(overview.value.times, mark.frame))}: ${mark.text}` : span ? told(span) : share;
      setTip(text ? { x: event.clientX, y: outer.getBoundingClientRect().top, text } : null);
    };
    const up = (event: PointerEvent) => {
      const { span } = hitTime(sizeOf(it).width, event.offsetX, event.offsetY);
      if (drag && !drag.moved && span?.who !== undefined) lookAt(span.who, frame.value, span.node);
      else if (drag && !drag.moved && span && span.tree === treeAt.value) select(span.node);
      drag = null;
    };
    const cancel = () => (drag = null);
    const leave = () => {
      hover = null;
      setTip(null);
      redraw();
    };
    const closer = (event: MouseEvent) => {
      const { span } = hitTime(sizeOf(it).width, event.offsetX, event.offsetY);
      const margin = span ? Math.max(4, (span.to - span.from) * 0.1) : 0;
      if (span) show(span.from - margin, span.to + margin);
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const width = view.value.to - view.value.from;
      const along = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(along) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        const by = (along / sizeOf(it).width) * width;
        show(view.value.from + by, view.value.to + by);
      } else zoom(Math.exp(event.deltaY / 400), scale(sizeOf(it).width).frame(event.offsetX));
    };
    const unwatch = onSize(it, redraw);
    const ends = new AbortController();
    const on = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel, pointerleave: leave };
    listen(it, ends.signal, { ...on, dblclick: closer, wheel });
    const stop = effect(() => {
      // Everything that the picture shows.
      void [frame.value, view.value, track.value, shownLanes.value, range.value, selected.value, found.value];
      void [agent.value, treeAt.value, dark.value, stacks.value];
      redraw();
    });
    return () => {
      cancelAnimationFrame(due);
      unwatch();
      stop();
      ends.abort();
    };
  }, []);

  const { first, last } = range.value;
  const near = view.value.to - view.value.from < stretch.value.last - stretch.value.first;
  return (
    <section class="panel time" aria-label="Time" id="panel-time">
      <header class="head">
        <h2>Time</h2>
        <Legend />
        {compared.value.map((who) => (
          <button type="button" class="jump kept" key={who} title={`Take agent #${who} off the time line`} aria-label={`Take agent #${who} off the time line`} onClick={() => compare(who)}>
            #{who} ×
          </button>
        ))}
        <span class="tools">
          {crowded.value && (
            <button type="button" class="jump" disabled={saving.value !== null} title="Save what this agent did here, and why, as one HTML file that opens in any browser" onClick={saveReport}>
              {saving.value === "report" ? "Saving …" : "Save report"}
            </button>
          )}
          {overview.value.kind === "live" && (
            <button type="button" class="jump" disabled={saving.value !== null} title="Save all that the studio has of this game, for pleach studio and pleach replay" onClick={saveRecording}>
              {saving.value === "recording" ? "Saving …" : "Save recording"}
            </button>
          )}
          {crowded.value && (
            <Tool sign="compare" name="Keep this agent on the time line" keys="C" pressed={compared.value.includes(agent.value)} press={() => compare()} />
          )}
          <Tool sign="minus" name="Show more time" keys="-" press={() => zoomTime(1.6)} off={!near} />
          <Tool sign="plus" name="Show less time" keys="+" press={() => zoomTime(1 / 1.6)} />
          <Tool sign="fit" name="Whole time" keys="0" press={wholeTime} off={!near} />
        </span>
      </header>
      <WhatIf />
      <div
        class="line-box"
        ref={box}
        id="time-line"
        role="slider"
        tabIndex={0}
        aria-label="Time of the game"
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={frame.value}
        aria-valuetext={`${seconds(now.value)}, frame ${frame.value}: ${headline.value}`}
      >
        <canvas ref={canvas} style={{ height: `${heightOf(shownLanes.value.count)}px` }} aria-hidden="true" />
      </div>
      {tip && (
        <div class="tip" style={{ left: `${Math.min(tip.x, innerWidth - 330)}px`, bottom: `${innerHeight - tip.y + 6}px` }}>
          {tip.text}
        </div>
      )}
    </section>
  );
}

function told(it: LaneSpan): string {
  const [from, to] = [it.from, it.to].map((at) => secondsAt(overview.value.times, at)) as [number, number];
  const { word } = endOf(it);
  const often = it.times === undefined ? "" : ` ${whole(it.times)} times, each within a frame`;
  return `n${it.node} ${called(it.view)}: ${seconds(from)} to ${seconds(to)}, ${(to - from).toFixed(3)} s, ${word}${often}`;
}

/** Where the agent would first have behaved differently, and why. */
function WhatIf() {
  const it = whatIfNow.value;
  if (it === null) return null;
  const to = typeof it === "string" ? undefined : it.frame;
  return (
    <p class="what-if" role="status">
      <b>What if:</b> {typeof it === "string" ? it : it.text}{" "}
      {to !== undefined && (
        <button type="button" class="jump" onClick={() => goTo(to)}>
          Go there
        </button>
      )}{" "}
      <button type="button" class="jump" title="Show only the recording (Shift F4)" onClick={toggleWhatIf}>
        Switch off
      </button>
    </p>
  );
}

/** The signs of marks that the track has. */
function Legend() {
  const kinds = new Set<Marked>(track.value?.marks.map((it) => it.kind));
  if (found.value?.hits.some((it) => it.agent === agent.value)) kinds.add("found");
  if (keyChanges.value.length > 0) kinds.add("key");
  return (
    <ul class="legend" aria-label="Marks">
      {[...kinds].map((kind) => (
        <li key={kind}>
          <svg viewBox="-7 -7 14 14" width="12" height="12" aria-hidden="true" class={`tone-${MARK_LOOKS[kind].tone}`}>
            <path d={MARK_LOOKS[kind].path} class={MARK_LOOKS[kind].hollow ? "hollow" : ""} />
          </svg>
          {MARK_LOOKS[kind].word}
        </li>
      ))}
    </ul>
  );
}
