// What all charts share: a canvas with a place that the pointer and arrow keys move, and its text.

import { useState } from "preact/hooks";
import { Canvas, fitText, type Draw } from "../canvas";
import { cssColor } from "../theme";

/** The width of the labels on the left, the same in all charts of a page so that steps align. */
export const gutter = (width: number): number => (width < 500 ? 76 : 120);
const LABEL = 14;

export interface Place { row: number; column: number }
type Paint = (context: CanvasRenderingContext2D, width: number, height: number, place: Place | null) => void;

export function Chart({ label, height, rows, columns, draw, placeAt, describe, hint }: {
  label: string;
  height: number;
  rows: number;
  columns: number;
  draw: Paint;
  placeAt: (x: number, y: number, width: number) => Place | null;
  describe: (place: Place) => string;
  hint: string;
}) {
  const [chosen, setPlace] = useState<Place | null>(null);
  // Another job may have fewer rows and columns.
  const place = chosen && chosen.row < rows && chosen.column < columns ? chosen : null;
  const paint: Draw = (context, width, tall) => draw(context, width, tall, place);
  const move = (event: KeyboardEvent): void => {
    const { row, column } = place ?? { row: 0, column: 0 };
    const targets: Record<string, Place> = {
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      Home: { row, column: 0 },
      End: { row, column: columns - 1 },
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    if (!place) return setPlace({ row, column });
    setPlace({ row: clamp(target.row, rows), column: clamp(target.column, columns) });
  };
  return (
    <>
      <Canvas
        draw={paint}
        height={height}
        label={`${label}; arrow keys move through it`}
        role="application"
        tabIndex={0}
        onKeyDown={move}
        onPointerMove={(event: PointerEvent) => {
          const { width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
          const found = placeAt(event.offsetX, event.offsetY, width);
          if (found) setPlace(found);
        }}
      />
      <p class="line hint" role="status">{place ? describe(place) : hint}</p>
    </>
  );
}

const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

/** As many of the labels of rows as do not touch each other. */
export function drawRowLabels(context: CanvasRenderingContext2D, labels: string[], top: number, tall: number, wide: number): void {
  context.fillStyle = cssColor("--text-soft");
  context.textAlign = "right";
  const every = Math.max(1, Math.ceil(LABEL / tall));
  for (let row = 0; row < labels.length; row += every) {
    const y = top + row * tall + (every > 1 ? LABEL / 2 : tall / 2);
    context.fillText(fitText(context, labels[row]!.slice(0, 300), wide - 8, true), wide - 6, y);
  }
  context.textAlign = "left";
}

/** The numbers of the first steps of columns, below a chart. */
export function drawSteps(context: CanvasRenderingContext2D, columns: [number, number][], left: number, width: number, y: number): void {
  context.fillStyle = cssColor("--text-soft");
  const wide = (width - left) / columns.length;
  const longest = String(columns.at(-1)![1]).length * 8 + 24;
  const every = niceCount(Math.ceil(longest / wide));
  for (let i = 0; i < columns.length; i += every) {
    const text = String(columns[i]![0]);
    const x = left + i * wide;
    if (x + context.measureText(text).width <= width) context.fillText(text, x, y);
  }
  context.textAlign = "right";
  context.fillText("step", left - 6, y);
  context.textAlign = "left";
}

function niceCount(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((m) => m * power).find((size) => size >= least)!;
}

export function outline(context: CanvasRenderingContext2D, x: number, y: number, wide: number, tall: number): void {
  context.strokeStyle = cssColor("--text");
  context.lineWidth = 2;
  context.strokeRect(x - 1, y - 1, Math.max(wide, 2) + 2, Math.max(tall, 2) + 2);
}
