// The memory in use over time, and what is live at the time under the pointer.

import type { Memory } from "./backend";
import type { Numbers } from "./blocks";
import { Canvas, fitText, type Draw } from "./canvas";
import { exact, format } from "./format";
import { Name } from "./names";
import { backend, goTo, nodes, timePoint } from "./state";
import { cssColor } from "./theme";
import { Marks, upperBound, type Range } from "./time_axis";

const CURVE = 110;
const TOP = 12;

export interface Curve { memory: Memory; node: Numbers; micros: Numbers; change: Numbers; running: Float64Array; largest: number }

export async function loadCurve(memory: Memory): Promise<Curve> {
  const { blocks } = backend.value!;
  const [node, micros, change] = await Promise.all(
    [memory.node, memory.micros, memory.change].map((ref) => blocks.integers(ref.block)),
  );
  const running = new Float64Array(change!.length);
  let sum = 0;
  let largest = 0;
  for (let i = 0; i < running.length; i++) {
    sum += change![i]!;
    running[i] = sum;
    largest = Math.max(largest, sum);
  }
  return { memory, node: node!, micros: micros!, change: change!, running, largest };
}

interface Held { node: number; bytes: number }
let held = new Float64Array();

/** What nodes hold at a time: the largest ones, how many there are, and the bytes of all. */
function liveAt(curve: Curve, time: number): { top: Held[]; count: number; sum: number } {
  const size = nodes.value!.name.length;
  if (held.length === size) held.fill(0);
  else held = new Float64Array(size);
  const end = upperBound(curve.micros, time);
  for (let i = 0; i < end; i++) held[curve.node[i]!]! += curve.change[i]!;
  const top: Held[] = [];
  let [count, sum] = [0, 0];
  for (let node = 0; node < size; node++) {
    const bytes = held[node]!;
    if (bytes <= 0) continue;
    count++;
    sum += bytes;
    if (top.length === TOP && bytes <= top[TOP - 1]!.bytes) continue;
    let at = top.length;
    while (at > 0 && top[at - 1]!.bytes < bytes) at--;
    top.splice(at, 0, { node, bytes });
    if (top.length > TOP) top.pop();
  }
  return { top, count, sum };
}

export function MemoryCurve({ curve, range }: { curve: Curve; range: Range }) {
  const [from, to] = range;
  const draw: Draw = (context, width, height) => {
    const base = height - 2;
    const scale = (height - 22) / Math.max(curve.largest, 1);
    context.fillStyle = cssColor("--hue-4");
    let i = upperBound(curve.micros, from);
    let level = i ? curve.running[i - 1]! : 0;
    for (let pixel = 0; pixel < width; pixel++) {
      const end = from + ((pixel + 1) / width) * (to - from);
      let highest = level;
      for (; i < curve.micros.length && curve.micros[i]! < end; i++) {
        level = curve.running[i]!;
        highest = Math.max(highest, level);
      }
      const tall = highest * scale;
      context.fillRect(pixel, base - tall, 1, tall);
    }
    context.fillStyle = cssColor("--text");
    context.fillText(fitText(context, `${format(curve.largest, "memory")} at most${curve.memory.recorded ? "" : " (estimate)"}`, width - 8), 3, 10);
  };
  return (
    <div
      class="curve"
      onPointerMove={(event: PointerEvent) => {
        const { width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
        timePoint.value = Math.round(from + (event.offsetX / width) * (to - from));
      }}
    >
      <Canvas draw={draw} height={CURVE} label={`memory in use on ${curve.memory.device}`} />
      <Marks range={range} />
    </div>
  );
}

export function Live({ curve }: { curve: Curve }) {
  const time = timePoint.value;
  if (time < 0) return <p class="hint">Move the pointer over the timeline, or go to the peak, to see what is live.</p>;
  const { top, count, sum } = liveAt(curve, time);
  return (
    <section aria-live="off">
      <h3>live at {format(time, "time")}: {format(sum, "memory")}{curve.memory.recorded ? "" : " (estimate)"}</h3>
      <ol class="edges live">
        {top.map((row) => (
          <li key={row.node}>
            <span class="value">{format(row.bytes, "memory")}</span>{" "}
            <button class="link" onClick={() => goTo("scope", { node: row.node })}><Name name={nodes.value!.name.at(row.node)} /></button>
            <span class="hint"> {nodes.value!.op.at(row.node)}</span>
            {nodes.value!.code[row.node]! >= 0 && (
              <button class="link" onClick={() => goTo("code", { position: nodes.value!.code[row.node]! })}>code</button>
            )}
          </li>
        ))}
        {count > top.length && <li class="hint rest">and {exact(count - top.length)} more nodes</li>}
      </ol>
    </section>
  );
}
