// The user's source with what each line costs in the margin.

import { signal, useSignalEffect } from "@preact/signals";
import type { Numbers } from "./blocks";
import { format, percent } from "./format";
import { backend, goTo, metric, sourceFile, sources, step, askedUnit } from "./state";

interface Cost { key: string; own: Numbers; total: Numbers }
const cost = signal<Cost | null>(null);

export function Source() {
  const files = sources.value;
  const file = files.find((f) => f.file === sourceFile.value) ?? files[0];
  const key = file ? `${file.file}|${metric.value}|${step.value}` : "";
  useSignalEffect(() => {
    const chosen = sources.value.find((f) => f.file === sourceFile.value) ?? sources.value[0];
    const refs = chosen?.costs[metric.value]?.[String(step.value)];
    const wanted = chosen ? `${chosen.file}|${metric.value}|${step.value}` : "";
    if (!refs) return;
    const { blocks } = backend.value!;
    void Promise.all([blocks.integers(refs.own), blocks.integers(refs.total)]).then(([own, total]) => {
      cost.value = { key: wanted, own, total };
    });
  });
  if (!file) return <p class="hint page">reading the source…</p>;
  const shown = cost.value?.key === key ? cost.value : null;
  const whole = shown ? Math.max(1, file.whole[metric.value]?.[String(step.value)] ?? 1) : 1;
  let before = 0;
  return (
    <main class="page source" id="main">
      <p class="tools">
        <label>file{" "}
          <select value={file.file} onChange={(event: Event) => { sourceFile.value = (event.target as HTMLSelectElement).value; }}>
            {files.map((f) => <option key={f.file} value={f.file}>{f.file}</option>)}
          </select>
        </label>
        <span class="hint">{file.complete ? "" : "lines that the op log has; "}self: ops that the line creates, also through a library; total: with all that your functions below it create</span>
      </p>
      <table class="code">
        <thead><tr><th scope="col">total</th><th scope="col">share</th><th scope="col">self</th><th scope="col">line</th><th scope="col" class="name">source</th></tr></thead>
        <tbody>
          {file.lines.map((line, i) => {
            const skipped = line.line > before + 1 && i > 0;
            before = line.line;
            const total = line.cost < 0 || !shown ? 0 : shown.total[line.cost]!;
            const own = line.cost < 0 || !shown ? 0 : shown.own[line.cost]!;
            return (
              <>
                {skipped && <tr key={`s${i}`} class="skip"><td colSpan={5}>⋯</td></tr>}
                <tr key={i} class={total > 0.1 * whole ? "hot" : ""}>
                  <td>{line.cost >= 0 && shown ? format(total, askedUnit.value) : ""}</td>
                  <td class="share"><span class="bar" style={{ width: `${Math.min(100, (100 * total) / whole)}%` }} /><span class="percent">{total ? percent(total, whole) : ""}</span></td>
                  <td>{own ? format(own, askedUnit.value) : ""}</td>
                  <td>{line.cost >= 0 ? <button class="link" title="show in code view" onClick={() => goTo("code", { line: `${file.name}:${line.line}:` })}>{line.line}</button> : line.line}</td>
                  <td class="text"><bdi>{line.text}</bdi></td>
                </tr>
              </>
            );
          })}
        </tbody>
      </table>
    </main>
  );
}
