// A report as arrays: its tree, its names and its numbers, all of which Python made.

import type { Backend, CountRefs, NumberRefs, ReportEntry } from "./backend";
import type { Dictionary, Numbers, Texts } from "./blocks";
import { exact, format, type Unit } from "./format";

/** Own and total numbers of a metric, as numbers and as texts. */
export interface Column {
  /** What rows are sorted by. */
  own: Numbers;
  total: Numbers;
  /** What shares are computed from; `whole` is the weight of everything. */
  ownWeight: Numbers;
  totalWeight: Numbers;
  whole: number;
  ownText(row: number, unit: Unit): string;
  totalText(row: number, unit: Unit): string;
  ownExact(row: number): string;
  totalExact(row: number): string;
}

export class Report {
  readonly parent: Int32Array;
  readonly end: Int32Array;
  readonly levels: number;
  readonly columns = new Map<string, Column>();
  /** In op view, by metric and order, the texts of the shares of rows and all rows after them. */
  readonly following = new Map<string, Record<string, Texts>>();
  /** Of each row, where its children begin in `childRows`, and for which order they are sorted there. */
  private readonly firstChild: Int32Array;
  private readonly childRows: Int32Array;
  private readonly sortedFor: Int32Array;
  private sort = "";
  private sorts = 1;
  private rowsOfNodes?: Int32Array;
  private rowsOfPositions?: Map<number, number>;

  constructor(
    readonly entry: ReportEntry,
    readonly depth: Numbers,
    readonly matched: Numbers,
    readonly node: Numbers,
    readonly explicitNames: Dictionary,
    private readonly nodeNames: Texts,
    readonly position: Numbers | null,
  ) {
    const count = entry.rows;
    this.parent = new Int32Array(count).fill(-1);
    this.end = new Int32Array(count);
    let deepest = 0;
    for (let i = 0; i < count; i++) deepest = Math.max(deepest, depth[i]!);
    this.levels = deepest + 1;
    const open = new Int32Array(deepest + 2).fill(-1);
    let last = -1;
    for (let i = 0; i < count; i++) {
      const d = depth[i]!;
      for (let level = last; level >= d; level--) this.end[open[level]!] = i;
      open[d] = i;
      if (d) this.parent[i] = open[d - 1]!;
      last = d;
    }
    for (let level = last; level >= 0; level--) this.end[open[level]!] = count;
    this.firstChild = new Int32Array(count + 1);
    for (let i = 1; i < count; i++) this.firstChild[this.parent[i]! + 1]!++;
    for (let i = 0; i < count; i++) this.firstChild[i + 1]! += this.firstChild[i]!;
    this.childRows = new Int32Array(Math.max(count - 1, 0));
    this.sortedFor = new Int32Array(count);
  }

  get view(): string {
    return this.entry.view;
  }

  name(row: number): string {
    return this.explicitNames.at(row) ?? this.nodeNames.at(this.node[row]!);
  }

  /** The last part of a name where the rows above show the rest. */
  label(row: number): string {
    const name = this.name(row);
    const parent = this.parent[row]!;
    if (this.view !== "scope" || parent <= 0) return name;
    const above = this.name(parent) + "/";
    return name.startsWith(above) ? name.slice(above.length) : name;
  }

  hasChildren(row: number): boolean {
    return this.end[row]! > row + 1;
  }

  /** Sort siblings: by `name`, by `view` order, or by a metric, the largest first. */
  sortBy(order: string): void {
    if (order === this.sort) return;
    this.sort = order;
    this.sorts++;
  }

  /** The children of a row, sorted when they are first asked for. */
  children(row: number): Int32Array {
    const children = this.childRows.subarray(this.firstChild[row], this.firstChild[row + 1]);
    if (this.sortedFor[row] === this.sorts) return children;
    this.sortedFor[row] = this.sorts;
    let at = 0;
    for (let child = row + 1; child < this.end[row]!; child = this.end[child]!) children[at++] = child;
    if (at < 2) return children;
    const column = this.columns.get(this.sort);
    if (column) {
      const key = this.view === "op" ? column.own : column.total;
      children.sort((a, b) => key[b]! - key[a]! || a - b);
    } else if (this.sort === "name") {
      this.sortByName(children);
    }
    return children;
  }

  /** Sort rows by name, and rows of the same name by their position. */
  private sortByName(rows: Int32Array): void {
    const names = Array.from(rows, (row) => this.name(row));
    const order = Int32Array.from(rows.keys());
    if (names.some((name) => SURROGATE.test(name))) {
      const points = names.map(codePoints);
      order.sort((a, b) => comparePoints(points[a]!, points[b]!) || a - b);
    } else {
      order.sort((a, b) => (names[a]! < names[b]! ? -1 : names[a]! > names[b]! ? 1 : a - b));
    }
    rows.set(order.map((i) => rows[i]!));
  }

  /** A row and those above it, without the root; only the last ones, as a path may have any length. */
  lastOfPath(row: number, count: number): number[] {
    const rows: number[] = [];
    for (let at = row; at > 0 && rows.length < count; at = this.parent[at]!) rows.push(at);
    return rows.reverse();
  }

  rowOfNode(node: number): number {
    if (!this.rowsOfNodes) {
      this.rowsOfNodes = new Int32Array(Math.max(this.nodeNames.length, 1)).fill(-1);
      for (let row = 0; row < this.node.length; row++) {
        if (this.node[row]! >= 0) this.rowsOfNodes[this.node[row]!] = row;
      }
    }
    return this.rowsOfNodes[node] ?? -1;
  }

