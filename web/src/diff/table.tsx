// The rows of a diff as a tree table: before, after, delta, percent and how rows were matched.

import { useEffect, useRef, useState } from "preact/hooks";
import { format } from "../format";
import { Name } from "../names";
import { children, delta, label, type Metric, type Rows } from "./data";
import { arrow, formatChange, formatPercent, signColor, strength } from "./sign";

const ROW = 24;
const OVERSCAN = 6;
const MAX_INDENT = 40;

/** The rows whose ancestors are all expanded. */
export function visibleRows(diff: Rows, metric: Metric, expanded: Set<number>): number[] {
  const rows: number[] = [];
  const stack = [0];
  while (stack.length) {
    const row = stack.pop()!;
    rows.push(row);
    if (expanded.has(row)) for (const child of children(diff, metric, row).toReversed()) stack.push(child);
  }
  return rows;
}

export const hasChildren = (diff: Rows, row: number): boolean => diff.end[row]! > row + 1;

/** The texts of a row: before, after, delta, percent and match; empty where it has no such number. */
export function cellTexts(diff: Rows, metric: Metric, row: number): string[] {
  const [before, after] = [metric.before[row]!, metric.after[row]!];
  const match = diff.matches[diff.match[row]!]!;
  if (!before && !after) return ["", "", "", "", match];
  const change = delta(metric, row);
  return [
    format(before, metric.unit),
    format(after, metric.unit),
    formatChange(change, metric.unit),
    formatPercent(before, change),
    match,
  ];
}

const TITLES = ["before", "after", "delta", "percent", "match"];

export function Table({ diff, metric, expanded, selected, onSelect, onExpand, onZoom }: {
  diff: Rows;
  metric: Metric;
  expanded: Set<number>;
  selected: number;
  onSelect: (row: number) => void;
  onExpand: (row: number, open: boolean) => void;
  onZoom: (row: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(400);
  const rows = visibleRows(diff, metric, expanded);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const last = Math.min(rows.length, first + Math.ceil(tall / ROW) + 2 * OVERSCAN);
  const current = rows.indexOf(selected);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setTall(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current!;
    if (current < 0) return;
    const shown = element.clientHeight - 2 * ROW;
    if (current * ROW < element.scrollTop) element.scrollTop = current * ROW;
    else if (current * ROW > element.scrollTop + shown) element.scrollTop = current * ROW - shown;
  }, [current]);
  const move = (to: number): void => onSelect(rows[Math.max(0, Math.min(rows.length - 1, to))]!);
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(current + 1),
    ArrowUp: () => move(current - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (expanded.has(selected) || !hasChildren(diff, selected) ? move(current + 1) : onExpand(selected, true)),
    ArrowLeft: () => (expanded.has(selected) && hasChildren(diff, selected) ? onExpand(selected, false) : onSelect(Math.max(diff.parent[selected]!, 0))),
    Enter: () => onZoom(selected),
  };
  return (
    <div class="grid changes">
      <div
        class="scroll"
        ref={box}
        role="treegrid"
        tabIndex={0}
        aria-label={`rows by change of ${metric.title}; arrow keys move, left and right collapse and expand`}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={current >= first && current < last ? `row-${selected}` : undefined}
        onScroll={(event: Event) => setTop((event.target as HTMLElement).scrollTop)}
        onKeyDown={(event: KeyboardEvent) => {
          const run = keys[event.key];
          if (!run || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          run();
        }}
      >
        <div class="row head" role="row" aria-rowindex={1}>
          <span class="cell name" role="columnheader">name</span>
          {TITLES.map((title) => <span class={`cell ${title}`} role="columnheader" key={title}>{title}</span>)}
        </div>
        <div class="spacer" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
          {rows.slice(first, last).map((row, i) => {
            const [before, after] = [metric.before[row]!, metric.after[row]!];
            const texts = cellTexts(diff, metric, row);
            const was = diff.beforeNames[row];
            return (
              <div
                class={`row${row === selected ? " selected" : ""}`}
                role="row"
                id={`row-${row}`}
                key={row}
                aria-level={diff.depth[row]! + 1}
                aria-rowindex={first + i + 2}
                aria-expanded={hasChildren(diff, row) ? expanded.has(row) : undefined}
                aria-selected={row === selected}
                style={{ transform: `translateY(${(first + i) * ROW}px)` }}
                onClick={() => onSelect(row)}
                onDblClick={() => onZoom(row)}
              >
                <span
                  role="gridcell"
                  class="cell name"
                  title={diff.names[row]!.slice(0, 2000)}
                  style={{ paddingLeft: `calc(var(--indent) * ${Math.min(diff.depth[row]!, MAX_INDENT)})` }}
                >
                  <span class="twisty" aria-hidden="true" onClick={(event: Event) => {
                    event.stopPropagation();
                    onExpand(row, !expanded.has(row));
                  }}>
                    {hasChildren(diff, row) ? (expanded.has(row) ? "▾" : "▸") : ""}
                  </span>
                  {row ? <Name name={label(diff, row)} /> : <b>all</b>}
                </span>
                {texts.map((text, column) => (
                  <span role="gridcell" class={`cell ${TITLES[column]}`} key={column} title={column === 4 && was ? `was ${was}` : undefined}>
                    {column === 2 && text && (
                      <span class="sign" style={{ background: signColor(before, after), width: `${4 + 40 * strength(before, after)}%` }} />
                    )}
                    <span class="text">{column === 2 && text ? `${arrow(after - before)} ${text}` : text}</span>
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
