// What is known of the selected row: exact numbers, neighbours, and where it was created.

import { signal, useSignalEffect } from "@preact/signals";
import { exact, format } from "./format";
import { Name } from "./names";
import type { Edge } from "./nodes";
import { backend, goTo, shownMetric, nodes, report, selected, setMetric, step } from "./state";
import { rowNumbers, type Report } from "./report";
import { reveal } from "./rows";

interface Details {
  key: string;
  shape: string | null;
  source: string | null;
  numbers: { name: string; title: string; own: string; total: string }[];
  inputs: Edge[];
  consumers: Edge[];
  members: { node: number; value: number }[];
}

const details = signal<Details | null>(null);
const FEW = 12;

async function load(r: Report, row: number): Promise<Details> {
  const { description } = backend.value!;
  const node = r.node[row]!;
  const all = nodes.value!;
  const numbers: Details["numbers"] = [];
  for (const name of Object.keys(r.entry.numbers)) {
    const known = description.metrics[name] ?? { title: name, unit: "number" as const };
    const { own, total } = await rowNumbers(backend.value!, r, name, row);
    numbers.push({ name, title: known.title, own, total });
  }
  const neighbours = node >= 0 ? await all.neighbours(node) : { inputs: [], consumers: [] };
  return {
    key: keyOf(r, row),
    shape: node >= 0 ? (await all.shapes()).at(node) : null,
    source: node >= 0 ? (await all.sources()).at(node) : null,
    numbers,
    ...neighbours,
    members: node < 0 ? await membersOf(r, row) : [],
  };
}

/** The nodes of an op type or of a line of code, the largest first. */
async function membersOf(r: Report, row: number): Promise<{ node: number; value: number }[]> {
  const all = nodes.value!;
  const ref = r.entry.numbers[shownMetric.value]?.nodes;
  const values = ref === undefined ? null : await backend.value!.blocks.integers(ref);
  const found: { node: number; value: number }[] = [];
  // Nodes have the numbers of whole steps.
  const isWindow = r.entry.arguments.some((argument) => /^-(since|until)=/.test(argument));
  if (!values || isWindow || !["op", "code"].includes(r.view) || row === 0) return found;
  const name = r.name(row);
  const position = r.position?.[row];
  for (let node = 0; node < all.name.length; node++) {
    const belongs = r.view === "op" ? all.op.at(node) === name : all.code[node] === position;
    if (belongs) found.push({ node, value: values[node]! });
  }
  return found.sort((a, b) => b.value - a.value);
}

const keyOf = (r: Report, row: number) => `${r.view}|${r.entry.preset}|${r.entry.step}|${r.entry.user}|${row}|${shownMetric.value}`;

function Neighbours({ title, edges }: { title: string; edges: Edge[] }) {
  if (!edges.length) return <p class="hint">no {title}</p>;
  return (
    <>
      <h3>{title}</h3>
      <ul class="edges">
        {edges.slice(0, FEW).map((edge, i) => (
          <li key={i}>
            {edge.node < 0 ? <i>not in the graph</i> : (
              <button class="link" onClick={() => goTo(report.value!.view === "graph" ? "graph" : "scope", { node: edge.node })}>
                <Name name={nodes.value!.name.at(edge.node)} />
              </button>
            )}
            <span class="hint">
              {" "}{edge.node >= 0 && nodes.value!.op.at(edge.node)}
              {edge.output < 0 ? " · control" : ""}
              {edge.shape && ` · ${edge.shape}`}
              {edge.bytes != null && ` · ${format(edge.bytes, "memory")}`}
            </span>
          </li>
        ))}
        {edges.length > FEW && <li class="hint">and {edges.length - FEW} more</li>}
      </ul>
    </>
  );
}

export function DetailsPanel() {
  useSignalEffect(() => {
    const r = report.value;
    const row = selected.value;
    if (!r || row < 0 || row >= r.entry.rows || !r.columns.has(shownMetric.value)) {
      details.value = null;
      return;
    }
    const key = keyOf(r, row);
    // What was clicked is drawn first.
    const frame = new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    void frame.then(() => load(r, row)).then((loaded) => {
      if (report.value && keyOf(report.value, selected.value) === key) details.value = loaded;
    });
  });
  const r = report.value;
  const d = details.value;
  const row = selected.value;
  if (!r || row < 0 || row >= r.entry.rows || !d || d.key !== keyOf(r, row)) {
    return (
      <aside class="details" aria-label="selected row">
        <p class="hint">Select a row to see its numbers, neighbours and where it was created.</p>
      </aside>
    );
  }
  const node = r.node[row]!;
  const device = node >= 0 ? nodes.value!.device[node]! : -1;
  const { metrics, steps } = backend.value!.description;
  const unit = metrics[shownMetric.value]!.unit;
  const stack = r.view === "code" ? r.lastOfPath(row, FEW) : [];
  return (
    <aside class="details" aria-label="selected row" tabIndex={0}>
      <h2 class="wrap">{row ? <Name name={r.name(row)} full /> : "all"}</h2>
      {node >= 0 && (
        <p>
          <button class="link" onClick={() => goTo("op", { name: nodes.value!.op.at(node)! })}>{nodes.value!.op.at(node)}</button>
          {d.shape && ` · ${d.shape}`}
          {device >= 0 && ` · ${backend.value!.description.devices[device]!.replace(/.*\//, "")}`}
        </p>
      )}
      <table>
        <thead><tr><th scope="col">{!steps.length ? "" : step.value < 0 ? "average of steps" : `step ${step.value}`}</th><th scope="col">{r.view === "op" ? "" : "total"}</th><th scope="col">self</th></tr></thead>
        <tbody>
          {d.numbers.filter((n) => steps.length > 0 || n.name !== "runs").map((n) => (
            <tr key={n.name} class={n.name === shownMetric.value ? "current" : ""}>
              <th scope="row">{n.name in backend.value!.description.metrics ? (
                <button class="link" onClick={() => setMetric(n.name)}>{n.title}</button>
              ) : n.title}</th>
              <td>{r.view === "op" ? "" : n.total}</td>
              <td>{r.matched[row] ? n.own : "--"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {d.source && (
        <p class="wrap">
          created at{" "}
          {nodes.value!.code[node]! >= 0 ? (
            <button class="link" onClick={() => goTo("code", { position: nodes.value!.code[node]! })}><Name name={d.source} /></button>
          ) : <Name name={d.source} />}
        </p>
      )}
      {stack.length > 0 && (
        <>
          <h3>call stack</h3>
          <ol class="edges">
            {stack.map((at) => (
              <li key={at}><button class="link" onClick={() => reveal(r, at)}><Name name={r.name(at)} /></button></li>
            ))}
          </ol>
        </>
      )}
      {node >= 0 && <Neighbours title="producers" edges={d.inputs} />}
      {node >= 0 && <p class="self"><span aria-hidden="true">▼</span><b><Name name={nodes.value!.name.at(node)} /></b></p>}
      {node >= 0 && <Neighbours title="consumers" edges={d.consumers} />}
      {d.members.length > 0 && (
        <>
          <h3>{exact(d.members.length)} {d.members.length === 1 ? "node" : "nodes"}, the largest first</h3>
          <ul class="edges">
            {d.members.slice(0, FEW).map((m) => (
              <li key={m.node}>
                {format(m.value, unit)}{" "}
                <button class="link" onClick={() => goTo("scope", { node: m.node })}><Name name={nodes.value!.name.at(m.node)} /></button>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
