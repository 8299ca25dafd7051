// What ran when, by device and lane, and the memory that was in use, on one time axis.

import { useEffect, useRef } from "preact/hooks";
import { batch, signal, useSignalEffect } from "@preact/signals";
import type { TimelineEntry } from "./backend";
import type { Numbers } from "./blocks";
import { Canvas, fitNode, fitText, type Draw } from "./canvas";
import { setOptions } from "./command";
import { format, percent } from "./format";
import { Idle } from "./idle";
import { Live, loadCurve, MemoryCurve, type Curve } from "./memory_curve";
import { Name, readable } from "./names";
import { backend, goTo, nodes, panels, show, shownStep, step, timeline, timePoint, timeWindow, view } from "./state";
import { cssColor, palette, paletteIndex } from "./theme";
import { AXIS, drag, drawAxis, Marks, type Range } from "./time_axis";

const LANE = 18;
const TITLE = 18;
const MAX_LANES = 40;

interface Intervals { entry: TimelineEntry; node: Numbers; device: Numbers; lane: Numbers; time: Numbers; duration: Numbers }

const intervals = signal<Intervals | null>(null);
const curves = signal<Curve[]>([]);
const hovered = signal(-1);

async function loadIntervals(entry: TimelineEntry): Promise<Intervals> {
  const { blocks } = backend.value!;
  const [node, device, lane, time, duration] = await Promise.all(
    [entry.node, entry.device, entry.lane, entry.time, entry.duration].map((ref) => blocks.integers(ref)),
  );
  return { entry, node: node!, device: device!, lane: lane!, time: time!, duration: duration! };
}

function Lanes({ data, range, setRange }: { data: Intervals; range: Range; setRange(range: Range): void }) {
  const { entry } = data;
  const tops: number[] = [];
  let height = AXIS;
  for (const device of entry.devices) {
    tops.push(height);
    height += TITLE + Math.min(device.lanes, MAX_LANES) * LANE + 4;
  }
  const element = useRef<HTMLDivElement>(null);
  const [from, to] = range;
  const draw: Draw = (context, width) => {
    const scale = width / (to - from);
    const colors = palette();
    const text = cssColor("--hue-text");
    drawAxis(context, width, range);
    context.fillStyle = cssColor("--text");
    entry.devices.forEach((device, i) => {
      const name = readable(device.name.replace(/.*\//, ""));
      const hidden = device.lanes > MAX_LANES ? ` · ${device.lanes - MAX_LANES} more lanes not drawn` : "";
      context.fillText(fitText(context, `${name} · busy ${format(device.busy, "time")} (${percent(device.busy, entry.micros)})${hidden}`, width - 8), 2, tops[i]! + TITLE / 2);
    });
    const lastPixel = new Map<number, number>();
    const { time, duration, device, lane, node } = data;
    const ops = nodes.value!.op;
    const colorOf = new Map<number, string>();
    for (let i = 0; i < time.length; i++) {
      const start = time[i]!;
      if (start > to || start + duration[i]! < from || lane[i]! >= MAX_LANES) continue;
      const x = (Math.max(start, from) - from) * scale;
      const end = (Math.min(start + duration[i]!, to) - from) * scale;
      const key = device[i]! * MAX_LANES + lane[i]!;
      const wide = Math.max(end - x, 1);
      // At full zoom many intervals share a pixel: one of them is drawn.
      if (wide <= 1 && lastPixel.get(key) === Math.floor(x)) continue;
      lastPixel.set(key, Math.floor(x + wide - 1));
      const op = ops.index[node[i]!]!;
      let color = colorOf.get(op);
      if (!color) colorOf.set(op, (color = colors[paletteIndex(op < 0 ? "" : ops.values.at(op))]!));
      const y = tops[device[i]!]! + TITLE + lane[i]! * LANE;
      context.fillStyle = color;
      context.fillRect(x, y, wide, LANE - 2);
      if (wide > 40) {
        const label = fitNode(context, ops.at(node[i]!) ?? "", readable(nodes.value!.name.at(node[i]!)), wide - 6);
        context.fillStyle = text;
        context.fillText(label, x + 3, y + LANE / 2 - 1);
      }
    }
  };
  const timeAt = (event: { clientX: number }): number => {
    const bounds = element.current!.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - bounds.left) / bounds.width));
    return from + share * (to - from);
  };
  const intervalAt = (event: MouseEvent): number => {
    const bounds = element.current!.getBoundingClientRect();
    const at = timeAt(event);
    const y = event.clientY - bounds.top;
    const slack = (to - from) / bounds.width;
    for (let i = 0; i < data.time.length; i++) {
      const top = tops[data.device[i]!]! + TITLE + data.lane[i]! * LANE;
      if (y < top || y >= top + LANE) continue;
      if (data.time[i]! <= at && data.time[i]! + Math.max(data.duration[i]!, slack) >= at) return i;
    }
    return -1;
  };
  useEffect(() => {
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) >= Math.abs(event.deltaX)) {
        if (!event.altKey) return;
      }
      event.preventDefault();
      const centre = timeAt(event);
      const factor = event.ctrlKey || event.altKey ? Math.exp(event.deltaY / 300) : 1;
      const shift = factor === 1 ? ((event.deltaX || event.deltaY) / 800) * (to - from) : 0;
      setRange([centre - (centre - from) * factor + shift, centre + (to - centre) * factor + shift]);
    };
    const target = element.current!;
    target.addEventListener("wheel", wheel, { passive: false });
    return () => target.removeEventListener("wheel", wheel);
  });
  return (
    <div
      ref={element}
      class="lanes"
      onPointerDown={(event: PointerEvent) => {
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        const at = timeAt(event);
        drag.value = [at, at];
      }}
      onPointerMove={(event: PointerEvent) => {
        if (drag.value) drag.value = [drag.value[0], timeAt(event)];
        else hovered.value = intervalAt(event);
        timePoint.value = Math.round(timeAt(event));
      }}
      onPointerUp={(event: PointerEvent) => {
        const window = drag.value;
        drag.value = null;
        if (!window) return;
        const [a, b] = window[0] < window[1] ? window : [window[1], window[0]];
        if (b - a > (to - from) / 200) {
          setRange([a, b]);
          return;
        }
        const i = intervalAt(event);
        if (i >= 0) goTo("graph", { node: data.node[i]! });
      }}
      onPointerLeave={() => { hovered.value = -1; }}
    >
      <Canvas draw={draw} height={height} label={`timeline of step ${shownStep.value}; the list of idle times and the table of live memory have its numbers`} />
      <Marks range={range} />
    </div>
  );
}

