// What differs between two steps: nodes by the difference of their own numbers, as Python made the table.

import { signal, useSignalEffect } from "@preact/signals";
import type { Comparison } from "./backend";
import { exact } from "./format";
import { Name } from "./names";
import { backend, canCompare, compared, comparedSteps, goTo, metric, nodes } from "./state";

interface Loaded { key: string; table: Comparison | null; problem: string }
const loaded = signal<Loaded | null>(null);

/** The steps that a step can be compared with. */
const others = (side: "before" | "after", of: number): number[] =>
  backend.value!.description.steps.filter((s) => (side === "before" ? canCompare(s, of) : canCompare(of, s)));

function Table({ table, before, after }: { table: Comparison; before: number; after: number }) {
  if (!table.rows.length) return <p class="hint">No node differs: both steps have {table.total[0]}.</p>;
  return (
    <>
      <table class="diff">
        <thead><tr><th scope="col">node</th><th scope="col">op type</th><th scope="col">step {before}</th><th scope="col">step {after}</th><th scope="col">difference</th><th scope="col" class="wide"><span class="hidden">size</span></th></tr></thead>
        <tbody>
          <tr class="current"><th scope="row">all nodes</th><td />{table.total.map((text, i) => <td key={i}>{text}</td>)}<td class="wide" /></tr>
          {table.rows.map(([node, ...cells]) => {
            const size = cells.pop() as number;
            return (
              <tr key={node}>
                <th scope="row" class="name"><button class="link" onClick={() => goTo("scope", { node })}><Name name={nodes.value!.name.at(node)} /></button></th>
                <td class="name">{nodes.value!.op.at(node)}</td>
                {cells.map((text, i) => <td key={i}>{text}</td>)}
                <td class="wide"><span class="track"><span class={size < 0 ? "bar less" : "bar"} style={{ width: `${Math.abs(size) / 1e4}%` }} /></span></td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {table.more > 0 && <p class="hint">and {exact(table.more)} more nodes with smaller differences</p>}
    </>
  );
}

export function Compare() {
  const { steps, metrics } = backend.value!.description;
  const [before, after] = comparedSteps.value;
  const key = `${before}|${after}|${metric.value}`;
  useSignalEffect(() => {
    const [from, to] = comparedSteps.value;
    const wanted = `${from}|${to}|${metric.value}`;
    const done = (table: Comparison | null, problem = ""): void => {
      const now = `${comparedSteps.value.join("|")}|${metric.value}`;
      if (now === wanted) loaded.value = { key: wanted, table, problem };
    };
    backend.value!.compare(from, to, metric.value).then(done, (error: Error) => done(null, error.message));
  });
  if (steps.length < 2) return <p class="hint page">There are not two steps to compare.</p>;
  const data = loaded.value?.key === key ? loaded.value : null;
  const choose = (side: "before" | "after") => (event: Event) => {
    const value = Number((event.target as HTMLSelectElement).value);
    compared.value = side === "before" ? [value, after] : [before, value];
  };
  return (
    <main class="page compare" id="main">
      <p class="tools">
        {(["before", "after"] as const).map((side) => (
          <label key={side}>{side === "before" ? "from step" : "to step"}{" "}
            <select value={String(side === "before" ? before : after)} onChange={choose(side)}>
              {others(side, side === "before" ? after : before).map((s) => <option key={s} value={String(s)}>{s}</option>)}
            </select>
          </label>
        ))}
        <button onClick={() => { compared.value = [after, before]; }} disabled={!canCompare(after, before)}>swap</button>
        <span class="hint">{metrics[metric.value]!.title} of each node, largest difference first</span>
      </p>
      {!data && <p class="hint">comparing…</p>}
      {data?.problem && <p class="problem" role="alert">{data.problem}</p>}
      {data?.table && <Table table={data.table} before={before} after={after} />}
    </main>
  );
}
