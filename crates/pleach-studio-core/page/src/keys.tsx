// The values of the keys, with a small plot of each over time.

import { computed } from "@preact/signals";
import { canSet, SendEvent, SetKey } from "./game";
import { moment, frame, overview, stretch, track, tree, treeAt } from "./lens";
import type { KeyTrack, KeyValue } from "./model";

const WIDTH = 96;
const HEIGHT = 18;

const tracks = computed(() => {
  const all = track.value?.keys.filter((it) => it.tree === treeAt.value) ?? [];
  return new Map(all.map((it) => [it.key, it]));
});

export function Keys() {
  const texts = new Map(moment.value?.keys.map((it) => [it.key, it.text]));
  const keys = tree.value.keys;
  if (keys.length === 0) return null;
  const stale = keys.some((it) => !it.recorded);
  return (
    <section class="keys">
      <h3>Keys</h3>
      <table>
        <tbody>
          {keys.map((key, at) => (
            <tr key={at} class={key.recorded ? "" : "stale"}>
              <th scope="row" title={`${key.name}: ${key.kind}, of the ${key.of}`}>
                {key.name}
              </th>
              <td class="value" title={texts.get(at)}>
                {canSet(key) ? <SetKey of={key} text={texts.get(at) ?? ""} /> : (texts.get(at) ?? "–")}
              </td>
              <td class="plot">
                <Plot of={tracks.value.get(at)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {stale && <p class="hint">No expression reads the grey keys, so their values may be out of date.</p>}
      {overview.value.kind === "live" && <p class="hint">Click a value to set it. The game shows it in its next frame, and may overwrite it.</p>}
      <SendEvent />
    </section>
  );
}

/** A line through numbers, a band for truth, a tick at each change of anything else. */
function Plot({ of }: { of: KeyTrack | undefined }) {
  const { first, last } = stretch.value;
  const points = of?.points ?? [];
  if (points.length < 2) return null;
  const x = (at: number) => ((at - first) / Math.max(1, last - first)) * WIDTH;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path class={shapeOf(points)} d={lineOf(points, x)} />
      <path class="now" d={`M${x(frame.value).toFixed(1)} 0V${HEIGHT}`} />
    </svg>
  );
}

type Points = [number, KeyValue][];

const known = new WeakMap<Points, string>();
const shapeOf = (points: Points): string =>
  points.every((it) => typeof it[1] === "number" || typeof it[1] === "boolean") ? "steps" : "ticks";

function lineOf(points: Points, x: (frame: number) => number): string {
  let line = known.get(points);
  if (line === undefined) known.set(points, (line = drawn(points, x)));
  return line;
}

function drawn(points: Points, x: (frame: number) => number): string {
  if (shapeOf(points) === "ticks") return points.slice(1).map((it) => `M${x(it[0]).toFixed(1)} 4V14`).join("");
  const numbers = points.map((it) => Number(it[1]));
  const least = numbers.reduce((a, b) => Math.min(a, b));
  const most = numbers.reduce((a, b) => Math.max(a, b));
  const y = (it: number) => (HEIGHT - 2 - ((it - least) / (most - least || 1)) * (HEIGHT - 4)).toFixed(1);
  const steps = points.map((it, at) => `${at === 0 ? "M" : "H"}${x(it[0]).toFixed(1)}${at === 0 ? " " : "V"}${y(Number(it[1]))}`);
  return `${steps.join("")}H${WIDTH}`;
}
