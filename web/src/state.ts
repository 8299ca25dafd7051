// What the page shows: signals, all of which are in the URL, and what is loaded for them.

import { batch, computed, effect, signal } from "@preact/signals";
import type { Backend, Panels, ReportEntry, ReportQuery, SourceFile, TimelineEntry } from "./backend";
import { Nodes } from "./nodes";
import { loadColumn, loadReport, type Report } from "./report";

export const TREES = ["code", "op", "scope", "graph"];
const COUNTS = ["runs", "definitions"];

export const panel = signal("overview");
export const preset = signal("");
export const metric = signal("");
export const step = signal(-1);
export const order = signal("");
export const userOnly = signal(false);
export const selected = signal(-1);
export const zoomed = signal(0);
export const find = signal("");
export const isRegex = signal(false);
export const timeWindow = signal<[number, number] | null>(null);
export const timePoint = signal(-1);
export const compared = signal<[number, number] | null>(null);
export const sourceFile = signal("");
export const options = signal("");

export const backend = signal<Backend | null>(null);
export const nodes = signal<Nodes | null>(null);
export const panels = signal<Panels>({});
export const sources = signal<SourceFile[]>([]);
export const report = signal<Report | null>(null);
export const timeline = signal<TimelineEntry | null>(null);
export const busy = signal("");
export const problem = signal("");

/** The metric of the rows that are shown; `metric` may still be loading. */
export const shownMetric = signal("");
export const unit = computed(() => backend.value?.description.metrics[shownMetric.value]?.unit ?? "number");
/** The unit of `metric`, for panels that load numbers by themselves. */
export const askedUnit = computed(() => backend.value?.description.metrics[metric.value]?.unit ?? "number");
/** Which tree is shown, or was shown last. */
export const view = signal("scope");
/** The step whose timeline is shown: with the average of all steps, the first one. */
export const shownStep = computed(() => {
  const steps = backend.value?.description.steps ?? [];
  return step.value < 0 ? (steps[0] ?? -1) : step.value;
});

/** The value of `-order_by` that is asked for. */
export const orderBy = computed(() => ({ "": metric.value, view: "depth" })[order.value] ?? order.value);
/** How siblings are sorted: as asked, or not at all where Python has done it. */
export const sorting = computed(() => (report.value?.entry.order ? "view" : order.value || shownMetric.value));

/** Whether two steps can be compared: `tfprof ui` compares any, a page those that it has tables of. */
export function canCompare(before: number, after: number): boolean {
  const { comparisons } = backend.value!.description;
  return before !== after && (!comparisons || comparisons.some((c) => c.before === before && c.after === after));
}

/** The steps that are compared: as asked, else the first two. */
export const comparedSteps = computed<[number, number]>(() => {
  const { steps, comparisons } = backend.value!.description;
  const first = comparisons?.[0];
  return compared.value ?? (first ? [first.before, first.after] : [steps[0] ?? -1, steps[1] ?? -1]);
});

interface Field { name: string; read(): string; write(text: string): void }
const text = (name: string, s: { value: string }): Field => ({
  name, read: () => s.value, write: (given) => { s.value = given; },
});
const integer = (name: string, s: { value: number }, none: number): Field => ({
  name,
  read: () => (s.value === none ? "" : String(s.value)),
  write: (given) => { s.value = /^-?\d+$/.test(given) ? Number(given) : none; },
});
const pair = (name: string, s: { value: [number, number] | null }): Field => ({
  name,
  read: () => (s.value ? s.value.join("~") : ""),
  write: (given) => {
    const parts = given.split("~").map(Number);
    s.value = given && parts.length === 2 && parts.every(Number.isFinite) ? [parts[0]!, parts[1]!] : null;
  },
});

