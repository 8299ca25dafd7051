// The first panel: how long steps take, what they hold, and where to look.

import type { Finding, Ranked } from "./backend";
import { exact, format, percent, type Unit } from "./format";
import { Name, readable } from "./names";
import { backend, canCompare, compared, goTo, nodes, panels, setMetric, show, step, timePoint, timeWindow } from "./state";

function Bars({ title, rows, unit, go, note }: { title: string; rows: Ranked[]; unit: Unit; go(row: Ranked): void; note: string }) {
  if (!rows.length) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="bars">
        {rows.map((row) => (
          <li key={row.name}>
            <button onClick={() => go(row)} title={`${note}: ${readable(row.name)}`}>
              <span class="value">{typeof row.value === "number" ? format(row.value, unit) : row.value}</span>
              <span class="percent">{percent(row.share, 1)}</span>
              <span class="track"><span class="bar" style={{ width: `${100 * row.share}%` }} /></span>
              <span class="label"><Name name={row.name} /></span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Show the row that a piece of evidence is about: of a node or of an op type. */
function follow(node: number, name: string): (() => void) | null {
  if (node >= 0) return () => goTo("scope", { node });
  if (nodes.value!.isOpType(name)) return () => goTo("op", { name });
  return null;
}

function Advice({ checker, finding }: { checker: string; finding: Finding }) {
  return (
    <li class={finding.severity}>
      <p><b>{checker}</b>{finding.impact && <span class="impact">{finding.impact}</span>}</p>
      <p class="wrap pre">{readable(finding.message.split("\n")[0]!)}</p>
      <ul class="edges">
        {finding.evidence.slice(0, 5).map((row, i) => {
          const go = follow(finding.nodes[i]!, row.name);
          return (
            <li key={i} class="wrap">
              {go ? <button class="link" onClick={go}>{readable(finding.rows[i]!)}</button> : readable(finding.rows[i]!)}
            </li>
          );
        })}
      </ul>
    </li>
  );
}

/** Checkers without findings, by why they have none. */
function groupByLine(results: { checker: string; lines: string[] }[]): [line: string, checkers: string[]][] {
  const groups = new Map<string, string[]>();
  for (const { checker, lines } of results) {
    const line = readable(lines[0] ?? "no findings");
    groups.set(line, [...(groups.get(line) ?? []), checker]);
  }
  return [...groups];
}

export function Overview() {
  const { overview: o, advice, uncounted } = panels.value;
  if (!o) return <p class="hint page">reading the overview…</p>;
  const { description } = backend.value!;
  const unit = description.metrics[o.metric]?.unit ?? "number";
  const longest = Math.max(1, ...o.steps.map((s) => s.wall));
  const peak = [...o.memory_peaks].sort((a, b) => b.bytes - a.bytes)[0];
  const [slowest, ...faster] = [...o.steps].sort((a, b) => b.wall - a.wall);
  const other = faster.reverse().find((s) => canCompare(s.step, slowest!.step));
  return (
    <main class="overview page" id="main">
      <p class="loaded">{o.loaded}</p>
      <div class="cards">
        {o.steps.length > 0 && (
          <section class="card">
            <h2>Steps</h2>
            <table>
              <thead><tr><th scope="col">step</th><th scope="col">wall</th><th scope="col">busy</th><th scope="col">summed</th><th scope="col" class="wide"><span class="hidden">length</span></th></tr></thead>
              <tbody>
                {o.steps.map((s) => (
                  <tr key={s.step}>
                    <th scope="row"><button class="link" onClick={() => { step.value = s.step; show("timeline"); }}>step {s.step}</button></th>
                    <td>{format(s.wall, "time")}</td>
                    <td>{format(s.busy, "time")}</td>
                    <td>{format(s.summed, "time")}</td>
                    <td class="wide"><span class="track"><span class="bar" style={{ width: `${(100 * s.wall) / longest}%` }} /></span></td>
                  </tr>
                ))}
              </tbody>
            </table>
            {other && (
              <p><button class="link" onClick={() => { compared.value = [other.step, slowest!.step]; show("compare"); }}>
                compare step {slowest!.step} with step {other.step}
              </button></p>
            )}
            <p class="hint">wall: first start to last end; busy: something runs; summed: time of all ops</p>
          </section>
        )}
        <section class="card">
          <h2>Size</h2>
          <dl>
            {peak && (
              <>
                <dt>memory peak</dt>
                <dd>
                  <button class="link" onClick={() => { step.value = peak.step; timePoint.value = peak.micros; timeWindow.value = null; show("timeline"); }}>
                    {format(peak.bytes, "memory")}
                  </button>{" "}
                  {peak.estimated ? "(estimate) " : ""}on {peak.device.replace(/.*\//, "")}, {format(peak.micros, "time")} into step {peak.step}
                </dd>
              </>
            )}
            <dt>parameters</dt>
            <dd>
              <button class="link" onClick={() => { setMetric("params"); show("scope"); }}>{exact(o.params)}</button>
              {o.trainable_params != null && `, ${exact(o.trainable_params)} of them trainable`}
            </dd>
            <dt>float operations</dt>
            <dd>
              <button class="link" onClick={() => { setMetric("float_ops"); show("op"); }}>{o.float_ops_text}</button>
              {o.steps.length ? " per step" : ""}
              {o.float_ops_notes.map((note) => <div key={note} class="hint">{note}</div>)}
              {uncounted && uncounted.count > 0 && (
                <details>
                  <summary>{exact(uncounted.count)} nodes are not counted</summary>
                  <ul class="edges">
                    {uncounted.nodes.map((u) => (
                      <li key={u.node}>
                        <button class="link" onClick={() => goTo("scope", { node: u.node }, { metric: "float_ops" })}><Name name={nodes.value!.name.at(u.node)} /></button>
                        <span class="hint"> {nodes.value!.op.at(u.node)}: {u.reason}</span>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </dd>
            {description.devices.length > 0 && (
              <>
                <dt>devices</dt>
                <dd>{description.devices.map((d) => <div key={d}><Name name={d.replace(/.*\//, "")} /></div>)}</dd>
              </>
            )}
            {o.missing.length > 0 && <><dt>not loaded</dt><dd>{o.missing.map((m) => <div key={m}>{m}</div>)}</dd></>}
          </dl>
        </section>
        <Bars title="Op types" rows={o.op_types} unit={unit} note="show in op view" go={(row) => goTo("op", { name: row.name }, { metric: o.metric })} />
        <Bars title="Lines of my code" rows={o.lines} unit={unit} note="show in code view" go={(row) => {
          const at = /^(.*?):(\d+) /.exec(row.name);
          if (at) goTo("code", { line: `${at[1]}:${at[2]}:` }, { metric: o.metric });
        }} />
      </div>
      {advice && (
        <section class="card advice">
          <h2>Advice</h2>
          <ul>
            {advice.flatMap((a) => a.findings.map((finding, i) => <Advice key={a.checker + i} checker={a.checker} finding={finding} />))}
          </ul>
          {groupByLine(advice.filter((a) => !a.findings.length)).map(([line, names]) => <p class="hint" key={line}>{names.join(", ")}: {line}</p>)}
        </section>
      )}
    </main>
  );
}
