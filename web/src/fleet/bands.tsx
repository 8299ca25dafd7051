// Step time in the course of a job: the median of all workers, and bands around it.

import { format } from "../format";
import { cssColor } from "../theme";
import { Chart, drawSteps, gutter, outline } from "./chart";
import { stepText, type Job, type Measure } from "./data";

const HEIGHT = 190;
const AXIS = 20;
const TOP = 10;
const TICKS = 4;

/** Round numbers between two values. */
function ticks(low: number, high: number): number[] {
  const rough = Math.max((high - low) / TICKS, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
  const found: number[] = [];
  for (let value = Math.ceil(low / size) * size; value <= high; value += size) found.push(value);
  return found;
}

export function describeBands(percents: number[], measure: Measure, column: number): string {
  return percents.map((percent, i) => `${percent === 50 ? "median" : `p${percent}`} ${format(measure.bands[i]![column]!, "time")}`).join(", ");
}

export function Bands({ job, measure, percents }: { job: Job; measure: Measure; percents: number[] }) {
  const middle = percents.indexOf(50);
  const low = Math.min(...measure.bands[0]!);
  const high = Math.max(...measure.bands.at(-1)!, low + 1);
  const count = job.columns.length;
  return (
    <Chart
      label={`${measure.name} of all workers by step, as quantile bands`}
      height={HEIGHT}
      rows={1}
      columns={count}
      hint="point at a step, or use arrow keys"
      describe={({ column }) => `${stepText(job.columns[column]!)}: ${describeBands(percents, measure, column)}`}
      placeAt={(x, _y, width) => {
        const left = gutter(width);
        return x < left ? null : { row: 0, column: Math.min(count - 1, Math.floor(((x - left) / (width - left)) * count)) };
      }}
      draw={(context, width, height, place) => {
        const left = gutter(width);
        const wide = (width - left) / count;
        const base = height - AXIS;
        const y = (value: number): number => base - 8 - ((value - low) / (high - low)) * (base - TOP - 8);
        context.strokeStyle = cssColor("--line");
        context.lineWidth = 1;
        context.fillStyle = cssColor("--text-soft");
        context.textAlign = "right";
        for (const tick of ticks(low, high)) {
          context.beginPath();
          context.moveTo(left, Math.round(y(tick)) + 0.5);
          context.lineTo(width, Math.round(y(tick)) + 0.5);
          context.stroke();
          context.fillText(format(tick, "time"), left - 6, y(tick));
        }
        context.textAlign = "left";
        const fills = ["--hue-0", "--bar"];
        const gap = wide > 8 ? 1 : 0;
        for (let outer = 0; outer < middle; outer++) {
          const [lower, upper] = [measure.bands[outer]!, measure.bands[percents.length - 1 - outer]!];
          context.fillStyle = cssColor(fills[outer] ?? "--bar");
          for (let i = 0; i < count; i++) context.fillRect(left + i * wide, y(upper[i]!), wide - gap, Math.max(y(lower[i]!) - y(upper[i]!), 1));
        }
        context.fillStyle = cssColor("--accent");
        for (let i = 0; i < count; i++) context.fillRect(left + i * wide, y(measure.bands[middle]![i]!) - 1, wide - gap, 2);
        drawSteps(context, job.columns, left, width, height - AXIS / 2);
        if (place) outline(context, left + place.column * wide, TOP, wide, base - TOP);
      }}
    />
  );
}
