// Workers and steps as a heat map: how far each is from the median of all.

import { deviationColor } from "../diff/sign";
import { format } from "../format";
import { readable } from "../names";
import { cssColor } from "../theme";
import { Chart, drawRowLabels, drawSteps, gutter, outline } from "./chart";
import { stepText, type Job, type Measure } from "./data";

const AXIS = 20;
const LEAST = 120;
const MOST = 400;
const ROW = 18;

export function describeCell(job: Job, measure: Measure, row: number, column: number): string {
  const value = measure.cells[row * job.columns.length + column]!;
  const [first, last] = job.columns[column]!;
  const isShared = first !== last || job.rows[row]!.includes(" to ");
  const text = value < 0 ? "not traced" : `${format(value, "time")} ${measure.name}${isShared ? ` (${measure.shown})` : ""}`;
  return `${readable(job.rows[row]!)}, ${stepText([first, last])}: ${text}`;
}

export const cellColor = (measure: Measure, value: number): string =>
  value < 0 ? cssColor("--background") : deviationColor((value - measure.centre) / measure.span);

export function Legend({ measure }: { measure: Measure }) {
  return (
    <p class="legend" aria-label="colours">
      {measure.legend.map((text, i) => <span key={i}><span class="swatch" style={{ background: deviationColor(i - 1) }} />{text}</span>)}
    </p>
  );
}

export function HeatMap({ job, measure }: { job: Job; measure: Measure }) {
  const [rows, columns] = [job.rows.length, job.columns.length];
  const tall = Math.max(LEAST, Math.min(MOST, rows * ROW));
  return (
    <Chart
      label={`${measure.name} of each worker in each step, as a heat map`}
      height={tall + AXIS}
      rows={rows}
      columns={columns}
      hint="point at a cell, or use arrow keys"
      describe={({ row, column }) => describeCell(job, measure, row, column)}
      placeAt={(x, y, width) => {
        const left = gutter(width);
        if (x < left || y >= tall) return null;
        return { row: Math.min(rows - 1, Math.floor((y / tall) * rows)), column: Math.min(columns - 1, Math.floor(((x - left) / (width - left)) * columns)) };
      }}
      draw={(context, width, _height, place) => {
        const left = gutter(width);
        const [wide, high] = [(width - left) / columns, tall / rows];
        for (let row = 0; row < rows; row++) {
          // Edges are whole pixels, so that cells that touch leave no seam.
          const [top, bottom] = [Math.round(row * high), Math.round((row + 1) * high)];
          for (let column = 0; column < columns; column++) {
            const [from, to] = [Math.round(left + column * wide), Math.round(left + (column + 1) * wide)];
            context.fillStyle = cellColor(measure, measure.cells[row * columns + column]!);
            context.fillRect(from, top, Math.max(to - from, 1), Math.max(bottom - top, 1));
          }
        }
        drawRowLabels(context, job.rows.map(readable), 0, high, left);
        drawSteps(context, job.columns, left, width, tall + AXIS / 2);
        if (place) outline(context, left + place.column * wide, place.row * high, wide, high);
      }}
    />
  );
}
