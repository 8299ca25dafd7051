// The tree as an icicle: each row as wide as its share, its children below it.

import { useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { Canvas, fitNode, fitText, type Draw } from "./canvas";
import { percent } from "./format";
import { readable } from "./names";
import { shownMetric, nodes, report, selected, sorting, unit, zoomed } from "./state";
import { reveal } from "./rows";
import { cssColor, palette, paletteIndex } from "./theme";
import type { Report } from "./report";

const ROW = 20;
const LEVELS = 8;
const LEAST = 3;
const SHOWN_PATH = 8;

interface Box { row: number; x: number; y: number; width: number; count: number }

const hovered = signal<Box | null>(null);

/** The row that is zoomed; everything if an address names one that is not there. */
const zoomedRow = (r: Report): number => (zoomed.value < r.entry.rows ? zoomed.value : 0);

/** The boxes that are wide enough to see; children too narrow for that share one. */
function layOut(r: Report, width: number): Box[] {
  const column = r.columns.get(shownMetric.value)!;
  const weight = r.view === "op" ? column.ownWeight : column.totalWeight;
  const top = zoomedRow(r);
  const whole = top === 0 ? column.whole : weight[top]!;
  const boxes: Box[] = [];
  if (!(whole > 0)) return boxes;
  const scale = width / whole;
  boxes.push({ row: top, x: 0, y: 0, width, count: 1 });
  for (let i = 0; i < boxes.length; i++) {
    const box = boxes[i]!;
    const level = box.y / ROW + 1;
    if (level >= LEVELS || box.count > 1 || !r.hasChildren(box.row)) continue;
    let x = box.x;
    let narrow: Box | null = null;
    for (const child of r.children(box.row)) {
      const wide = Math.max(weight[child]!, 0) * scale;
      if (wide <= 0) continue;
      if (wide >= LEAST) {
        boxes.push({ row: child, x, y: level * ROW, width: wide, count: 1 });
        narrow = null;
      } else if (narrow && narrow.x + narrow.width >= x - 0.01) {
        narrow.width += wide;
        narrow.count++;
      } else {
        narrow = { row: child, x, y: level * ROW, width: wide, count: 1 };
        boxes.push(narrow);
      }
      x += wide;
    }
  }
  return boxes;
}

const colorKey = (r: Report, row: number): string => {
  const node = r.node[row]!;
  if (node >= 0) return nodes.value!.op.at(node) ?? "";
  return r.label(row).replace(/[\d_]+$/, "");
};

/** What a box says in its width. */
function fittedLabel(context: CanvasRenderingContext2D, r: Report, { row, width, count }: Box): string {
  const space = width - 8;
  if (count > 1) {
    const text = `+${count} more`;
    return fitText(context, text, space) === text ? text : "";
  }
  if (row === 0) return fitText(context, "all", space);
  if (r.view !== "graph" || r.node[row]! < 0) return fitText(context, readable(r.label(row)).slice(0, 300), space);
  return fitNode(context, nodes.value!.op.at(r.node[row]!) ?? "", readable(r.name(row)).slice(-300), space);
}

/** What is under the pointer, apart from the drawing, which stays as it is. */
function Hovered({ r }: { r: Report }) {
  const over = hovered.value;
  if (!over || over.row >= r.entry.rows) return <span class="hint">click to zoom</span>;
  if (over.count > 1) return <span class="hint">{over.count} rows that are too narrow to draw</span>;
  const column = r.columns.get(shownMetric.value)!;
  const { row } = over;
  const isType = r.view === "op" && row > 0;
  const weight = isType ? column.ownWeight : column.totalWeight;
  const amount = isType ? column.ownText(row, unit.value) : column.totalText(row, unit.value);
  return <span class="hint">{readable(r.name(row)).slice(0, 300)}: {amount} ({percent(weight[row]!, column.whole)})</span>;
}

export function Icicle() {
  const boxes = useRef<Box[]>([]);
  const r = report.value;
  if (!r) return null;
  r.sortBy(sorting.value);
  const top = zoomedRow(r);
  void selected.value; // what is drawn later is read now, to be drawn again with it
  const draw: Draw = (context, width) => {
    const colors = palette();
    const [text, border, gap, accent] = ["--hue-text", "--background", "--muted-fill", "--accent"].map(cssColor);
    boxes.current = layOut(r, width);
    for (const box of boxes.current) {
      context.fillStyle = box.count > 1 ? gap! : colors[paletteIndex(colorKey(r, box.row))]!;
      context.fillRect(box.x, box.y, Math.max(box.width - 1, 0.5), ROW - 1);
      const fitted = fittedLabel(context, r, box);
      if (!fitted) continue;
      context.fillStyle = box.count > 1 ? cssColor("--text") : text!;
      context.fillText(fitted, box.x + 4, box.y + ROW / 2);
    }
    const chosen = boxes.current.find((box) => box.row === selected.value && box.count === 1);
    if (chosen) {
      context.strokeStyle = accent!;
      context.lineWidth = 2;
      context.strokeRect(chosen.x + 1, chosen.y + 1, Math.max(chosen.width - 3, 1), ROW - 3);
    }
    context.strokeStyle = border!;
  };
  const boxAt = (event: MouseEvent): Box | null => {
    const { offsetX: x, offsetY: y } = event;
    return boxes.current.find((b) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + ROW) ?? null;
  };
  return (
    <section class="icicle" aria-label="icicle">
      <p class="path">
        {[0, ...r.lastOfPath(top, SHOWN_PATH)].map((row, i, all) => (
          <span key={row}>
            {i > 0 && (r.parent[row] === all[i - 1] ? " › " : " › … › ")}
            {i === all.length - 1 ? <b><bdi>{row ? readable(r.label(row)) : "all"}</bdi></b> : (
              <button class="link" onClick={() => { zoomed.value = row; }}><bdi>{row ? readable(r.label(row)) : "all"}</bdi></button>
            )}
          </span>
        ))}
        <Hovered r={r} />
      </p>
      <Canvas
        draw={draw}
        height={ROW * Math.min(r.levels, LEVELS)}
        label={`icicle of ${r.view} view; the table below has the same rows`}
        onMouseMove={(event: MouseEvent) => { hovered.value = boxAt(event); }}
        onMouseLeave={() => { hovered.value = null; }}
        onClick={(event: MouseEvent) => {
          const box = boxAt(event);
          if (!box || box.count > 1) return;
          if (box.row) reveal(r, box.row);
          zoomed.value = box.row === zoomed.value ? Math.max(r.parent[box.row]!, 0) : box.row;
        }}
      />
    </section>
  );
}