const FIELDS: Field[] = [
  text("show", panel),
  text("preset", preset),
  text("metric", metric),
  integer("step", step, -1),
  text("order", order),
  { name: "mine", read: () => (userOnly.value ? "1" : ""), write: (given) => { userOnly.value = given === "1"; } },
  text("options", options),
  integer("row", selected, -1),
  integer("zoom", zoomed, 0),
  text("find", find),
  { name: "regex", read: () => (isRegex.value ? "1" : ""), write: (given) => { isRegex.value = given === "1"; } },
  pair("time", timeWindow),
  integer("at", timePoint, -1),
  pair("compare", compared),
  text("file", sourceFile),
];
// Changes of these do not make an entry in the history: they come with every key or move.
let replaceNext = false;
const QUIET = new Set(["find", "at", "time"]);
// A pointer moves more often than browsers let an address change.
const PAUSE = 150;
let pause = 0;

function readUrl(defaults: Record<string, string>): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const description = backend.value!.description;
  batch(() => {
    for (const field of FIELDS) field.write(given.get(field.name) ?? defaults[field.name] ?? "");
    const known = description.presets.find((p) => p.name === preset.value) ?? description.presets[0]!;
    preset.value = known.name;
    if (!known.metrics.includes(metric.value)) metric.value = known.metrics[0]!;
    if (step.value !== -1 && !description.steps.includes(step.value)) step.value = -1;
    if (description.views.includes(panel.value)) view.value = panel.value;
  });
}

function writeUrl(defaults: Record<string, string>): void {
  const given = new URLSearchParams();
  for (const field of FIELDS) {
    const value = field.read();
    if (value !== (defaults[field.name] ?? "")) given.set(field.name, value);
  }
  const hash = given.size ? `#${given}` : "";
  if (hash === location.hash) return;
  const before = new URLSearchParams(location.hash.slice(1));
  const loud = FIELDS.some((f) => !QUIET.has(f.name) && (before.get(f.name) ?? "") !== (given.get(f.name) ?? ""));
  const url = location.pathname + location.search + hash;
  clearTimeout(pause);
  const moved = FIELDS.filter((f) => (before.get(f.name) ?? "") !== (given.get(f.name) ?? ""));
  if (moved.every((f) => f.name === "at")) pause = setTimeout(() => history.replaceState(null, "", url), PAUSE);
  else if (loud && !replaceNext) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  replaceNext = false;
}

export const arguments_ = computed(() => report.value?.entry.arguments ?? []);

/** The report that is asked for. */
export const asked = computed<ReportQuery>(() => ({
  preset: preset.value,
  view: view.value,
  step: step.value,
  user: userOnly.value && view.value === "code",
  options: options.value,
  // Which rows op view shows may depend on their order.
  order: options.value && view.value === "op" ? orderBy.value : "",
}));

let loads = 0;
const MAX_REPORTS = 12;
const reports = new Map<string, Promise<Report>>();

/** A report, which is kept until others have been asked for. */
function cachedReport(source: Backend, query: ReportQuery): Promise<Report> {
  const key = JSON.stringify(query);
  const found = reports.get(key) ??
    source.report(query).then((entry: ReportEntry) => loadReport(source, entry, nodes.value!.name));
  reports.delete(key);
  reports.set(key, found);
  found.catch(() => reports.delete(key));
  if (reports.size > MAX_REPORTS) reports.delete(reports.keys().next().value!);
  return found;
}

/** Load the report that is asked for; an answer that another request has overtaken is dropped. */
async function showReport(query: ReportQuery, wanted: string): Promise<void> {
  const number = ++loads;
  const source = backend.value!;
  busy.value = "making the report";
  try {
    const loaded = await cachedReport(source, query);
    const sorted = order.value in loaded.entry.numbers ? [order.value] : [];
    await Promise.all([wanted, ...sorted, ...COUNTS].map((name) => loadColumn(source, loaded, name)));
    if (number !== loads) return;
    batch(() => {
      problem.value = "";
      report.value = loaded;
      shownMetric.value = wanted;
      if (target) {
        selected.value = rowOf(loaded, target);
        target = null;
        replaceNext = true;
      }
      if (selected.value >= loaded.entry.rows) selected.value = -1;
      if (zoomed.value >= loaded.entry.rows) zoomed.value = 0;
    });
  } catch (error) {
    if (number === loads) problem.value = error instanceof Error ? error.message : String(error);
  } finally {
    if (number === loads) busy.value = "";
  }
}

