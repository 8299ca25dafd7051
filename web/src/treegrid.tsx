// The rows of a report as a tree table: only those in sight are in the document.

import { useEffect, useRef, useState } from "preact/hooks";
import { format, percent } from "./format";
import { Name, NameWithEnd } from "./names";
import { expandAll, followHotPath, isExpanded, isMatch, reveal, setExpanded, visible } from "./rows";
import { backend, busy, metric, shownMetric, nodes, order, report, selected, unit, zoomed } from "./state";
import type { Numbers } from "./blocks";
import type { Report } from "./report";

const ROW = 24;
const OVERSCAN = 6;
const MAX_HEIGHT = 16_000_000; // browsers do not draw elements that are higher than about 33 million
const MAX_INDENT = 40;
const WIDE_INDENTS = 9; // deeper levels are indented less, so that names stay in sight

const COLUMNS: Record<string, string[]> = {
  op: ["own", "share", "following", "runs", "defined"],
  code: ["total", "share", "own", "runs"],
  scope: ["total", "share", "own", "runs", "op"],
  graph: ["total", "share", "own", "runs", "op"],
};
const TITLES: Record<string, string> = {
  total: "total", share: "share", own: "self", runs: "runs", defined: "nodes", op: "op type",
  following: "and below",
};
const HINTS: Record<string, string> = {
  following: "share of this row and all rows below it",
  defined: "how many nodes of the graph have this type",
};

/** The order whose shares of following rows are shown: that of the report if Python has sorted it. */
const followingOrder = (r: Report): string => (r.entry.order ? "view" : order.value || shownMetric.value);

/** The texts of a row's cells, by column. */
export function cellTexts(r: Report, row: number): Record<string, string> {
  const column = r.columns.get(shownMetric.value)!;
  const isOp = r.view === "op";
  const runs = r.columns.get("runs")!;
  const defined = r.columns.get("definitions")!;
  const ofRow = (own: Numbers, total: Numbers) => (isOp && row ? own[row]! : total[row]!);
  return {
    total: column.totalText(row, unit.value),
    own: row ? column.ownText(row, unit.value) : isOp ? column.totalText(0, unit.value) : "",
    share: percent(ofRow(column.ownWeight, column.totalWeight), column.whole),
    runs: format(ofRow(runs.own, runs.total), "number"),
    defined: format(ofRow(defined.own, defined.total), "number"),
    following: r.following.get(shownMetric.value)?.[followingOrder(r)]?.at(row) ?? "",
    op: r.node[row]! >= 0 ? (nodes.value!.op.at(r.node[row]!) ?? "") : "",
  };
}

/** The columns of a view; without a step nothing has run. */
const columnsOf = (view: string): string[] =>
  COLUMNS[view]!.filter((name) => name !== "runs" || backend.value!.description.steps.length > 0);

function Cells({ r, row }: { r: Report; row: number }) {
  const column = r.columns.get(shownMetric.value)!;
  const weight = r.view === "op" && row ? column.ownWeight[row]! : column.totalWeight[row]!;
  const share = column.whole > 0 ? Math.max(0, Math.min(1, weight / column.whole)) : 0;
  const texts = cellTexts(r, row);
  return (
    <>
      {columnsOf(r.view).map((name) => (
        <span role="gridcell" class={`cell ${name}`} key={name}>
          {name === "share" && <span class="bar" style={{ width: `${share * 100}%` }} />}
          {name === "op" ? <Name name={texts[name]!} /> : <span class={name === "share" ? "percent" : undefined}>{texts[name]}</span>}
        </span>
      ))}
    </>
  );
}

/** What is shown, for scripts and tests; null while it is being loaded. */
export function shownReport(): object | null {
  const r = report.value;
  if (!r || busy.value || shownMetric.value !== metric.value) return null;
  const { preset, step, user, rows } = r.entry;
  return { view: r.view, preset, step, user, metric: metric.value, order: order.value, count: rows };
}

/** The cells of all rows that are expanded, also of those out of sight, separated by tabs. */
export function shownText(): string {
  const r = report.value!;
  const columns = ["total", "own", "share", "runs", "following"];
  const lines = Array.from(visible.value, (row) => {
    const texts = cellTexts(r, row);
    return [r.name(row), ...columns.map((name) => texts[name])].join("\t");
  });
  return lines.join("\n");
}