  rowOfPosition(position: number): number {
    if (!this.rowsOfPositions) {
      this.rowsOfPositions = new Map();
      this.position?.forEach((at, row) => this.rowsOfPositions!.set(at, row));
    }
    return this.rowsOfPositions.get(position) ?? -1;
  }
}

// The order of code points is that of UTF-8 bytes, by which Python sorts; without surrogates it is that of strings.
const SURROGATE = /[\ud800-\udfff]/;
const codePoints = (name: string): number[] => Array.from(name, (c) => c.codePointAt(0)!);

function comparePoints(left: number[], right: number[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  }
  return left.length - right.length;
}

export async function loadReport(backend: Backend, entry: ReportEntry, nodeNames: Texts): Promise<Report> {
  const { blocks } = backend;
  const [depth, matched, node, names, position] = await Promise.all([
    blocks.integers(entry.depth),
    blocks.integers(entry.matched),
    blocks.integers(entry.node),
    blocks.dictionary(entry.name),
    entry.position === undefined ? null : blocks.integers(entry.position),
  ]);
  return new Report(entry, depth, matched, node, names, nodeNames, position);
}

/** The numbers of a metric, restored from what Python left out because it can be derived. */
export async function loadColumn(backend: Backend, report: Report, metric: string): Promise<void> {
  if (report.columns.has(metric)) return;
  const refs = report.entry.numbers[metric]!;
  const column = refs.own_text ? await textColumn(backend, refs) : await numberColumn(backend, report, metric);
  await loadFollowing(backend, report, metric);
  report.columns.set(metric, column);
}

async function loadFollowing(backend: Backend, report: Report, metric: string): Promise<void> {
  const byOrder = report.entry.following?.[metric];
  if (!byOrder) return;
  const texts = await Promise.all(
    Object.entries(byOrder).map(async ([order, refs]) => [order, await backend.blocks.texts(refs)] as const),
  );
  report.following.set(metric, Object.fromEntries(texts));
}

async function numberColumn(backend: Backend, report: Report, metric: string): Promise<Column> {
  const { ownRest, totalRest, nodes } = await numberBlocks(backend, report, metric);
  const count = report.entry.rows;
  const own = new Float64Array(count);
  const sums = new Float64Array(count + 1);
  for (let row = 0; row < count; row++) {
    const node = report.node[row]!;
    own[row] = ownRest[row]! + (node >= 0 ? nodes[node]! : 0);
    sums[row + 1] = sums[row]! + (report.matched[row] ? own[row]! : 0);
  }
  const total = new Float64Array(count);
  for (let row = 0; row < count; row++) total[row] = sums[report.end[row]!]! - sums[row]! + totalRest[row]!;
  return {
    own,
    total,
    ownWeight: own,
    totalWeight: total,
    whole: total[0] ?? 0,
    ownText: (row, unit) => (report.matched[row] ? format(own[row]!, unit) : "--"),
    totalText: (row, unit) => format(total[row]!, unit),
    ownExact: (row) => exact(own[row]!),
    totalExact: (row) => exact(total[row]!),
  };
}

/** The exact numbers of one row, without those of all others. */
export async function rowNumbers(
  backend: Backend, report: Report, metric: string, row: number,
): Promise<{ own: string; total: string }> {
  const refs = report.entry.numbers[metric]!;
  if (refs.own_text || report.columns.has(metric)) {
    await loadColumn(backend, report, metric);
    const column = report.columns.get(metric)!;
    return { own: column.ownExact(row), total: column.totalExact(row) };
  }
  const { ownRest, totalRest, nodes } = await numberBlocks(backend, report, metric);
  const own = (at: number) => ownRest[at]! + (report.node[at]! >= 0 ? nodes[report.node[at]!]! : 0);
  let total = totalRest[row]!;
  for (let at = row; at < report.end[row]!; at++) if (report.matched[at]) total += own(at);
  return { own: exact(own(row)), total: exact(total) };
}

async function numberBlocks(
  { blocks }: Backend, report: Report, metric: string,
): Promise<{ ownRest: Numbers; totalRest: Numbers; nodes: Numbers }> {
  const refs = report.entry.numbers[metric]!;
  const [ownRest, totalRest, nodes] = await Promise.all([
    blocks.integers(refs.own!),
    blocks.integers(refs.total!),
    blocks.integers(refs.nodes!),
  ]);
  return { ownRest, totalRest, nodes };
}

async function textColumn(backend: Backend, refs: NumberRefs): Promise<Column> {
  const load = async (counts: CountRefs) => ({
    exact: await backend.blocks.dictionary(counts.exact),
    rank: await backend.blocks.integers(counts.rank),
    share: await backend.blocks.integers(counts.share),
    shown: Object.fromEntries(
      await Promise.all(
        Object.entries(counts.shown).map(async ([unit, shown]) => [unit, await backend.blocks.dictionary(shown)]),
      ),
    ) as Record<Unit, Dictionary>,
  });
  const [own, total] = await Promise.all([load(refs.own_text!), load(refs.total_text!)]);
  return {
    own: own.rank,
    total: total.rank,
    ownWeight: own.share,
    totalWeight: total.share,
    whole: 1e6,
    ownText: (row, unit) => own.shown[unit].at(row)!,
    totalText: (row, unit) => total.shown[unit].at(row)!,
    ownExact: (row) => own.exact.at(row)!,
    totalExact: (row) => total.exact.at(row)!,
  };
}