let target: { node: number } | { position: number } | { name: string } | { line: string } | null = null;

function rowOfNode(loaded: Report, node: number): number {
  if (loaded.view === "op") return rowOf(loaded, { name: nodes.value!.op.at(node) ?? "" });
  if (loaded.view === "code") return loaded.rowOfPosition(nodes.value!.code[node]!);
  return loaded.rowOfNode(node);
}

function rowOf(loaded: Report, wanted: NonNullable<typeof target>): number {
  if ("node" in wanted) return rowOfNode(loaded, wanted.node);
  if ("position" in wanted) return loaded.rowOfPosition(wanted.position);
  if ("name" in wanted) {
    for (let row = 0; row < loaded.entry.rows; row++) if (loaded.name(row) === wanted.name) return row;
    return -1;
  }
  // Of the rows of a line, the one with the largest total.
  const weight = loaded.columns.get(shownMetric.value)!.totalWeight;
  let found = -1;
  for (let row = 0; row < loaded.entry.rows; row++) {
    if (loaded.name(row).startsWith(wanted.line) && (found < 0 || weight[row]! > weight[found]!)) found = row;
  }
  return found;
}

/** Show a row of a view: of a node, of a line of code, or of a name. */
export function goTo(to: string, wanted: NonNullable<typeof target>, extra: { metric?: string } = {}): void {
  batch(() => {
    if (extra.metric) setMetric(extra.metric);
    if ("position" in wanted) userOnly.value = false;
    if ("line" in wanted) userOnly.value = true;
    target = wanted;
    show(to);
    const entry = report.value?.entry;
    const isShown = entry?.view === to && entry.preset === preset.value && entry.step === step.value;
    if (!isShown || (to === "code" && entry.user !== userOnly.value)) return;
    selected.value = rowOf(report.value!, wanted);
    zoomed.value = 0;
    target = null;
  });
}

/** Show a panel. In another tree, the node that was selected stays selected. */
export function show(to: string): void {
  batch(() => {
    panel.value = to;
    if (!TREES.includes(to)) return;
    const old = report.value;
    if (old && old.view !== to) {
      const node = selected.value >= 0 ? old.node[selected.value]! : -1;
      if (!target && node >= 0) target = { node };
      selected.value = -1;
      zoomed.value = 0;
    }
    view.value = to;
  });
}

/** Show a metric, with the preset that has it. */
export function setMetric(name: string, of?: string): void {
  const description = backend.value!.description;
  const current = description.presets.find((p) => p.name === (of ?? preset.value));
  const found = current?.metrics.includes(name) ? current : description.presets.find((p) => p.metrics.includes(name));
  batch(() => {
    if (found && found.name !== preset.value) {
      preset.value = found.name;
      selected.value = -1;
      zoomed.value = 0;
    }
    metric.value = name;
  });
}

export async function start(source: Backend): Promise<void> {
  backend.value = source;
  const { first, views, presets } = source.description;
  const defaults: Record<string, string> = {
    show: first.view || "overview",
    preset: presets[0]!.name,
    metric: presets[0]!.metrics[0]!,
    order: first.order,
    step: first.view && first.step >= 0 ? String(first.step) : "",
  };
  view.value = first.view || (views.includes("code") ? "code" : "scope");
  readUrl(defaults);
  nodes.value = await Nodes.load(source);
  addEventListener("popstate", () => readUrl(defaults));
  addEventListener("hashchange", () => readUrl(defaults));
  effect(() => writeUrl(defaults));
  effect(() => {
    // A report that is not looked at waits for the overview.
    const isWanted = TREES.includes(panel.value) || panels.value.overview;
    if (isWanted) void showReport(asked.value, metric.value);
  });
  effect(() => {
    if (!["timeline"].includes(panel.value) || shownStep.value < 0) return;
    void source.timeline(shownStep.value).then((entry) => { timeline.value = entry; });
  });
  // The server makes one answer after the other: what is looked at first comes first.
  void source.panels().then(async (loaded) => {
    panels.value = loaded;
    sources.value = await source.sources();
  });
}
