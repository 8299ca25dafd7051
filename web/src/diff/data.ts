// A diff as tfprof.outputs.diff.page writes it: rows in the order of display, and their numbers.

import { fromBase64, gunzip } from "../blocks";
import type { Scales, Unit } from "../format";

export interface Metric { name: string; title: string; unit: Unit; before: number[]; after: number[] }
export interface Total { title: string; cells: string[] }
export interface Diff {
  view: string;
  scales: Scales;
  parent: number[];
  names: string[];
  /** The names before, by row, of rows that had another one. */
  beforeNames: Record<string, string>;
  match: number[];
  matches: string[];
  metrics: Metric[];
  totals: Total[];
  notes: string[];
}

/** A diff with what the page computes once: depths, ends of subtrees and children. */
export interface Rows extends Diff { depth: Int32Array; end: Int32Array }

export async function readDiff(): Promise<Rows> {
  const text = document.getElementById("page")!.textContent!;
  const diff = JSON.parse(new TextDecoder().decode(await gunzip(fromBase64(text)))) as Diff;
  const count = diff.parent.length;
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  for (let row = 1; row < count; row++) depth[row] = depth[diff.parent[row]!]! + 1;
  for (let row = count - 1; row >= 0; row--) {
    end[row] = Math.max(end[row]!, row + 1);
    const above = diff.parent[row]!;
    if (above >= 0) end[above] = Math.max(end[above]!, end[row]!);
  }
  return { ...diff, depth, end };
}

const sorted = new Map<Metric, Map<number, number[]>>();

/** The children of a row, those that change most first. */
export function children(diff: Rows, metric: Metric, row: number): number[] {
  let known = sorted.get(metric);
  if (!known) sorted.set(metric, (known = new Map()));
  let rows = known.get(row);
  if (!rows) {
    rows = [];
    for (let child = row + 1; child < diff.end[row]!; child = diff.end[child]!) rows.push(child);
    rows.sort((a, b) => Math.abs(delta(metric, b)) - Math.abs(delta(metric, a)));
    known.set(row, rows);
  }
  return rows;
}

export const delta = (metric: Metric, row: number): number => metric.after[row]! - metric.before[row]!;

/** The part of a name that its row shows: below another scope only what is below it. */
export function label(diff: Rows, row: number): string {
  if (row === 0) return "all";
  const name = diff.names[row]!;
  const above = diff.names[diff.parent[row]!]!;
  return diff.view === "scope" && name.startsWith(`${above}/`) ? name.slice(above.length + 1) : name;
}
