// Which rows of the tree are expanded and therefore shown, and which a search finds.

import { batch, computed, effect, signal } from "@preact/signals";
import { asked, backend, find, isRegex, shownMetric, nodes, panel, report, selected, sorting, TREES } from "./state";
import type { Numbers } from "./blocks";
import type { Report } from "./report";

/** By report, which rows are expanded. */
const expanded = new Map<string, Uint8Array>();
const changes = signal(0);

const keyOf = (r: Report) => `${r.entry.preset}|${r.view}|${r.entry.user}|${r.entry.rows}`;

function expandedRows(r: Report): Uint8Array {
  const key = keyOf(r);
  let rows = expanded.get(key);
  if (!rows) {
    expanded.set(key, (rows = new Uint8Array(r.entry.rows)));
    rows[0] = 1;
  }
  return rows;
}

export const isExpanded = (r: Report, row: number): boolean => expandedRows(r)[row] === 1;

export function setExpanded(r: Report, row: number, open: boolean): void {
  expandedRows(r)[row] = open ? 1 : 0;
  changes.value++;
}

export function expandAll(r: Report, row: number): void {
  expandedRows(r).fill(1, row, r.end[row]);
  changes.value++;
}

function expandAbove(r: Report, row: number): void {
  const rows = expandedRows(r);
  let changed = false;
  for (let at = r.parent[row]!; at >= 0; at = r.parent[at]!) {
    if (rows[at]) continue;
    rows[at] = 1;
    changed = true;
  }
  if (changed) changes.value = changes.peek() + 1;
}

/** Select a row and expand all rows above it. */
export function reveal(r: Report, row: number): void {
  expandAbove(r, row);
  selected.value = row;
}

// What is selected by a link or the address is shown, too.
effect(() => {
  const r = report.value;
  if (r && selected.value >= 0 && selected.value < r.entry.rows) expandAbove(r, selected.value);
});

/** Expand the path of the largest rows below a row, and select its end. */
export function followHotPath(r: Report, from: number): void {
  const column = r.columns.get(shownMetric.value)!;
  const weight = r.view === "op" ? column.ownWeight : column.totalWeight;
  let row = Math.max(from, 0);
  for (;;) {
    let largest = -1;
    for (const child of r.children(row)) {
      if (weight[child]! > 0 && (largest < 0 || weight[child]! > weight[largest]!)) largest = child;
    }
    if (largest < 0 || weight[largest]! < 0.01 * column.whole) break;
    row = largest;
  }
  reveal(r, row);
}

/** The rows that are shown, in their order. */
export const visible = computed<Int32Array>(() => {
  const r = report.value;
  void changes.value;
  if (!r) return new Int32Array();
  r.sortBy(sorting.value);
  const open = expandedRows(r);
  const shown = new Int32Array(r.entry.rows);
  const stack = new Int32Array(r.entry.rows + 1);
  let count = 0;
  let top = 1; // the stack begins with the root, row 0
  while (top) {
    const row = stack[--top]!;
    shown[count++] = row;
    if (!open[row] || !r.hasChildren(row)) continue;
    const children = r.children(row);
    for (let i = children.length - 1; i >= 0; i--) stack[top++] = children[i]!;
  }
  return shown.subarray(0, count);
});

/** What the server found with a regex, for which report and regex. */
const foundByRegex = signal<{ key: string; rows: Numbers } | null>(null);
export const searching = signal(false);
export const searchProblem = signal("");
const PAUSE = 150; // milliseconds without a key before the server is asked

let searches = 0;
/** Ask the server for the rows that the regex matches; an answer that comes late is dropped. */
effect(() => {
  const source = backend.value;
  const number = ++searches;
  const [query, regex] = [asked.value, find.value];
  if (!source?.findRegex || !isRegex.value || !regex || !TREES.includes(panel.value)) {
    searching.value = false;
    searchProblem.value = "";
    return;
  }
  searching.value = true;
  const ask = async (): Promise<void> => {
    if (number !== searches) return;
    try {
      const rows = await source.findRegex!(query, regex);
      if (number !== searches) return;
      batch(() => {
        foundByRegex.value = { key: JSON.stringify([query, regex]), rows };
        searchProblem.value = "";
      });
    } catch (error) {
      if (number === searches) searchProblem.value = error instanceof Error ? error.message : String(error);
    } finally {
      if (number === searches) searching.value = false;
    }
  };
  setTimeout(() => void ask(), PAUSE);
});

/** Which rows have names with the text that is searched, or that the regex matches. */
const found = computed<Uint8Array>(() => {
  const r = report.value;
  const wanted = find.value.toLowerCase();
  if (!r || !wanted) return new Uint8Array();
  const mask = new Uint8Array(r.entry.rows);
  if (isRegex.value) {
    const answer = foundByRegex.value;
    if (answer?.key === JSON.stringify([asked.value, find.value])) for (const row of answer.rows) mask[row] = 1;
    return mask;
  }
  const ofNodes = nodes.value!.name.containing(wanted);
  const { values, index } = r.explicitNames;
  const explicit = values.containing(wanted);
  for (let row = 1; row < mask.length; row++) {
    const i = index[row]!;
    mask[row] = i < 0 ? ofNodes[r.node[row]!]! : explicit[i]!;
  }
  return mask;
});

/** The rows whose names have the text that is searched, in the order of the view. */
export const matches = computed<Int32Array>(() => {
  const mask = found.value;
  const rows = new Int32Array(mask.length);
  let count = 0;
  for (let row = 0; row < mask.length; row++) if (mask[row]) rows[count++] = row;
  return rows.subarray(0, count);
});

export const isMatch = (row: number): boolean => found.value[row] === 1;

export function nextMatch(direction: number): void {
  const rows = matches.value;
  const r = report.value;
  if (!rows.length || !r) return;
  let i = rows.findIndex((row) => row >= selected.value);
  if (i < 0) i = rows.length;
  if (direction > 0 && rows[i] === selected.value) i++;
  if (direction < 0) i--;
  reveal(r, rows[(i + rows.length) % rows.length]!);
}
