// The rows of a diff as an icicle: as wide as the larger of before and after, coloured by sign.

import { useRef } from "preact/hooks";
import { Canvas, fitText, type Draw } from "../canvas";
import { readable } from "../names";
import { cssColor } from "../theme";
import { children, delta, label, type Metric, type Rows } from "./data";
import { arrow, formatChange, formatPercent, signColor, signText } from "./sign";

const ROW = 20;
const LEVELS = 9;
const LEAST = 2;

export interface Box { row: number; x: number; y: number; width: number }

const weight = (metric: Metric, row: number): number => Math.max(metric.before[row]!, metric.after[row]!, 0);

/** The boxes that are wide enough to see. Children share the width of their parent. */
export function layOut(diff: Rows, metric: Metric, top: number, width: number): Box[] {
  const boxes: Box[] = [{ row: top, x: 0, y: 0, width }];
  for (let i = 0; i < boxes.length; i++) {
    const box = boxes[i]!;
    const level = box.y / ROW + 1;
    if (level >= LEVELS) continue;
    const below = children(diff, metric, box.row);
    const sum = below.reduce((total, row) => total + weight(metric, row), 0);
    const whole = Math.max(sum, weight(metric, box.row));
    if (!(whole > 0)) continue;
    let x = box.x;
    for (const row of below) {
      const wide = (box.width * weight(metric, row)) / whole;
      if (wide >= LEAST) boxes.push({ row, x, y: level * ROW, width: wide });
      x += wide;
    }
  }
  return boxes;
}

export function Icicle({ diff, metric, top, selected, onSelect, onZoom, onHover }: {
  diff: Rows;
  metric: Metric;
  top: number;
  selected: number;
  onSelect: (row: number) => void;
  onZoom: (row: number) => void;
  onHover: (row: number) => void;
}) {
  const boxes = useRef<Box[]>([]);
  const draw: Draw = (context, width) => {
    boxes.current = layOut(diff, metric, top, width);
    for (const box of boxes.current) {
      const change = delta(metric, box.row);
      context.fillStyle = signColor(metric.before[box.row]!, metric.after[box.row]!);
      context.fillRect(box.x, box.y, Math.max(box.width - 1, 0.5), ROW - 1);
      const text = `${arrow(change)} ${readable(label(diff, box.row))} ${formatPercent(metric.before[box.row]!, change)}`;
      const fitted = fitText(context, text.slice(0, 300), box.width - 8);
      context.fillStyle = signText();
      if (fitted) context.fillText(fitted, box.x + 4, box.y + ROW / 2);
      if (box.row === selected) {
        context.strokeStyle = cssColor("--accent");
        context.lineWidth = 2;
        context.strokeRect(box.x + 1, box.y + 1, Math.max(box.width - 3, 1), ROW - 3);
      }
    }
  };
  const rowAt = (event: MouseEvent): number => {
    const { offsetX: x, offsetY: y } = event;
    return boxes.current.find((b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + ROW)?.row ?? -1;
  };
  return (
    <Canvas
      draw={draw}
      height={ROW * (diff.view === "op" ? 2 : LEVELS)}
      label={`icicle of ${diff.view} view by ${metric.title}, ${formatChange(delta(metric, 0), metric.unit)}; the table below has the same rows`}
      onMouseMove={(event: MouseEvent) => onHover(rowAt(event))}
      onMouseLeave={() => onHover(-1)}
      onClick={(event: MouseEvent) => {
        const row = rowAt(event);
        if (row < 0) return;
        onSelect(row);
        onZoom(row === top ? Math.max(diff.parent[row]!, 0) : row);
      }}
    />
  );
}
