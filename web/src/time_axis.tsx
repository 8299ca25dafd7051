// What drawings over time share: the axis, and marks that move with the pointer above them.

import { signal } from "@preact/signals";
import type { Numbers } from "./blocks";
import { format } from "./format";
import { timePoint } from "./state";
import { cssColor } from "./theme";

export type Range = [number, number];
export const AXIS = 20;
/** The window that is being dragged. */
export const drag = signal<Range | null>(null);

/** The index after the last of ascending numbers that is not above a limit. */
export function upperBound(values: Numbers, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function niceStep(span: number, count: number): number {
  const rough = Math.max(span / Math.max(count, 1), 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * power).find((size) => size >= rough)!;
}

export function drawAxis(context: CanvasRenderingContext2D, width: number, [from, to]: Range): void {
  const size = niceStep(to - from, width / 110);
  context.fillStyle = cssColor("--text-soft");
  context.strokeStyle = cssColor("--line");
  context.lineWidth = 1;
  for (let time = Math.ceil(from / size) * size; time <= to; time += size) {
    const x = Math.round(((time - from) / (to - from)) * width) + 0.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, 6);
    context.stroke();
    const label = format(time, "time");
    if (x + 4 + context.measureText(label).width < width) context.fillText(label, x + 3, AXIS / 2);
  }
}

/** The time under the pointer and the window being dragged, above a drawing that they do not change. */
export function Marks({ range: [from, to] }: { range: Range }) {
  const share = (time: number): string => `${(100 * (time - from)) / (to - from)}%`;
  const [point, dragged] = [timePoint.value, drag.value];
  const [first, last] = dragged ? [Math.min(...dragged), Math.max(...dragged)] : [0, 0];
  return (
    <>
      {point >= from && point <= to && <span class="mark" style={{ left: share(point) }} />}
      {dragged && <span class="mark window" style={{ left: share(first), width: share(from + last - first) }} />}
    </>
  );
}