export function TreeGrid() {
  const r = report.value;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(400);
  const rows = visible.value;
  const height = rows.length * ROW;
  const scale = Math.max(1, (height - tall) / Math.max(MAX_HEIGHT - tall, 1));
  const first = Math.max(0, Math.floor((top * scale) / ROW) - OVERSCAN);
  const last = Math.min(rows.length, first + Math.ceil(tall / ROW) + 2 * OVERSCAN);
  const current = rows.indexOf(selected.value);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setTall(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [r === null]);

  useEffect(() => {
    const element = box.current;
    if (!element || current < 0) return;
    const from = element.scrollTop * scale;
    const at = current * ROW;
    const shown = element.clientHeight - ROW; // without the head, which stays in sight
    if (at < from) element.scrollTop = at / scale;
    else if (at + ROW > from + shown) element.scrollTop = (at + ROW - shown) / scale;
  }, [selected.value, rows]);

  if (!r) return null;
  const move = (to: number): void => {
    const i = Math.max(0, Math.min(rows.length - 1, to));
    if (rows.length) selected.value = rows[i]!;
  };
  const page = Math.max(1, Math.floor(tall / ROW) - 1);
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(current + 1),
    ArrowUp: () => move(current < 0 ? 0 : current - 1),
    PageDown: () => move(current + page),
    PageUp: () => move(current - page),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => {
      const row = rows[current] ?? 0;
      if (!r.hasChildren(row)) return;
      if (isExpanded(r, row)) move(current + 1);
      else setExpanded(r, row, true);
    },
    ArrowLeft: () => {
      const row = rows[current] ?? 0;
      if (isExpanded(r, row) && r.hasChildren(row)) setExpanded(r, row, false);
      else if (r.parent[row]! >= 0) reveal(r, r.parent[row]!);
    },
    Enter: () => { zoomed.value = Math.max(selected.value, 0); },
    " ": () => {
      const row = rows[current] ?? 0;
      setExpanded(r, row, !isExpanded(r, row));
    },
    "*": () => expandAll(r, rows[current] ?? 0),
    h: () => followHotPath(r, selected.value),
  };
  const title = backend.value!.description.metrics[shownMetric.value]!.title;
  const sortable = { name: "name", total: shownMetric.value, own: shownMetric.value };
  const active = order.value || shownMetric.value;
  return (
    <div class={`grid ${r.view}${backend.value!.description.steps.length ? "" : " static"}`}>
      <div
        class="scroll"
        ref={box}
        role="treegrid"
        tabIndex={0}
        aria-label={`${r.view} view by ${title}; arrow keys move, left and right collapse and expand, h follows the hot path`}
        aria-rowcount={rows.length + 1}
        aria-busy={busy.value !== ""}
        aria-activedescendant={current >= first && current < last ? `row-${selected.value}` : undefined}
        onScroll={(event: Event) => setTop((event.target as HTMLElement).scrollTop)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const run = keys[event.key];
          if (!run) return;
          event.preventDefault();
          run();
        }}
      >
        <div class="row head" role="row" aria-rowindex={1}>
          <span class="cell name" role="columnheader" aria-sort={active === "name" ? "ascending" : "none"}>
            <button class="link" onClick={() => { order.value = order.value === "name" ? "view" : "name"; }}>
              name {active === "name" ? "▲" : active === "view" ? "(order of the view)" : ""}
            </button>
          </span>
          {columnsOf(r.view).map((name) => (
            <span class={`cell ${name}`} role="columnheader" key={name} aria-sort={name === (r.view === "op" ? "own" : "total") && active === shownMetric.value ? "descending" : "none"}>
              {name in sortable && (name === "total" || r.view === "op") ? (
                <button class="link" title={`sort by ${title}`} onClick={() => { order.value = ""; }}>
                  {TITLES[name]} {active === shownMetric.value ? "▼" : ""}
                </button>
              ) : <span title={HINTS[name]}>{TITLES[name]}</span>}
            </span>
          ))}
        </div>
        <div class="spacer" role="presentation" style={{ height: `${Math.min(height, MAX_HEIGHT)}px` }}>
          {Array.from(rows.subarray(first, last), (row, i) => {
            const index = first + i;
            const siblings = row ? r.children(r.parent[row]!) : null;
            const depth = Math.min(r.depth[row]!, MAX_INDENT);
            const indent = Math.min(depth, WIDE_INDENTS) + Math.max(depth - WIDE_INDENTS, 0) / 6;
            return (
              <div
                class={`row${row === selected.value ? " selected" : ""}${isMatch(row) ? " match" : ""}`}
                role="row"
                id={`row-${row}`}
                key={row}
                aria-level={r.depth[row]! + 1}
                aria-rowindex={index + 2}
                aria-posinset={siblings ? siblings.indexOf(row) + 1 : 1}
                aria-setsize={siblings ? siblings.length : 1}
                aria-expanded={r.hasChildren(row) ? isExpanded(r, row) : undefined}
                aria-selected={row === selected.value}
                style={{ transform: `translateY(${index * ROW - top * scale + top}px)` }}
                onClick={() => { selected.value = row; }}
                onDblClick={() => { zoomed.value = row; }}
              >
                <span role="gridcell" class="cell name" title={row ? r.name(row).slice(0, 2000) : "all"} style={{ paddingLeft: `calc(var(--indent) * ${indent})` }}>
                  <span
                    class="twisty"
                    aria-hidden="true"
                    onClick={(event: Event) => {
                      if (!r.hasChildren(row)) return;
                      event.stopPropagation();
                      setExpanded(r, row, !isExpanded(r, row));
                    }}
                  >
                    {r.hasChildren(row) ? (isExpanded(r, row) ? "▾" : "▸") : ""}
                  </span>
                  {row ? r.view === "code" ? <Name name={r.label(row)} /> : <NameWithEnd name={r.view === "graph" ? r.name(row) : r.label(row)} /> : <b>all</b>}
                </span>
                <Cells r={r} row={row} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
