// Where a page's data comes from: its own blocks, or the server that it was loaded from.

import { BlockReader, fromBase64, gunzip, type DictionaryRefs, type Numbers, type Spec, type TextRefs } from "./blocks";
import type { Scales, Unit } from "./format";

export interface CountRefs {
  exact: DictionaryRefs;
  rank: number;
  share: number;
  shown: Record<Unit, DictionaryRefs>;
}
export interface NumberRefs { nodes?: number; own?: number; total?: number; own_text?: CountRefs; total_text?: CountRefs }
export interface ReportEntry {
  preset: string;
  view: string;
  step: number;
  user: boolean;
  arguments: string[];
  /** The order of the rows, if they cannot be sorted without another report. */
  order: string;
  max_depth: number;
  rows: number;
  depth: number;
  matched: number;
  messages: string[];
  live_messages: string[];
  node: number;
  name: DictionaryRefs;
  position?: number;
  numbers: Record<string, NumberRefs>;
  /** In op view, by metric and order, the share of a row and all rows after it. */
  following?: Record<string, Record<string, TextRefs>>;
}
export interface ComparisonEntry { before: number; after: number; metric: string; table: TextRefs }
/** Texts of both steps and their difference; rows begin with a node and end with millionths of the largest difference. */
export interface Comparison {
  total: [string, string, string];
  rows: [node: number, before: string, after: string, change: string, size: number][];
  more: number;
}
export interface NodeRefs {
  count: number;
  name: TextRefs;
  op: DictionaryRefs;
  device: number;
  shape: DictionaryRefs;
  source: DictionaryRefs;
  code: number;
  edges: { consumer: number; producer: number; output: number; shape: DictionaryRefs };
  outputs: { node: number; output: number; bytes: number };
}
export interface Idle { start: number; micros: number; before: number; after: number }
export interface TimelineEntry {
  micros: number;
  start: string;
  devices: { name: string; lanes: number; summed: number; busy: number; idle: Idle[] }[];
  node: number;
  device: number;
  lane: number;
  time: number;
  duration: number;
}
export interface Ranked { name: string; value: number | string; share: number; depth: number }
export interface Evidence { name: string; op: string; device: string; source: string }
export interface Finding { severity: string; message: string; evidence: Evidence[]; impact: string; rows: string[]; nodes: number[] }
export interface Memory {
  step: number;
  device: string;
  allocator: string;
  recorded: boolean;
  node: { block: number };
  micros: { block: number };
  change: { block: number };
}
export interface SourceFile {
  file: string;
  name: string;
  complete: boolean;
  lines: { line: number; text: string; cost: number }[];
  costs: Record<string, Record<string, { own: number; total: number } | null>>;
  whole: Record<string, Record<string, number>>;
}
export interface Panels {
  overview?: {
    nodes: number;
    loaded: string;
    steps: { step: number; wall: number; busy: number; summed: number }[];
    micros: number;
    memory_peaks: { device: string; bytes: number; step: number; micros: number; estimated: boolean }[];
    params: number;
    trainable_params: number | null;
    float_ops_text: string;
    float_ops_notes: string[];
    metric: string;
    op_types: Ranked[];
    lines: Ranked[];
    missing: string[];
  };
  advice?: { checker: string; findings: Finding[]; lines: string[] }[];
  uncounted?: { count: number; summary: string; nodes: { node: number; reason: string }[] };
  memory?: Memory[];
}
export interface OptionEntry { name: string; kind: string; help: string; default: string }
export interface Description {
  version: string;
  command: string;
  views: string[];
  steps: number[];
  devices: string[];
  scales: Scales;
  metrics: Record<string, { title: string; unit: Unit }>;
  presets: { name: string; metrics: string[]; arguments: string[] }[];
  first: { view: string; step: number; order: string };
  panels: Panels;
  nodes: NodeRefs;
  reports?: ReportEntry[];
  timelines?: Record<string, TimelineEntry>;
  options?: OptionEntry[];
  sources?: SourceFile[];
  comparisons?: ComparisonEntry[];
  blocks: Spec[] | Record<number, Spec>;
}
export interface ReportQuery { preset: string; view: string; step: number; user: boolean; options: string; order: string }

export interface Backend {
  readonly live: boolean;
  readonly description: Description;
  readonly blocks: BlockReader;
  report(query: ReportQuery): Promise<ReportEntry>;
  timeline(step: number): Promise<TimelineEntry>;
  compare(before: number, after: number, metric: string): Promise<Comparison>;
  /** The rows in whose names a regex matches, which only the server knows. */
  findRegex?(query: ReportQuery, regex: string): Promise<Numbers>;
  panels(): Promise<Panels>;
  sources(): Promise<SourceFile[]>;
}

const text = (id: string): string => document.getElementById(id)!.textContent!;
const parse = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes)) as T;
const readTable = async (blocks: BlockReader, entry: ComparisonEntry): Promise<Comparison> =>
  JSON.parse((await blocks.texts(entry.table)).at(0)) as Comparison;

async function openStatic(): Promise<Backend> {
  const description = parse<Description>(await gunzip(fromBase64(text("page"))));
  const blocks = new BlockReader((ref) => gunzip(fromBase64(text(`b${ref}`))), { ...description.blocks });
  return {
    live: false,
    description,
    blocks,
    async report(query) {
      const all = description.reports!.filter(
        (r) => r.preset === query.preset && r.view === query.view && r.step === query.step,
      );
      const found = all.find((r) => r.user === query.user) ?? all[0];
      if (!found) throw new Error(`the preset '${query.preset}' has no ${query.view} view on this page`);
      return found;
    },
    timeline: (step) => Promise.resolve(description.timelines![String(step)]!),
    async compare(before, after, metric) {
      const found = description.comparisons!.find((c) => c.before === before && c.after === after && c.metric === metric);
      if (!found) throw new Error("this page does not compare these steps; tfprof ui compares any two");
      return readTable(blocks, found);
    },
    panels: () => Promise.resolve(description.panels),
    sources: () => Promise.resolve(description.sources ?? []),
  };
}

const TOKEN = "tfprof token";

/** The token comes in the fragment, which is sent to no server, and is kept for reloads. */
function takeToken(): string {
  const given = /^#token=([\w-]+)/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(TOKEN, given[1]!);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

async function openLive(): Promise<Backend> {
  const token = takeToken();
  const get = async (path: string): Promise<Uint8Array> => {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(new TextDecoder().decode(bytes) || answer.statusText);
    return bytes;
  };
  const ask = async <T extends object>(path: string, query: Record<string, string> = {}): Promise<T> => {
    const answer = parse<T & { specs: Record<number, Spec> }>(await get(`/api/${path}?${new URLSearchParams(query)}`));
    blocks.addSpecs(answer.specs);
    return answer;
  };
  const blocks = new BlockReader((ref) => get(`/api/block/${ref}`), {});
  const description = await ask<Description>("page");
  const asked = (query: ReportQuery) => ({ ...query, step: String(query.step), user: String(query.user) });
  return {
    live: true,
    description,
    blocks,
    report: (query) => ask("report", asked(query)),
    timeline: (step) => ask("timeline", { step: String(step) }),
    compare: async (before, after, metric) =>
      readTable(blocks, await ask("compare", { before: String(before), after: String(after), metric })),
    findRegex: async (query, regex) => blocks.integers((await ask<{ rows: number }>("find", { ...asked(query), regex })).rows),
    panels: () => ask("panels"),
    sources: async () => (await ask<{ sources: SourceFile[] }>("sources")).sources,
  };
}

export const openBackend = (): Promise<Backend> =>
  document.getElementById("page") ? openStatic() : openLive();