function Hovered({ data }: { data: Intervals }) {
  const over = hovered.value;
  if (over < 0 || over >= data.node.length) return <p class="hint line">point at a bar to see its name; click it to show it in graph view</p>;
  const node = data.node[over]!;
  return (
    <p class="hint line">
      {`${nodes.value!.op.at(node)} ${readable(nodes.value!.name.at(node)).slice(0, 300)}: ${format(data.duration[over]!, "time")} from ${format(data.time[over]!, "time")}`}
    </p>
  );
}

/** Restrict the tables to what runs in a window of the step. */
function filterTables([since, until]: Range): void {
  batch(() => {
    step.value = shownStep.value;
    setOptions({ since: `${since}us`, until: `${until}us` });
    show(view.value);
  });
}

export function Timeline() {
  useSignalEffect(() => {
    const entry = timeline.value;
    if (entry) void loadIntervals(entry).then((loaded) => { if (timeline.value === entry) intervals.value = loaded; });
  });
  useSignalEffect(() => {
    const at = shownStep.value;
    const found = (panels.value.memory ?? []).filter((memory) => memory.step === at);
    void Promise.all(found.map(loadCurve)).then((loaded) => { if (shownStep.value === at) curves.value = loaded.filter((curve) => curve.largest > 0); });
  });
  if (shownStep.value < 0) return <p class="hint page">No step was traced: give run metadata to see a timeline.</p>;
  const data = intervals.value;
  if (!data) return <p class="hint page">reading the timeline…</p>;
  const whole: Range = [0, Math.max(data.entry.micros, 1)];
  const range = timeWindow.value ?? whole;
  const setRange = ([a, b]: Range): void => {
    const span = Math.min(Math.max(b - a, 10), whole[1]);
    const start = Math.max(0, Math.min(a, whole[1] - span));
    timeWindow.value = span >= whole[1] ? null : [Math.round(start), Math.round(start + span)];
  };
  const zoom = (factor: number): void => {
    const centre = timePoint.value >= range[0] && timePoint.value <= range[1] ? timePoint.value : (range[0] + range[1]) / 2;
    setRange([centre - (centre - range[0]) * factor, centre + (range[1] - centre) * factor]);
  };
  const shift = (share: number): void => {
    const by = share * (range[1] - range[0]);
    setRange([range[0] + by, range[1] + by]);
  };
  const toPeak = (): void => {
    const peak = [...curves.value].sort((a, b) => b.largest - a.largest)[0];
    if (!peak) return;
    const i = peak.running.indexOf(peak.largest);
    timePoint.value = peak.micros[i]!;
    if (timePoint.value < range[0] || timePoint.value > range[1]) timeWindow.value = null;
  };
  const keys: Record<string, () => void> = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => { timeWindow.value = null; },
    ArrowLeft: () => shift(-0.2), ArrowRight: () => shift(0.2), p: toPeak,
  };
  return (
    <main
      class="timeline page"
      id="main"
      tabIndex={0}
      aria-label="timeline; plus and minus zoom, arrow keys move, p goes to the memory peak"
      onKeyDown={(event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || (event.target as HTMLElement).tagName === "INPUT") return;
        const run = keys[event.key];
        if (!run) return;
        event.preventDefault();
        run();
      }}
    >
      <div class="tools">
        <button onClick={() => zoom(0.5)}>zoom in</button>
        <button onClick={() => zoom(2)}>zoom out</button>
        <button onClick={() => { timeWindow.value = null; }} disabled={!timeWindow.value}>whole step</button>
        {timeWindow.value && (
          <button title="the tables then show what runs in this window" onClick={() => filterTables(range)}>tables of this window</button>
        )}
        {curves.value.length > 0 && <button onClick={toPeak}>go to the memory peak</button>}
        <span class="hint">
          {step.value < 0 ? `step ${shownStep.value}; ` : ""}{format(range[0], "time")} to {format(range[1], "time")}; drag to select a window
        </span>
      </div>
      <Lanes data={data} range={range} setRange={setRange} />
      <Hovered data={data} />
      {!curves.value.length && <p class="hint">No memory was recorded in this step.</p>}
      {curves.value.map((curve) => (
        <section key={curve.memory.device + curve.memory.allocator}>
          <h3>memory on <Name name={curve.memory.device.replace(/.*\//, "")} /> {curve.memory.recorded ? `(recorded allocations${curve.memory.allocator && ` of ${readable(curve.memory.allocator)}`})` : "(estimate from the last use of outputs)"}</h3>
          <MemoryCurve curve={curve} range={range} />
          <Live curve={curve} />
        </section>
      ))}
      <Idle entry={data.entry} setRange={setRange} />
    </main>
  );
}
