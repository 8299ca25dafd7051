// Traffic as a matrix: who sends to whom, and how much.

import { fitText } from "../canvas";
import { trafficColor, signText } from "../diff/sign";
import { readable } from "../names";
import { cssColor } from "../theme";
import { Chart, drawRowLabels, gutter, outline } from "./chart";
import type { Traffic } from "./data";

const MOST = 26;
const LEAST = 15;
const ROOMY = 84;
const HEAD = 22;
const TALL_HEAD = 96;

export const describeTraffic = (traffic: Traffic, row: number, column: number): string =>
  `${readable(traffic.rows[row]!)} → ${readable(traffic.columns[column]!)}: ${traffic.texts[row * traffic.columns.length + column]!}`;

export function TrafficMatrix({ traffic }: { traffic: Traffic }) {
  const [rows, columns] = [traffic.rows.length, traffic.columns.length];
  const most = Math.max(...traffic.bytes, 1);
  const tall = rows > 12 ? LEAST : MOST;
  // Labels stand upright where a column is narrow, which a page of any width may have.
  const head = columns > 4 ? TALL_HEAD : HEAD;
  return (
    <Chart
      label="bytes from each device (rows) to each other one (columns), as a matrix"
      height={head + rows * tall}
      rows={rows}
      columns={columns}
      hint="point at a cell, or use arrow keys"
      describe={({ row, column }) => describeTraffic(traffic, row, column)}
      placeAt={(x, y, width) => {
        const left = gutter(width);
        if (x < left || y < head) return null;
        return { row: Math.min(rows - 1, Math.floor((y - head) / tall)), column: Math.min(columns - 1, Math.floor(((x - left) / (width - left)) * columns)) };
      }}
      draw={(context, width, _height, place) => {
        const left = gutter(width);
        const wide = (width - left) / columns;
        for (let i = 0; i < rows * columns; i++) {
          const [row, column] = [Math.floor(i / columns), i % columns];
          const [x, y] = [left + column * wide, head + row * tall];
          context.fillStyle = trafficColor(traffic.bytes[i]! / most);
          context.fillRect(x, y, Math.max(wide - 1, 1), tall - 1);
          const text = traffic.bytes[i]! ? fitText(context, traffic.sizes[i]!, wide - 6) : "";
          if (!text || text !== traffic.sizes[i]) continue;
          context.fillStyle = signText();
          context.fillText(text, x + 3, y + tall / 2);
        }
        drawRowLabels(context, traffic.rows.map(readable), head, tall, left);
        context.fillStyle = cssColor("--text-soft");
        traffic.columns.forEach((name, column) => {
          const x = left + column * wide;
          const text = readable(name).slice(0, 300);
          if (head === HEAD || wide >= ROOMY) return context.fillText(fitText(context, text, wide - 4, true), x + 2, head - HEAD / 2);
          if (column % Math.ceil(LEAST / wide)) return;
          context.save();
          context.translate(x + Math.min(wide / 2, LEAST), head - 4);
          context.rotate(-Math.PI / 2);
          context.fillText(fitText(context, text, head - 8, true), 0, 0);
          context.restore();
        });
        context.textAlign = "right";
        const corner = ["from ↓ to →", "↓ to →"].find((text) => context.measureText(text).width <= left - 6);
        context.fillText(corner ?? "", left - 6, head - HEAD / 2);
        context.textAlign = "left";
        if (place) outline(context, left + place.column * wide, head + place.row * tall, wide - 1, tall - 1);
      }}
    />
  );
}
